/* SPDX-License-Identifier: GPL-2.0-only */
/* A merge of any number of inputs, by several threads, in memory that does not grow with them. */
#ifndef CSF_MERGE_H
#define CSF_MERGE_H

#include "input.h"

/**
 * struct merge_options - what is merged
 * @operand: @n_operand of them, as names.h describes them
 * @half_life: seconds in which an input loses half of its weight; 0: age does not matter
 * @date: seconds since 1970, at which an input has no age
 * @command: the name of the command, for messages
 * @n_threads: how many read inputs
 * @whole: nothing is written if an input is left out or a sum is saturated
 * @progress: show progress
 */
struct merge_options {
	struct input_options input;
	char *const *operand;
	size_t n_operand;
	uint64_t half_life;
	int64_t date;
	const char *command;
	uint32_t n_threads;
	bool whole, progress;
};

/*
 * Writes the sums to @out; NULL: standard output.  Reports errors on standard error, in the order
 * of the inputs.  Return: CMD_OK; CMD_FAILED: an input was left out, or a sum is saturated, or
 * nothing was written.
 */
int merge(const struct merge_options *options, const char *out);

#endif /* CSF_MERGE_H */
