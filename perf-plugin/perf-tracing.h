/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints in a recording: reads samples of sched:sched_switch.  The positions of their fields
 * differ between kernels; the recording has the kernel's own description of them, which
 * libtraceevent reads.
 */
#ifndef PERF_TRACING_H
#define PERF_TRACING_H

#include "perf-record.h"

struct perf_tracing;

/**
 * perf_tracing_new() - read the descriptions
 * @file: problems are added to it
 *
 * Return: 0, with *@tracing NULL if the recording has no such tracepoint; -ENOMEM.
 */
int perf_tracing_new(struct perf_tracing **tracing, struct perf_file *file);
void perf_tracing_free(struct perf_tracing *tracing);

/*
 * Is @record a sample of sched_switch?  Sets the threads that left and came.  @tracing may be NULL.
 */
bool perf_tracing_switch(const struct perf_tracing *tracing, const struct perf_file *file,
			 const struct perf_record *record, uint32_t *prev, uint32_t *next);

#endif /* PERF_TRACING_H */
