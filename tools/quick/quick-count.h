/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From atom runs to the count table: each atom run is written as trace, decoded with the available
 * files, and counted as often as it came.
 */
#ifndef CSF_QUICK_COUNT_H
#define CSF_QUICK_COUNT_H

#include "quick.h"

/**
 * quick_count_table() - counts of atom runs
 * @quick: settled
 * @table: to add to; settled then
 * @options: where files are
 *
 * Return: 0, -ENOMEM; -EOVERFLOW: the counts are too large to be added up.
 */
int quick_count_table(const struct quick *quick, struct count_table *table,
		      const struct dso_options *options);

#endif /* CSF_QUICK_COUNT_H */
