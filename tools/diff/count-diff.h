/* SPDX-License-Identifier: GPL-2.0-only */
/* Two count tables, of one build or of two: what ran more often, and what less often. */
#ifndef CSF_COUNT_DIFF_H
#define CSF_COUNT_DIFF_H

#include <stdio.h>

#include "../count/count.h"

/**
 * enum count_by - what is counted as one
 * @COUNT_BY_FUNCTION: of a file with the same name, whatever its build-id
 * @COUNT_BY_LINE: a line of the source
 * @COUNT_BY_OFFSET: a block, by its distance from the function's first instruction
 */
enum count_by { COUNT_BY_FUNCTION, COUNT_BY_LINE, COUNT_BY_OFFSET };

/**
 * struct count_diff - what to compare
 * @table: settled; @name: their origin
 * @by: enum count_by
 * @limit: how many to print; 0: all
 * @changed: how many differ, printed or not
 * @missing: missing files, whose code has no names; they were reported
 */
struct count_diff {
	const struct count_table *table[2];
	const char *name[2];
	int by;
	uint64_t limit;
	const struct dso_options *dso;
	FILE *out;
	uint64_t changed, missing;
};

/* Prints what differs, the largest difference first.  Return: 0 or -ENOMEM. */
int count_diff(struct count_diff *d);

#endif /* CSF_COUNT_DIFF_H */
