/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call chains and last branches.
 *
 * Call chains are those of perf's own stack of each thread, which survives untraced execution, such
 * as a system call, but not a loss.  Users of last branches assume that everything between two of
 * them was executed; so nothing may be missing there, and they begin again wherever trace does.
 */
#ifndef SHIM_STACK_H
#define SHIM_STACK_H

#include "compat.h"
#include "who.h"
#include "../perf-sample.h"

/**
 * struct csflow_stream - the state of a trace stream
 * @samples: state for perf-sample.h
 * @number: number in plugin.h
 * @losses: number of losses of its sink
 * @last: last branches of the current thread; not kept by thread, as it may continue in another
 *        stream before this one has come as far
 */
struct csflow_stream {
	struct cs_sample_state samples;
	u32 number;
	u64 losses;
	struct csflow_last *last;
};

/* Do @opts need any of this? */
bool csflow_stack_wanted(const struct itrace_synth_opts *opts);

/* Takes a branch.  Return: 0, -ENOMEM. */
int csflow_stack_move(const struct itrace_synth_opts *opts, struct csflow_who *who,
		      struct csflow_stream *stream, int cpu, const struct cs_sample *move);

/* Sets the last branches before now; there is room for opts->last_branch_sz. */
void csflow_stack_branches(const struct itrace_synth_opts *opts, const struct csflow_who *who,
			   const struct csflow_stream *stream, struct branch_stack *branches);

/* Sets the callers of @ip: at most @size entries, including those that mark user and kernel. */
void csflow_stack_chain(const struct csflow_who *who, int cpu, u64 ip, u64 kernel_start,
			struct ip_callchain *chain, size_t size);

/*
 * The same for a recorded sample of another event: it was taken some time before, so what is newer
 * than @sample->ip is left out.
 */
void csflow_stack_add(const struct itrace_synth_opts *opts, const struct csflow_who *who,
		      u64 kernel_start, struct perf_sample *sample, struct ip_callchain *chain,
		      struct branch_stack *branches);

#endif /* SHIM_STACK_H */
