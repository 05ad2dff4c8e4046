/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How good a count table is: how much of the trace is in it, whether it agrees with itself, and
 * whether more trace would change it.  Documentation/format/counts.rst says how that is measured.
 */
#ifndef CSF_QUALITY_H
#define CSF_QUALITY_H

#include <stdio.h>

#include "../count/count.h"

/**
 * enum quality_part - what can be bad; each is a share of what is good
 * @QUALITY_TRACE: P0 elements, or bytes, that were not lost, for reasons other than code; at most,
 *                 where it is not known how much was lost
 * @QUALITY_FILES: P0 elements whose code was there
 * @QUALITY_FLOW: executions of blocks that what led there, and what it led to, bear out
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
 * @ran: of its @n functions, those of which something was executed
 */
struct quality_functions {
	size_t dso, ran, n;
};

/**
 * struct quality - quality_measure(), then quality_fini()
 * @good, @all: of each part; @all 0: it is not known
 * @breaks: times that execution was begun to be followed, and at most as often it ended
 * @came: of places, how much oftener they were led to than executed; @went: or executed than led to
 * @functions: @n_functions of them, see quality_add_functions()
 */
struct quality {
	const struct count_table *table;
	uint64_t good[QUALITY_NR], all[QUALITY_NR];
	uint64_t breaks, came, went;
	struct quality_functions *functions;
	size_t n_functions, size_functions;
};

/* Of a settled table, which must outlive it.  Return: 0 or -ENOMEM. */
int quality_measure(struct quality *q, const struct count_table *table);
void quality_fini(struct quality *q);

/* Counts functions of @dso, which is @elf.  One without symbols has none.  Return: 0 or -ENOMEM. */
int quality_add_functions(struct quality *q, size_t dso, const struct elf_file *elf);

/* "trace" and so on. */
const char *quality_name(enum quality_part part);

/* Thousandths, rounded down; -1: not known. */
int quality_of(const struct quality *q, enum quality_part part);

/* A few lines, or with @all everything. */
void quality_print(const struct quality *q, bool all, FILE *f);

/* One object: Documentation/format/counts.rst. */
void quality_json(const struct quality *q, FILE *f);

/* Says which parts are below @percent, and what to do.  Return: there is none. */
bool quality_enough(const struct quality *q, uint64_t percent, FILE *f);

#endif /* CSF_QUALITY_H */
