/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Past execution.  A processor that guesses wrong executes what it knows: the target of the other
 * way of a branch the last time, or an earlier target of an indirect branch.
 */
#ifndef CSF_ETM4_PAST_H
#define CSF_ETM4_PAST_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct past_p0 - an executed branch, and its places
 * @from: where execution came from, after the previous P0 element
 * @to: where this one led
 * @from_isa, @to_isa: enum enc_isa there
 * @taken: its atom was E
 * @told: the trace needed an address for its target
 * @before: number of the previous one from the same place; 0: none
 */
struct past_p0 {
	uint64_t from, to;
	uint8_t from_isa, to_isa;
	bool taken, told;
	uint32_t before;
};

struct past;

/* Return: owned by the caller; NULL: no memory. */
struct past *past_new(void);
void past_free(struct past *past);

/* Adds an executed branch; fills in its @before. */
void past_add(struct past *past, const struct past_p0 *p0);

/* The last branch from @from, or NULL. */
const struct past_p0 *past_from(const struct past *past, uint64_t from, uint8_t isa);

/* The branch executed after @p0 at its target, or NULL. */
const struct past_p0 *past_next(const struct past *past, const struct past_p0 *p0);

/* The previous branch from the same place, or NULL. */
const struct past_p0 *past_before(const struct past *past, const struct past_p0 *p0);

#endif /* CSF_ETM4_PAST_H */
