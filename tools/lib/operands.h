/* SPDX-License-Identifier: GPL-2.0-only */
/* The files that a command reads: its operands, and those of -i. */
#ifndef CSF_OPERANDS_H
#define CSF_OPERANDS_H

#include "options.h"

/**
 * struct operands - zero it, set what is not private, and parse the options
 * @inputs: the files of OPT_INPUT(), which come before the operands
 * @least, @most: how many files the command takes; @most 0: any number
 * @otherwise: the file that it reads if none is given; NULL: none
 * @path: after operands_take(), @n files in the order in which they were given, each as often as
 *        it was given; the names are borrowed
 */
struct operands {
	struct opt_list inputs;
	size_t least, most;
	const char *otherwise;
	const char **path;
	size_t n;
};

/**
 * operands_take() - look at all files before the first of them is read
 * @n: number of operands, at argv[1] and on, as options_parse() left them
 * @usage: as for options_parse()
 *
 * Reports errors on standard error, and names each file that is not there.  "-", standard input,
 * may be given once.  Whether a file can be read, and what it is, the command finds out.
 *
 * Return: CMD_OK; CMD_USAGE: too few files, too many, or "-" twice; CMD_FAILED: one is not there.
 */
int operands_take(struct operands *o, int n, char **argv, const char *usage);

void operands_free(struct operands *o);

#endif /* CSF_OPERANDS_H */
