/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording in a pipe: what says something of trace is handed on as perf reads it.
 *
 * The trace of what ran before a record comes behind it, when a buffer was emptied.  So that
 * maps and threads are those of then, perf gets none of its records before all trace is there.
 */
#ifndef SHIM_PIPE_H
#define SHIM_PIPE_H

#include "csflow.h"

/* What was in front of the trace: attributes, clock, and the metadata @info.  Return: 0, -errno. */
int csflow_feed_start(struct csflow *c, const union perf_event *info);

/* A record that says something of trace. */
int csflow_feed_event(struct csflow *c, const union perf_event *event);

/* PERF_RECORD_AUXTRACE, whose trace is next in the pipe. */
int csflow_feed_trace(struct csflow *c, const union perf_event *event);

/* Keeps a record for csflow_replay().  Return: 1: perf shall not take it in now; -ENOMEM. */
int csflow_hold(struct csflow *c, const union perf_event *event);

/*
 * Gives perf all that was kept, in that order; @before is called with each of them first.
 * Return: 0, or what @before or perf said.
 */
int csflow_replay(struct csflow *c, int (*before)(struct csflow *c, union perf_event *event,
						  struct perf_sample *sample));

#endif /* SHIM_PIPE_H */
