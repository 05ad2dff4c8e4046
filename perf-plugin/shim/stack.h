/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call chains and last branches.
 *
 * Call chains are those of perf's own stack of each thread: it outlives what is
 * not traced, a system call perhaps, but not a loss.  Last branches are for
 * those who take what lies between two of them for executed; so nothing may be
 * missing there, and they begin anew wherever trace does.
 */
#ifndef SHIM_STACK_H
#define SHIM_STACK_H

#include "compat.h"
#include "who.h"
#include "../perf-sample.h"

/**
 * struct csflow_stream - what is kept of a trace stream
 * @samples: for perf-sample.h
 * @number: of plugin.h
 * @losses: counts what its sink lost
 * @last: branches of whoever runs; not kept by thread, for it may go on in another stream before
 *        this one has come as far
 */
struct csflow_stream {
	struct cs_sample_state samples;
	u32 number;
	u64 losses;
	struct csflow_last *last;
};

/* Whether @opts ask for any of this. */
bool csflow_stack_wanted(const struct itrace_synth_opts *opts);

/* A branch was taken.  Return: 0, -ENOMEM. */
int csflow_stack_move(const struct itrace_synth_opts *opts, struct csflow_who *who,
		      struct csflow_stream *stream, int cpu, const struct cs_sample *move);

/* Last branches before now; room for opts->last_branch_sz. */
void csflow_stack_branches(const struct itrace_synth_opts *opts, const struct csflow_who *who,
			   const struct csflow_stream *stream, struct branch_stack *branches);

/* The callers of @ip: @size entries at most, those for user and kernel among them. */
void csflow_stack_chain(const struct csflow_who *who, int cpu, u64 ip, u64 kernel_start,
			struct ip_callchain *chain, size_t size);

/*
 * The same for a sample of another event, which perf recorded: it was taken some time before, so
 * what is newer than @sample->ip is left out.
 */
void csflow_stack_add(const struct itrace_synth_opts *opts, const struct csflow_who *who,
		      u64 kernel_start, struct perf_sample *sample, struct ip_callchain *chain,
		      struct branch_stack *branches);

#endif /* SHIM_STACK_H */
