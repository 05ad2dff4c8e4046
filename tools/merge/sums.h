/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of the counts of any number of inputs, in memory that has a limit.
 *
 *	sums_init(&sums, &files, bytes);
 *	err = sums_block(&sums, file, &block);
 *	err = sums_write(sums, n, out, &full);
 *
 * Equal blocks and edges of most inputs are added up where they are found, by a hash: inputs of a
 * fleet have most of them in common, and a merge of sorted inputs would compare each of them again
 * for every input.  At the limit all sums are sorted and become a sorted run, after the one before
 * in files without names, and the memory is empty again.  At the end all sorted runs are merged,
 * and are read once, from front to back.  The sums that are in memory then stay there.
 *
 * Each thread has sums of its own.  Additions saturate, so the same counts give the same sums.
 */
#ifndef CSF_SUMS_H
#define CSF_SUMS_H

#include <stdio.h>

#include "files.h"
#include "weight.h"

/* Blocks and edges with the numbers of their files; the target of an edge has one, too. */
struct sum_block {
	struct count_block block;
	uint32_t file;
};

struct sum_edge {
	struct count_edge edge;
	uint32_t file;
};

/* The order in a sorted run, for qsort_r(); @ranks: of merge_files_ranks() */
int sum_block_order(const void *p, const void *q, void *ranks);
int sum_edge_order(const void *p, const void *q, void *ranks);

/* A sorted run: @n_block blocks of @blocks from number @first_block on, and edges likewise. */
struct sum_run {
	size_t first_block, n_block, first_edge, n_edge;
};

/**
 * struct sums - sums of one thread
 * @stat: as in struct count_table
 */
struct sums {
	uint64_t stat[COUNT_STAT_NR];
	/* private */
	struct merge_files *files;
	size_t max;			/* bytes */
	struct sum_block *block;
	size_t n_block, size_block;
	struct hash_table by_block;	/* index + 1 */
	struct sum_edge *edge;
	size_t n_edge, size_edge;
	struct hash_table by_edge;
	struct sum_run *run;		/* one after the other, so that files are few */
	size_t n_run, size_run;
	FILE *blocks, *edges;		/* of all runs; NULL: there is none */
};

/* @files: shared; @max: bytes of memory */
void sums_init(struct sums *sums, struct merge_files *files, size_t max);
void sums_fini(struct sums *sums);

/* Adds to the sum of a block or an edge; counts of 0 are left out.  Return: 0; -ENOMEM; -errno. */
int sums_block(struct sums *sums, uint32_t file, const struct count_block *block);
int sums_edge(struct sums *sums, uint32_t file, const struct count_edge *edge);

/* The same for at most SUMS_BATCH blocks of a file, in two thirds of the time. */
#define SUMS_BATCH	32
int sums_blocks(struct sums *sums, uint32_t file, const struct count_block *block, size_t n);

/* Adds statistics; those of recordings are multiplied, and not scaled. */
void sums_stats(struct sums *sums, const uint64_t stat[COUNT_STAT_NR], const struct weight *weight);

/* Adds a settled table.  Return: likewise. */
int sums_table(struct sums *sums, const struct count_table *table, const struct weight *weight);

/* Sorts everything; nothing can be added after that.  Return: 0; -ENOMEM. */
int sums_end(struct sums *sums);

#endif /* CSF_SUMS_H */
