/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The program files of all inputs, with numbers that all threads share.  Memory grows with the
 * number of different program files, not with that of inputs.
 */
#ifndef CSF_MERGE_FILES_H
#define CSF_MERGE_FILES_H

#include <pthread.h>

#include "../../perf-plugin/hash.h"
#include "../count/count.h"

/**
 * struct merge_files - private but for @file, once no other thread adds any
 * @file: @n of them, from 0, without blocks and edges
 */
struct merge_files {
	struct count_dso *file;
	size_t n, size;
	pthread_mutex_t lock;
	struct hash_table by_key;	/* number + 1 */
};

void merge_files_init(struct merge_files *files);
void merge_files_fini(struct merge_files *files);

/* Finds or adds a file, and keeps the first of its names.  Return: its number; -ENOMEM. */
long merge_files_find(struct merge_files *files, const struct dso_key *key);

void merge_files_lose(struct merge_files *files, uint32_t file, uint64_t lost);

/**
 * merge_files_ranks() - the order of all files that there are now
 *
 * Files that are added later do not change the order of these.
 *
 * Return: for each number its rank, from 0; the caller frees it.  NULL: no memory.
 */
uint32_t *merge_files_ranks(struct merge_files *files, size_t *n);

#endif /* CSF_MERGE_FILES_H */
