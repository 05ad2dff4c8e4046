/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Conditional instructions that wait for their results. */
#ifndef CSF_CONDITIONS_H
#define CSF_CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

struct csf_decoder;

#define CONDITIONS_MAX	1024	/* that wait at the same time */

/**
 * struct condition - a conditional instruction without its result
 * @key: its key
 * @number: number of traced conditional instructions before it in its block
 * @bad_key: the trace unit does not have such a key
 * @at, @block: for the mark
 */
struct condition {
	uint64_t at;
	uint64_t block;
	uint32_t key;
	uint32_t number;
	bool bad_key;
};

/**
 * struct conditions - those of a decoder, oldest first
 * @at, @block: place of the last one
 * @number: number of those there
 */
struct conditions {
	struct condition wait[CONDITIONS_MAX];
	uint32_t n;
	uint64_t at;
	uint64_t block;
	uint32_t number;
};

/* As flow_element(), for EL_COND, EL_COND_RESULT and EL_COND_FLUSH. */
bool conditions_add(struct csf_decoder *d);
bool conditions_resolve(struct csf_decoder *d);
bool conditions_flush(struct csf_decoder *d);

#endif /* CSF_CONDITIONS_H */
