/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which lines, functions and branches of the source ran, and which did not.
 *
 *	struct coverage c = { 0 };
 *
 *	err = coverage_read(&c, &places, dso);		for each file
 *	err = coverage_settle(&c);
 *	coverage_print_lcov(&c, f);
 *
 * Lines are those that debug information knows of in functions of the file.  A line ran as often
 * as that of its instructions that ran most; of a line that is in the file several times, for it
 * was inlined, all copies add up.
 */
#ifndef CSF_COVERAGE_H
#define CSF_COVERAGE_H

#include <stdio.h>

#include "../count/places.h"

/* A line of the source.  @file: by index in coverage.file. */
struct coverage_place {
	uint32_t file;
	int line;
};

/* @count: how often it ran */
struct coverage_line {
	struct coverage_place at;
	uint64_t count;
};

/* @name: as linkers know it; owned.  @count: how often it was entered. */
struct coverage_function {
	struct coverage_place at;
	char *name;
	uint64_t count;
};

/* A conditional branch, which is @addr of its file. */
struct coverage_branch {
	struct coverage_place at;
	uint64_t addr, taken, passed;
};

/* Zero is empty.  @file: paths as debug information has them; owned. */
struct coverage {
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
 * Return: 0; -ENOENT: it is not here; -ENODATA: it has no symbols, or no debug information;
 * -EOPNOTSUPP: it is a kernel module; -ENOMEM.
 */
int coverage_read(struct coverage *c, struct places *places, size_t dso);

/* Only files whose path begins with one of @n @prefix, if there are any, are kept. */
void coverage_keep(struct coverage *c, const char *const *prefix, size_t n);

/* Puts everything into the order of files and lines; each line is there once then. */
int coverage_settle(struct coverage *c);

void coverage_fini(struct coverage *c);

/**
 * struct coverage_sum - of a part
 * @lines: that there are; @lines_hit: that ran; likewise of functions, and of the ways of branches
 */
struct coverage_sum {
	uint64_t lines, lines_hit, functions, functions_hit, ways, ways_hit;
};

/**
 * struct coverage_part - one file of the source
 * @line, @function, @branch: first of its own
 * @sum: of these; @sum.ways is twice the number of branches
 */
struct coverage_part {
	const char *path;
	const struct coverage_line *line;
	const struct coverage_function *function;
	const struct coverage_branch *branch;
	struct coverage_sum sum;
};

/* The @i-th file, when settled.  Return: false: there is none. */
bool coverage_part(const struct coverage *c, size_t i, struct coverage_part *part);

struct coverage_sum coverage_total(const struct coverage *c);

/* Tracefile of lcov; Cobertura's XML.  @name: of the test. */
void coverage_print_lcov(const struct coverage *c, const char *name, FILE *f);
void coverage_print_cobertura(const struct coverage *c, const char *name, FILE *f);

#endif /* CSF_COVERAGE_H */
