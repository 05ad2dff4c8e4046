/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of inputs: operands, and what these stand for.
 *
 *	3:FILE		a file, and its weight
 *	FOLDER		all files in it, and in the folders in it, but those that begin with a dot
 *	@LIST		a file of names, a line each; after a tab a weight, after another one a date
 *	@-		the same from standard input
 *
 * Names are never all in memory.
 */
#ifndef CSF_MERGE_NAMES_H
#define CSF_MERGE_NAMES_H

#include "../lib/log-codes.h"
#include "weight.h"

/**
 * struct merge_name - an input
 * @times: its weight
 * @date: seconds since 1970, if @dated; else the file has one
 */
struct merge_name {
	const char *path;
	uint64_t times;
	int64_t date;
	bool dated;
};

/**
 * struct names - what takes them
 * @take: an input; the name is borrowed.  Return: 0; else no more are wanted
 * @bad: reports a list, a line or a folder that cannot be read; @line: 0: all of it.  NULL: nothing
 *       is reported
 */
struct names {
	int (*take)(void *owner, const struct merge_name *name);
	void (*bad)(void *owner, const char *path, size_t line, const char *why);
	void *owner;
};

/* Takes the weight off an operand.  Return: the rest of it; NULL: the weight is 0. */
const char *names_weight(const char *operand, uint64_t *times);

/* Gives all names of an operand.  Return: 0; what @take returned; -ENOMEM. */
int names_each(const struct names *names, const char *operand);

/* Can an operand be read again?  Names from a pipe cannot. */
bool names_again(const char *operand);

#endif /* CSF_MERGE_NAMES_H */
