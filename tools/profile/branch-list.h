/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simpleperf's branch list, "inject --output branch-list": for each file, addresses; for each
 * address, the atom runs that followed, and how often.  A protobuf:
 *
 *	message Branch { bytes branch = 1; uint32 branch_size = 2; uint64 count = 3; }
 *	message Addr { uint64 addr = 1; repeated Branch branches = 2; }
 *	message Binary { string path = 1; string build_id = 2; repeated Addr addrs = 3;
 *			 int32 type = 4; Kernel kernel_info = 5; }
 *	message Kernel { uint64 kernel_start_addr = 1; }
 *	message BranchList { string magic = 1; repeated Binary etm_data = 2; }
 *
 * An address is one of the file; bit 0 is set for T32.  The first atom is the lowest bit, 1 is
 * E.  After a branch whose target only trace tells, another address begins.  Types: 0 is a program
 * or a library, 1 the kernel, 2 a module.  Addresses of a kernel are those of vmlinux, unless
 * kernel_start_addr tells where it was loaded.  A file may have several lists, one after
 * another: see branch-stream.h.
 */
#ifndef CSF_BRANCH_LIST_H
#define CSF_BRANCH_LIST_H

#include "../count/code-walk.h"

/* Numbers of the fields. */
enum branch_list_field {
	LIST_MAGIC = 1, LIST_BINARY = 2,
	BINARY_PATH = 1, BINARY_BUILD_ID = 2, BINARY_ADDR = 3, BINARY_TYPE = 4,
	BINARY_KERNEL = 5,
	KERNEL_START = 1,
	ADDR_ADDR = 1, ADDR_BRANCH = 2,
	BRANCH_BITS = 1, BRANCH_SIZE = 2, BRANCH_COUNT = 3,
};

/* @n bytes of a file, or of a section of a recording */
struct branch_list {
	const void *bytes;
	size_t n;
};

/**
 * struct branch_list_problem - the errors of a list
 * @why: the error; @offset: its offset in the file, approximate if the file is compressed
 * @what: unknown or invalid fields: @n_odd, the first at @odd
 */
struct branch_list_problem {
	const char *why, *what;
	size_t offset, n_odd, odd;
};

/**
 * branch_list_read() - counts from a list
 * @table: to add to; must be settled afterwards
 * @options: where files are: they are read, because a list has only atoms
 * @problem: the error, for -EBADMSG; and ignored fields
 *
 * Atoms of missing files, of modules, and of kernels by their addresses at run time are lost, as
 * in enum count_stat.
 *
 * Return: 0; -EBADMSG; -ENOMEM.  Counts before the damage are in @table.
 */
int branch_list_read(struct count_table *table, const struct branch_list *list,
		     const struct dso_options *options, struct branch_list_problem *problem);

struct branch_list_file;
struct branch_list_run;

/*
 * Adds a file to the table of @code and opens it, unless its addresses mean nothing there, or it is
 * missing.  Return: 0; -ENOMEM.
 */
int branch_list_open(struct code_walk *code, struct dso_table *dsos,
		     const struct branch_list_file *file);

/* Adds the blocks of an atom run of that file, and what is lost of it.  Return: 0; -ENOMEM. */
int branch_list_walk(const struct code_walk *code, const struct branch_list_run *run);

#endif /* CSF_BRANCH_LIST_H */
