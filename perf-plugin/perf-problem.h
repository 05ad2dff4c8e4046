/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is wrong with a recording: collected, never printed.
 *
 * perf-plugin reads on behind every problem.  Who shows them writes, for each,
 * "csflow: perf.data: offset 0x1234: reason".
 */
#ifndef PERF_PROBLEM_H
#define PERF_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No more than this many are kept; the others are only counted. */
#define PERF_PROBLEM_MAX	64

/* There is no place in the file to point at. */
#define PERF_PROBLEM_NOWHERE	UINT64_MAX

/**
 * enum perf_severity - how bad a problem is
 * @PERF_NOTE: unusual, and nothing is lost by it; to be shown on demand
 * @PERF_WARNING: unusual, and what comes of it may not be what is expected; always to be shown
 * @PERF_DAMAGE: something is missing or not to be trusted; always to be shown
 */
enum perf_severity { PERF_NOTE, PERF_WARNING, PERF_DAMAGE };

/**
 * struct perf_problem - one of them
 * @offset: in the file, or PERF_PROBLEM_NOWHERE
 * @severity: enum perf_severity
 * @text: the reason: no file name, no offset, no final full stop or newline
 * @kind: private: tells problems of one kind from those of another
 */
struct perf_problem {
	uint64_t offset;
	enum perf_severity severity;
	char text[160];
	const char *kind;
};

/**
 * struct perf_problems - problems in the order in which they were found
 * @list: the first @n of them
 * @n: of those kept
 * @total: of all found, kept or not
 * @damage: of @total, those that are PERF_DAMAGE
 *
 * Zeroed is empty.  Nothing to free.
 */
struct perf_problems {
	struct perf_problem list[PERF_PROBLEM_MAX];
	size_t n;
	uint64_t total;
	uint64_t damage;
};

/* Adds one; of a kind (the same @format) eight are kept.  @problems may be NULL; @format stays. */
void perf_problem_add(struct perf_problems *problems, enum perf_severity severity,
		      uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif /* PERF_PROBLEM_H */
