/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording in a pipe: its records are handed on as perf reads them. */
#ifndef SHIM_PIPE_H
#define SHIM_PIPE_H

#include "csflow.h"

/* What was in front of the trace: attributes, clock, and the metadata @info.  Return: 0, -errno. */
int csflow_feed_start(struct csflow *c, const union perf_event *info);

/* A record that says something of trace. */
int csflow_feed_event(struct csflow *c, const union perf_event *event);

/* PERF_RECORD_AUXTRACE, whose trace is next in the pipe. */
int csflow_feed_trace(struct csflow *c, const union perf_event *event);

#endif /* SHIM_PIPE_H */
