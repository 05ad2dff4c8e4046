/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording in a pipe: records about trace are passed on as perf reads them.
 *
 * The trace of what ran before a record comes after it, when a buffer was emptied.  So that maps
 * and threads are those of that time, perf gets none of its records before all trace has been read.
 */
#ifndef SHIM_PIPE_H
#define SHIM_PIPE_H

#include "csflow.h"

/*
 * Passes on what came before the trace: attributes, clock, and the metadata @info.  Return: 0,
 * -errno.
 */
int csflow_feed_start(struct csflow *c, const union perf_event *info);

/* Passes on a record about trace. */
int csflow_feed_event(struct csflow *c, const union perf_event *event);

/* Passes on PERF_RECORD_AUXTRACE, whose trace is next in the pipe. */
int csflow_feed_trace(struct csflow *c, const union perf_event *event);

/* Keeps a record for csflow_replay().  Return: 1: perf must not process it now; -ENOMEM. */
int csflow_hold(struct csflow *c, const union perf_event *event);

/*
 * Gives perf all kept records, in their order; calls @before for each of them first.
 * Return: 0, or the error of @before or of perf.
 */
int csflow_replay(struct csflow *c, int (*before)(struct csflow *c, union perf_event *event,
						  struct perf_sample *sample));

#endif /* SHIM_PIPE_H */
