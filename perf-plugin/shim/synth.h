/* SPDX-License-Identifier: GPL-2.0-only */
/* The events that perf gets for trace: synthesized, with attributes, and delivered. */
#ifndef SHIM_SYNTH_H
#define SHIM_SYNTH_H

#include "code.h"
#include "compat.h"
#include "stack.h"
#include "who.h"
#include "../perf-sample.h"
#include "../plugin.h"

/* Values of struct cs_sample.kind that are samples for perf, too */
#define SYNTH_KINDS	(CS_SAMPLE_TRANSACTION + 1)

/**
 * struct csflow_synth - events of a session
 * @code: identifies guests; borrowed
 * @opts: --itrace; borrowed
 * @attr: by kind; @size 0: not wanted
 * @id: by kind
 * @delivered: number of samples delivered; @errors: of errors
 */
struct csflow_synth {
	struct perf_session *session;
	const struct csflow_code *code;
	const struct itrace_synth_opts *opts;
	struct perf_event_attr attr[SYNTH_KINDS];
	u64 id[SYNTH_KINDS];
	u64 delivered, errors;
	/* private */
	union perf_event *event;
	struct branch_stack *branches;
	struct ip_callchain *chain;
};

/**
 * csflow_synth_init() - make the events
 * @trace: the event that was recorded
 * @timed: samples have a time
 *
 * Return: 0, -errno.
 */
int csflow_synth_init(struct csflow_synth *synth, struct perf_session *session,
		      const struct itrace_synth_opts *opts, struct evsel *trace, bool timed);
void csflow_synth_exit(struct csflow_synth *synth);

/* Delivers a sample, or an error, of @run.  Return: 0, or perf has to end. */
int csflow_synth_sample(struct csflow_synth *synth, const struct plugin_run *run,
			const struct csflow_who *who, const struct csflow_stream *stream,
			const struct cs_sample *from);

/* Adds the fields of G and L to a recorded sample. */
void csflow_synth_add(struct csflow_synth *synth, const struct csflow_who *who,
		      struct perf_sample *sample);

#endif /* SHIM_SYNTH_H */
