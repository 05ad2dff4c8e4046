/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums into a count table on disk. */
#ifndef CSF_SUMS_WRITE_H
#define CSF_SUMS_WRITE_H

#include "sums.h"

/**
 * sums_write() - merge all sums, and their sorted runs
 * @sums: @n of them, ended; they share their files
 * @full: set: a sum is saturated; NULL: that is an error, and nothing is written
 *
 * Return: 0; -ENOMEM; -EOVERFLOW: a sum is saturated; -errno.
 */
int sums_write(const struct sums *sums, size_t n, FILE *out, bool *full);

#endif /* CSF_SUMS_WRITE_H */
