/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Problems of a recording: collected, never printed.
 *
 * perf-plugin reads on after every problem.  Programs print each as "csflow: perf.data: offset
 * 0x1234: reason".
 */
#ifndef PERF_PROBLEM_H
#define PERF_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of problems that are kept; the others are only counted. */
#define PERF_PROBLEM_MAX	64

/* No place in the file to point at. */
#define PERF_PROBLEM_NOWHERE	UINT64_MAX

/**
 * enum perf_severity - how bad a problem is
 * @PERF_NOTE: unusual, but nothing is lost; show it on demand
 * @PERF_WARNING: unusual, and the result may not be what is expected; always show it
 * @PERF_DAMAGE: something is missing or not trustworthy; always show it
 */
enum perf_severity { PERF_NOTE, PERF_WARNING, PERF_DAMAGE };

/**
 * struct perf_problem - a problem
 * @offset: in the file, or PERF_PROBLEM_NOWHERE
 * @severity: enum perf_severity
 * @text: the reason: no file name, no offset, no final full stop or newline
 * @kind: private: the same for problems of one kind
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
 * @n: number of those kept
 * @total: number of all found, kept or not
 * @damage: number of PERF_DAMAGE in @total
 *
 * All zero is empty.  There is nothing to free.
 */
struct perf_problems {
	struct perf_problem list[PERF_PROBLEM_MAX];
	size_t n;
	uint64_t total;
	uint64_t damage;
};

/*
 * Adds a problem; of one kind (with the same @format) eight are kept.  @problems may be NULL;
 * @format must stay valid.
 */
void perf_problem_add(struct perf_problems *problems, enum perf_severity severity,
		      uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif /* PERF_PROBLEM_H */
