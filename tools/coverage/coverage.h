/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines, functions and branches of the source that ran, and that did not.
 *
 *	struct coverage c = { 0 };
 *
 *	err = coverage_read(&c, &places, dso);		for each file
 *	err = coverage_settle(&c);
 *	coverage_print_lcov(&c, f);
 *
 * Lines are those that debug information has for functions of the file.  The count of a line is
 * that of its most executed instruction; if a line is in the file several times because it was
 * inlined, the counts of all copies are added.
 *
 * An inlined function was entered as often as its first instruction ran, less loops back to it; at
 * least once if any of its instructions ran.  All places where it is inlined, and its own code, are
 * one function, in the line where it is declared.
 */
#ifndef CSF_COVERAGE_H
#define CSF_COVERAGE_H

#include <stdio.h>

#include "../count/places.h"
#include "../lib/options.h"

/* A line of the source.  @file: index in coverage.file. */
struct source_line {
	uint32_t file;
	int line;
};

/* @count: how often it ran */
struct coverage_line {
	struct source_line at;
	uint64_t count;
};

/* @name: the linker's name; owned.  @count: how often it was entered. */
struct coverage_function {
	struct source_line at;
	char *name;
	uint64_t count;
};

/* A conditional branch, at @addr of its file. */
struct coverage_branch {
	struct source_line at;
	uint64_t addr, taken, passed;
};

/*
 * Zero is empty.  @file: paths as in the debug information; owned.  @symbols: only these functions;
 * NULL: all.
 */
struct coverage {
	const struct opt_list *symbols;
	char **file;
	struct coverage_line *line;
	struct coverage_function *function;
	struct coverage_branch *branch;
	size_t n_file, n_line, n_function, n_branch;
	size_t size_file, size_line, size_function, size_branch;
};

/**
 * coverage_read() - add a file of the table
 *
 * Return: 0; -ENOENT: it is missing; -ENODATA: it has no symbols, or no debug information;
 * -EOPNOTSUPP: it is a kernel module; -ENOMEM.
 */
int coverage_read(struct coverage *c, struct places *places, size_t dso);

/* Keeps only files whose path begins with one of @n @prefix, if there are any. */
void coverage_keep(struct coverage *c, const char *const *prefix, size_t n);

/* Sorts everything by file and line, and joins entries of the same line. */
int coverage_settle(struct coverage *c);

void coverage_fini(struct coverage *c);

/**
 * struct coverage_sum - the sums of a part
 * @lines: all; @lines_hit: those that ran; likewise functions, and the ways of branches
 */
struct coverage_sum {
	uint64_t lines, lines_hit, functions, functions_hit, ways, ways_hit;
};

/**
 * struct coverage_part - one file of the source
 * @line, @function, @branch: the first ones of the file
 * @sum: of this file; @sum.ways is twice the number of branches
 */
struct coverage_part {
	const char *path;
	const struct coverage_line *line;
	const struct coverage_function *function;
	const struct coverage_branch *branch;
	struct coverage_sum sum;
};

/* The @i-th file, after coverage_settle().  Return: false: there is none. */
bool coverage_part(const struct coverage *c, size_t i, struct coverage_part *part);

struct coverage_sum coverage_total(const struct coverage *c);

/* Print a tracefile of lcov, or Cobertura's XML.  @name: the test. */
void coverage_print_lcov(const struct coverage *c, const char *name, FILE *f);
void coverage_print_cobertura(const struct coverage *c, const char *name, FILE *f);

#endif /* CSF_COVERAGE_H */
