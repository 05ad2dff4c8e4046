/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The quality of a count table: how much of the trace is in it, whether it is consistent, and
 * whether more trace would change it.  Documentation/format/counts.rst describes the measurement.
 */
#ifndef CSF_QUALITY_H
#define CSF_QUALITY_H

#include <stdio.h>

#include "../count/count.h"

/**
 * enum quality_part - the parts of quality; each is a share of good counts
 * @QUALITY_TRACE: P0 elements, or bytes, that were not lost for reasons other than code; an upper
 *                 limit if it is unknown how much was lost
 * @QUALITY_FILES: P0 elements whose code was available
 * @QUALITY_FLOW: executions of blocks that the counts of neighbouring blocks confirm
 * @QUALITY_SATURATION: steps that are as frequent in both halves of the trace
 */
enum quality_part {
	QUALITY_TRACE,
	QUALITY_FILES,
	QUALITY_FLOW,
	QUALITY_SATURATION,
	QUALITY_NR
};

/**
 * struct quality_functions - of one file
 * @dso: index in the table
 * @ran: those of its @n functions that were executed, at least in part
 */
struct quality_functions {
	size_t dso, ran, n;
};

/**
 * struct quality - quality_measure(), then quality_fini()
 * @good, @all: of each part; @all 0: unknown
 * @breaks: how often following execution began; it ended at most as often
 * @came: how many more times places were led to than executed; @went: the reverse
 * @functions: @n_functions of them, see quality_add_functions()
 */
struct quality {
	const struct count_table *table;
	uint64_t good[QUALITY_NR], all[QUALITY_NR];
	uint64_t breaks, came, went;
	struct quality_functions *functions;
	size_t n_functions, size_functions;
};

/* Measures a settled table, which must outlive it.  Return: 0 or -ENOMEM. */
int quality_measure(struct quality *q, const struct count_table *table);
void quality_fini(struct quality *q);

/* Counts functions of @dso, which is @elf; none without symbols.  Return: 0 or -ENOMEM. */
int quality_add_functions(struct quality *q, size_t dso, const struct elf_file *elf);

/* "trace" and so on. */
const char *quality_name(enum quality_part part);

/* In thousandths, rounded down; -1: unknown. */
int quality_of(const struct quality *q, enum quality_part part);

/* Prints a few lines, or everything with @all. */
void quality_print(const struct quality *q, bool all, FILE *f);

/* One object: Documentation/format/counts.rst. */
void quality_json(const struct quality *q, FILE *f);

/* Reports parts below @percent, and what to do.  Return: there are none. */
bool quality_enough(const struct quality *q, uint64_t percent, FILE *f);

#endif /* CSF_QUALITY_H */
