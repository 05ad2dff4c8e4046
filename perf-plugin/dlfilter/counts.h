/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of executed code ranges and taken branches, by file and offset in it. */
#ifndef DLFILTER_COUNTS_H
#define DLFILTER_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No file: unknown code, or code of no interest. */
#define DSO_NONE	UINT32_MAX

/**
 * struct dso - a file with code
 * @name: name in perf; owned
 * @weight: number of code bytes that ran in it, counted each time
 * @kernel: its offsets are addresses
 */
struct dso {
	char *name;
	uint64_t weight;
	uint8_t buildid[20];
	uint8_t n_buildid;
	bool kernel;
};

enum count_kind {
	COUNT_RANGE = 1,	/* @from to @to, the last instruction, in one file */
	COUNT_ENTERED,		/* likewise, entered from another file or at a beginning of trace */
	COUNT_BRANCH,		/* from @from to @to */
};

/**
 * struct count - the count of one range or branch
 * @dso: file of @from; @to_dso: file of @to, may be DSO_NONE
 * @n: number of times; @missed: those that were mispredicted
 */
struct count {
	uint64_t from, to;
	uint32_t dso, to_dso;
	enum count_kind kind;
	uint64_t n, missed;
};

/* All zero is empty.  An open hash: slots with @n 0 are free. */
struct counts {
	struct count *slot;
	size_t n_slot, n;
	struct dso *dso;
	uint32_t n_dso, last_dso;
};

/**
 * counts_dso() - the number of a file
 * @like: its properties; copied if the file is new
 *
 * Return: its number, DSO_NONE if there is no memory for it.
 */
uint32_t counts_dso(struct counts *counts, const struct dso *like);

/* Adds @what->n and @what->missed.  Return: 0, or -1: no memory. */
int counts_add(struct counts *counts, const struct count *what);

void counts_free(struct counts *counts);

#endif /* DLFILTER_COUNTS_H */
