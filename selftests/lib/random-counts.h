/* SPDX-License-Identifier: GPL-2.0-only */
/* Random count tables; the same seed always makes the same. */
#ifndef RANDOM_COUNTS_H
#define RANDOM_COUNTS_H

#include "random-case.h"
#include "../../tools/count/count.h"

/* Files of these tables: two names of one build-id, others with the same name and none. */
#define RANDOM_FILES	6
extern const struct dso_key random_files[RANDOM_FILES];

/* The bytes of a count file; free @p. */
struct count_bytes {
	char *p;
	size_t n;
};

/*
 * Makes a settled table of a few files, each with fewer than @most blocks and @most edges, of which
 * some are equal.  Counts are small, or so large that a few of them overflow.  Return: there was
 * memory.
 */
bool random_counts(struct count_table *table, uint32_t most, struct dice *d);

/* Return: it was written. */
bool count_bytes(const struct count_table *table, struct count_bytes *out);

#endif /* RANDOM_COUNTS_H */
