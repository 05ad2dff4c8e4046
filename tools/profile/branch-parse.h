/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The messages of a branch list, as branch-list.h describes them: files and atom runs, one by one.
 *
 * They are read by lib/protobuf.h: a library would make an object of each atom run first, which is
 * memory for the whole list, and most of the time.
 */
#ifndef CSF_BRANCH_PARSE_H
#define CSF_BRANCH_PARSE_H

#include "branch-list.h"
#include "branch-stream.h"

/**
 * struct branch_list_file - a file; valid during the call
 * @key: without its @program
 * @moved: addresses are those at run time
 */
struct branch_list_file {
	struct dso_key key;
	bool moved;
};

/**
 * struct branch_list_run - an atom run; valid during the call
 * @addr: address of its first instruction; bit 0 is set for T32
 * @bits: @n atoms, the first one in the lowest bit of the first byte
 * @count: how often it came
 * @exact: there are no more bytes than it needs, and no more bits are set
 */
struct branch_list_run {
	uint64_t addr;
	const uint8_t *bits;
	uint64_t n, count;
	bool exact;
};

/**
 * struct branch_parse - what to do with the parts of a list
 * @message: for each message, before its files; may be NULL
 * @file: for each file, before its atom runs
 * @run: for each atom run
 *
 * Each returns 0, or an error that ends the reading; a -EBADMSG is at the current field.
 */
struct branch_parse {
	int (*message)(void *owner, const struct protobuf *message);
	int (*file)(void *owner, const struct branch_list_file *file);
	int (*run)(void *owner, const struct branch_list_run *run);
	void *owner;
};

/*
 * Reads a list.  @stream: finish it afterwards, or use it for the next one.
 * Return: 0; -EBADMSG, and @problem; -ENOMEM; an error of @take.
 */
int branch_parse(struct branch_stream *stream, const struct branch_list *list,
		 const struct branch_parse *take, struct branch_list_problem *problem);

#endif /* CSF_BRANCH_PARSE_H */
