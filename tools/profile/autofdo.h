/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AutoFDO's text, as written by csflow profile, simpleperf inject and AutoFDO's own tools:
 *
 *	the number of ranges, then FIRST-LAST:COUNT for each, both ends included
 *	the number of addresses, then ADDRESS:COUNT for each, which are ignored
 *	the number of taken branches, then FROM->TO:COUNT for each; TO 0: unknown
 *	comments: "// build_id: 0x...", "// name of the file"
 *
 * and again for the next file.  Addresses are as enum profile_addresses says; for a module they are
 * offsets in the file.
 */
#ifndef CSF_AUTOFDO_H
#define CSF_AUTOFDO_H

#include "../count/count.h"

/**
 * struct autofdo_problem - the error in a text
 * @line: from 1; 0: the whole text
 * @n_odd: ignored lines: neither a text nor a comment, or an invalid build-id;
 *         @odd: the first of them
 */
struct autofdo_problem {
	const char *why;
	size_t line;
	size_t n_odd, odd;
};

/* Does a file with these first @n bytes have this format? */
bool autofdo_is(const void *bytes, size_t n);

/**
 * autofdo_read() - counts from the @n bytes of a text
 * @table: to add to; must be settled afterwards
 * @options: where files are: they are read, because a text does not say what is code; a text
 *           that does not name its file is taken as that of the file given there
 * @addresses: enum profile_addresses; PROFILE_ANY: the kind that fits more ranges
 *
 * Ranges of missing files are lost, as in enum count_stat.  So are those of T32, because addresses
 * do not tell T32 code.
 *
 * Return: 0, perhaps with odd lines; -EBADMSG and @problem; -ENOMEM.
 */
int autofdo_read(struct count_table *table, const void *bytes, size_t n,
		 const struct dso_options *options, int addresses,
		 struct autofdo_problem *problem);

#endif /* CSF_AUTOFDO_H */
