/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call stacks over time: samples to slices.
 *
 *	struct timeline tl = { .out.format = &timeline_chrome, .out.out = &out, ... };
 *
 *	err = timeline_start(&tl, replay);
 *	while (perf_replay_next(replay, &run) > 0)
 *		err = timeline_run(&tl, &run, shown);
 *	timeline_finish(&tl);
 *	timeline_fini(&tl);
 *
 * Only the stacks of threads, and names, are kept: nothing grows with the length of the trace.
 */
#ifndef CSF_TIMELINE_H
#define CSF_TIMELINE_H

#include "../../perf-plugin/hash.h"
#include "../../perf-plugin/perf-sample.h"
#include "../../perf-plugin/perf-replay.h"
#include "../code/line-cache.h"
#include "timeline-stack.h"

#define TIMELINE_EDGES	512

/**
 * struct timeline_cpu - a CPU
 * @stack: its slices: the running thread, or lost trace
 * @thread: the stack of that thread; NULL: no known thread runs
 * @lost: the stack with a SLICE_LOST of this CPU's trace; NULL: none
 * @insns, @cycles: counted since @since
 * @all_cycles: counted in total
 */
struct timeline_cpu {
	uint32_t number;
	struct timeline_stack stack;
	struct timeline_thread *thread, *lost;
	uint64_t insns, cycles, all_cycles, since;
	bool counts;
};

/**
 * struct timeline_thread - a thread, or the unknown thread of a CPU
 * @key: identifies it
 * @label: name of its slice on a CPU
 * @on: that CPU, if it runs now
 */
struct timeline_thread {
	uint64_t key;
	uint32_t label;
	struct timeline_cpu *on;
	struct timeline_stack stack;
};

/**
 * struct timeline - set @out.format, @out.out, @out.from, @out.until, @out.min, @by_cpu, @interval
 * @by_cpu: functions are on the tracks of CPUs, below the thread, and not on those of threads
 * @interval: between two counts of a CPU, ns
 * @inlines: inlined functions have slices, too
 * @part: functions outside of it have no slices; NULL: all have
 */
struct timeline {
	struct timeline_out out;
	bool by_cpu, inlines;
	uint64_t interval;
	const struct selection *part;
	/* private */
	struct perf_replay *replay;
	struct timeline_names names;
	struct cs_samples samples;
	struct cs_sample_state *state;
	struct timeline_cpu **cpu;
	struct timeline_thread **thread;
	size_t n_state, size_state, n_cpu, size_cpu, n_thread, size_thread;
	struct hash_table by_key;	/* threads: index + 1 */
	struct line_cache steps;
	uint32_t world;
	uint32_t lost[CSF_GAP_NR];	/* names */
	uint64_t insns;		/* executed so far, by all streams */
	uint64_t base;		/* without those of the current stream */
	struct cs_edge edge[TIMELINE_EDGES];
};

/* All of these return 0; -1: no memory. */
int timeline_start(struct timeline *tl, struct perf_replay *replay);

/* @shown: the run is to be shown. */
int timeline_run(struct timeline *tl, const struct perf_run *run, bool shown);

/* Ends everything that has begun. */
void timeline_finish(struct timeline *tl);

void timeline_fini(struct timeline *tl);

#endif /* CSF_TIMELINE_H */
