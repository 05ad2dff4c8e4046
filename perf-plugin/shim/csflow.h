/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * csflow inside perf: the functions that perf calls for a recording with CoreSight trace.
 *
 * perf reads its file and passes on one record after the other, in order of time.  Before perf
 * processes a record, the trace of what ran before it is decoded, so that maps and threads are
 * those of that time:
 *
 *	the file -> plugin.h -> runs -> perf-sample.h -> synth, stack -> perf
 *	                ^
 *	perf's machine -> code (sections and spaces)
 */
#ifndef SHIM_CSFLOW_H
#define SHIM_CSFLOW_H

#include "code.h"
#include "config.h"
#include "log.h"
#include "stack.h"
#include "synth.h"
#include "who.h"
#include "../perf-sample.h"
#include "../plugin.h"

/* Records of a pipe, one after the other, each at a multiple of 8. */
struct csflow_held {
	u8 *bytes;
	size_t n, size;
};

/**
 * struct csflow - the trace of a session
 * @auxtrace: functions for perf to call
 * @config: options of the user
 * @opts: --itrace
 * @range: CPUs of -C
 * @samples: iterator over the samples of a run
 * @log: --itrace=d
 * @stream: @n_stream of them, by number; NULL: that stream has not come yet
 * @pmu_type: perf_event_attr.type of cs_etm
 * @decode: samples are wanted
 * @piped: the file can be read only once
 * @held: with @piped: records that perf gets when all trace has been read
 */
struct csflow {
	struct auxtrace auxtrace;
	struct perf_session *session;
	struct plugin *plugin;
	struct csflow_config config;
	struct itrace_synth_opts opts;
	struct plugin_range *range;
	size_t n_range;
	struct csflow_code code;
	struct csflow_whos whos;
	struct csflow_synth synth;
	struct cs_samples samples;
	struct csflow_log log;
	struct csflow_stream **stream;
	size_t n_stream;
	u32 pmu_type;
	bool decode, piped;
	struct csflow_held held;
};

#endif /* SHIM_CSFLOW_H */
