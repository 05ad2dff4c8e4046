/* SPDX-License-Identifier: GPL-2.0-only */
/* Older builds of a program that a count table has: finds their files, and carries their counts. */
#ifndef CSF_CARRY_BUILDS_H
#define CSF_CARRY_BUILDS_H

#include "../count/count.h"
#include "../lib/options.h"

/**
 * struct carry_builds - what to carry
 * @binary: the build that gets the counts
 * @from: files of older builds; or folders, in which all builds with the name of @binary are
 *        looked for
 * @dso: how files are found
 * @functions: report each function of which not all was carried
 * @quiet: report only errors
 * @least: the least percentage that is good enough
 */
struct carry_builds {
	const char *binary;
	const struct opt_list *from;
	const struct dso_options *dso;
	bool functions, quiet;
	uint64_t least;
};

/*
 * Moves counts in @table to @binary, and reports what share was carried.
 *
 * Return: CMD_OK; CMD_POOR: it is less than @least; CMD_FAILED: a build was not carried, or none
 * was, which is reported.
 */
int carry_builds(struct count_table *table, const struct carry_builds *w);

#endif /* CSF_CARRY_BUILDS_H */
