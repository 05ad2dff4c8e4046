/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AutoFDO's text, as csflow profile, simpleperf inject and AutoFDO's own tools write it:
 *
 *	number of ranges, then of each FIRST-LAST:COUNT, both ends included
 *	number of addresses, then of each ADDRESS:COUNT, of which nothing is taken
 *	number of branches that were taken, then of each FROM->TO:COUNT; TO 0: nobody knows
 *	comments: "// build_id: 0x...", "// name of the file"
 *
 * and again, of the next file.  Addresses are what enum profile_addresses says, of a module places
 * in the file.
 */
#ifndef CSF_AUTOFDO_H
#define CSF_AUTOFDO_H

#include "../count/count.h"

/**
 * struct autofdo_problem - what is wrong with a text
 * @line: from 1; 0: with all of it
 * @n_odd: lines that are neither a text nor a comment, or a build-id that is none: passed over;
 *         @odd: the first of them
 */
struct autofdo_problem {
	const char *why;
	size_t line;
	size_t n_odd, odd;
};

/* Whether a file that begins with these @n bytes is one. */
bool autofdo_is(const void *bytes, size_t n);

/**
 * autofdo_read() - counts from the @n bytes of a text
 * @table: to add to; wants settling
 * @options: where files are: they are read, for a text does not say what code is; of a text that
 *           does not say which file it is of, it is the one that is given
 * @addresses: enum profile_addresses; PROFILE_ANY: those that fit more ranges
 *
 * Ranges of files that are missing are lost, as in enum count_stat.  So are those of T32, for no
 * address says that it is that.
 *
 * Return: 0, and perhaps odd lines; -EBADMSG and @problem; -ENOMEM.
 */
int autofdo_read(struct count_table *table, const void *bytes, size_t n,
		 const struct dso_options *options, int addresses,
		 struct autofdo_problem *problem);

#endif /* CSF_AUTOFDO_H */
