// SPDX-License-Identifier: GPL-2.0-only
#include "perf-problem.h"

#include <stdarg.h>
#include <stdio.h>

#define KIND_MAX	8

static size_t count_kind(const struct perf_problems *problems, const char *kind)
{
	size_t n = 0;

	for (size_t i = 0; i < problems->n; i++)
		n += problems->list[i].kind == kind;
	return n;
}

void perf_problem_add(struct perf_problems *problems, enum perf_severity severity,
		      uint64_t offset, const char *format, ...)
{
	struct perf_problem *problem;
	va_list ap;

	if (!problems)
		return;
	problems->total++;
	problems->damage += severity == PERF_DAMAGE;
	if (problems->n == PERF_PROBLEM_MAX || count_kind(problems, format) == KIND_MAX)
		return;
	problem = &problems->list[problems->n++];
	problem->offset = offset;
	problem->severity = severity;
	problem->kind = format;
	va_start(ap, format);
	vsnprintf(problem->text, sizeof(problem->text), format, ap);
	va_end(ap);
}
