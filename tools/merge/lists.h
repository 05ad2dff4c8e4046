/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branch lists on their way into sums.
 *
 *	err = lists_check(&lists, &list, &atoms, &problem);
 *	err = lists_add(&lists, &list, &weight);
 *	err = lists_drain(&lists);
 *
 * Equal atom runs of several lists are added up first, and then followed through the code once:
 * that takes far longer than to add them up.  There is a limit for the memory of atom runs; at the
 * limit they are drained, too.  Following is linear, so it does not matter when that is.
 */
#ifndef CSF_MERGE_LISTS_H
#define CSF_MERGE_LISTS_H

#include "../profile/branch-parse.h"
#include "sums.h"

/* The longest message of a compressed list: 64 MiB; there is one for each thread. */
#define LISTS_MESSAGE	(64u << 20)

/* The most atoms of an atom run. */
#define LISTS_ATOMS	(1u << 20)

/* Hashes that were seen. */
struct seen {
	uint64_t *hash;
	size_t n, size;
	struct hash_table by_hash;	/* index + 1 */
};

/* An atom run; its @n atoms are at @bits of the bytes. */
struct list_run {
	uint64_t addr, count, bits;
	uint32_t n, file;
};

/**
 * struct lists - the lists of one thread; private
 * @max: bytes of memory
 * @code: held while program files are open: the libraries that read them are for one thread
 * @why: the reason why the list that is checked is left out
 * @weight: of the list that is added; @at: index of its current file
 * @file: program files as lists name them, by which they are looked for
 */
struct lists {
	struct sums *sums;
	const struct dso_options *options;
	pthread_mutex_t *code;
	size_t max;
	struct branch_stream stream;
	struct seen messages, files;
	uint64_t atoms;
	const char *why;
	const struct weight *weight;
	uint32_t at;
	struct branch_list_file *file;
	size_t n_file, size_file;
	struct hash_table by_file;
	struct list_run *run;
	size_t n_run, size_run;
	struct hash_table by_run;
	uint8_t *bytes;
	size_t n_bytes, size_bytes;
};

void lists_init(struct lists *lists, struct sums *sums, const struct dso_options *options,
		pthread_mutex_t *code);
void lists_fini(struct lists *lists);

/**
 * lists_check() - read all of a list, and add nothing
 * @atoms: how many it has, times their counts
 *
 * Besides damage, it refuses what csflow profile passes over: fields that are not known, of which
 * an earlier one changed the meaning of addresses; and what no program writes: parts that are there
 * twice, atoms that are in no atom run, atom runs that never came.
 *
 * Return: 0; -EBADMSG, and @problem; -ENOMEM.
 */
int lists_check(struct lists *lists, const struct branch_list *list, uint64_t *atoms,
		struct branch_list_problem *problem);

/* Adds a list that was checked.  Return: 0; -ENOMEM; -errno. */
int lists_add(struct lists *lists, const struct branch_list *list, const struct weight *weight);

/* Follows all atom runs.  Return: likewise. */
int lists_drain(struct lists *lists);

#endif /* CSF_MERGE_LISTS_H */
