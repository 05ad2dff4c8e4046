/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts: count files PLAN-NUMBER-HASH.counts, where PLAN is the hash of the plan and HASH that of
 * the plan, the number and the file.  So a name says whose part a file is, and whether it is whole.
 * Numbers are from 1.
 */
#ifndef CSF_SHARD_PART_H
#define CSF_SHARD_PART_H

#include "../profile/count-load.h"
#include "plan.h"

#define PART_NAME_MAX	64

/* The name of part @k, whose file has these @n bytes. */
void part_name(const struct plan *plan, uint32_t k, const void *bytes, size_t n,
	       char name[PART_NAME_MAX]);

/**
 * enum part_look - how closely parts are looked at
 * @PART_NAMES: at names only
 * @PART_WHOLE: at the bytes, too; files that are damaged, or that csflow merge would leave out, are
 *              no parts
 * @PART_TELL: likewise, and all files of counts that are no parts, or not counted, are reported
 */
enum part_look { PART_NAMES, PART_WHOLE, PART_TELL };

/**
 * struct parts - the parts of a plan that are there
 * @path: of part [k - 1]; NULL: missing
 * @n: parts; @n_there: those that are there
 */
struct parts {
	char **path;
	size_t n, n_there;
};

/**
 * parts_find() - look for parts in folders
 * @only: look for this part alone; 0: for all
 *
 * A folder that is not there is an empty one.  Return: CMD_OK, or CMD_FAILED, reported.  Free
 * @parts in any case.
 */
int parts_find(struct parts *parts, const struct plan *plan, const struct opt_list *folders,
	       uint32_t only, enum part_look look);
void parts_fini(struct parts *parts);

/*
 * The missing ones of @n parts after the first @before, as "3,7-9", which the caller frees; the
 * first of these @n is 1.  NULL: no memory.
 */
char *parts_missing(const struct parts *parts, size_t before, size_t n);

/**
 * part_make() - make part @k of a plan in @folder
 * @options: how to decode; the files are those of the plan
 *
 * Does nothing if it is there and whole.  Any number of processes may make the same part.
 *
 * Return: CMD_OK; CMD_FAILED: there is no part; CMD_POOR: it was made, but some input could not be
 * read, or not all of it, which was reported.
 */
int part_make(const struct plan *plan, uint32_t k, const char *folder,
	      const struct count_load_options *options);

/**
 * parts_join() - add up the parts that are there, one by one
 * @out: the file to write; NULL: standard output
 * @n_threads: how many read parts
 *
 * Return: CMD_OK; CMD_FAILED, reported: nothing was written.
 */
int parts_join(const struct parts *parts, const char *out, uint32_t n_threads);

#endif /* CSF_SHARD_PART_H */
