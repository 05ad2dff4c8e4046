/* SPDX-License-Identifier: GPL-2.0-only */
/* Count tables on disk on their way into sums, block by block: they may be larger than memory. */
#ifndef CSF_COUNT_INPUT_H
#define CSF_COUNT_INPUT_H

#include "../lib/packed.h"
#include "sums.h"

/**
 * struct count_input - a reader of count tables; zero it before the first
 * @key: of each file of the table, the place of its key; @number: its number + 1; 0: not needed yet
 */
struct count_input {
	const uint8_t **key;
	uint32_t *number;
	size_t n, size_key, size_number;
};

/**
 * count_input_check() - read all of a table, and add nothing
 * @ran: how many blocks were executed
 *
 * A table is in order, each of its entries is there once, and has counts.
 *
 * Return: 0; -EBADMSG, and @problem; -ENOMEM.
 */
int count_input_check(struct count_input *in, const uint8_t *bytes, size_t n, uint64_t *ran,
		      struct packed_problem *problem);

/* Adds the table that was checked last.  Return: 0; -ENOMEM; -errno. */
int count_input_add(struct count_input *in, const uint8_t *bytes, size_t n, struct sums *sums,
		    const struct weight *weight);

void count_input_fini(struct count_input *in);

#endif /* CSF_COUNT_INPUT_H */
