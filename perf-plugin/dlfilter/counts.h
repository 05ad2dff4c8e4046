/* SPDX-License-Identifier: GPL-2.0-only */
/* How often ranges of code ran and branches were taken, by file and offset in it. */
#ifndef DLFILTER_COUNTS_H
#define DLFILTER_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No file: code that nobody knows, or of no interest. */
#define DSO_NONE	UINT32_MAX

/**
 * struct dso - a file with code
 * @name: as perf has it; owned
 * @weight: bytes of code that ran in it, each time counted
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
	COUNT_ENTERED,		/* likewise, entered from another file or where trace begins */
	COUNT_BRANCH,		/* from @from to @to */
};

/**
 * struct count - one range or branch
 * @dso: of @from; @to_dso: of @to, may be DSO_NONE
 * @n: how often; @missed: of these, mispredicted
 */
struct count {
	uint64_t from, to;
	uint32_t dso, to_dso;
	enum count_kind kind;
	uint64_t n, missed;
};

/* Zero is empty.  An open hash: slots with @n 0 are free. */
struct counts {
	struct count *slot;
	size_t n_slot, n;
	struct dso *dso;
	uint32_t n_dso, last_dso;
};

/**
 * counts_dso() - the number of a file
 * @like: what is known of it; copied when it is new
 *
 * Return: its number, DSO_NONE if there is no memory for it.
 */
uint32_t counts_dso(struct counts *counts, const struct dso *like);

/* Adds @what->n and @what->missed.  Return: 0, or -1: no memory. */
int counts_add(struct counts *counts, const struct count *what);

void counts_free(struct counts *counts);

#endif /* DLFILTER_COUNTS_H */
