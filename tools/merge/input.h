/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An input of a merge: a file of one of the formats that have counts.  It is read twice: nothing of
 * it is added before all of it was checked.
 */
#ifndef CSF_MERGE_INPUT_H
#define CSF_MERGE_INPUT_H

#include "../lib/log-codes.h"
#include "count-input.h"
#include "lists.h"

/**
 * struct input_options - the same for all inputs
 * @dso: where program files are
 * @addresses: of AutoFDO's text: enum profile_addresses
 * @equal: make all inputs equal: see WEIGHT_EQUAL
 */
struct input_options {
	struct dso_options dso;
	int addresses;
	bool equal;
};

/**
 * struct input_problem - the reason why an input is left out
 * @place: "offset 0x12: ", "12: " for a line, or ""
 */
struct input_problem {
	enum log_code code;
	char place[32], why[160];
};

/**
 * struct input_reader - what a thread needs to read inputs; private
 * @bytes: of a small input
 */
struct input_reader {
	const struct input_options *options;
	struct sums *sums;
	struct lists lists;
	pthread_mutex_t *code;
	uint8_t *bytes;
	struct count_input counts;
};

int input_reader_init(struct input_reader *r, struct sums *sums,
		      const struct input_options *options, pthread_mutex_t *code);
void input_reader_fini(struct input_reader *r);

/**
 * input_read() - add an input
 * @path: "-": standard input
 * @times: its weight
 *
 * Return: 0; -EBADMSG: it is left out, see @problem; -ENOMEM, -errno: the merge cannot go on.
 */
int input_read(struct input_reader *r, const char *path, uint64_t times,
	       struct input_problem *problem);

#endif /* CSF_MERGE_INPUT_H */
