// SPDX-License-Identifier: GPL-2.0-only
#include <util/callchain.h>
#include <util/thread-stack.h>

#include "stack.h"

bool csflow_stack_wanted(const struct itrace_synth_opts *opts)
{
	return opts->callchain || opts->add_callchain || opts->last_branch ||
		opts->add_last_branch || opts->thread_stack;
}

/*
 * A thread's trace goes on where it is traced next, on another CPU perhaps.  It is broken where
 * the trace that it was in has a hole.
 */
static void follow(struct csflow_who *who, u32 stream, u64 trace_nr)
{
	if (who->stream == stream && who->trace_nr && who->trace_nr != trace_nr)
		who->nr++;
	who->stream = stream;
	who->trace_nr = trace_nr;
}

void csflow_stack_move(const struct itrace_synth_opts *opts, struct csflow_who *who,
		       const struct plugin_run *run, const struct cs_sample *move)
{
	unsigned int last = opts->last_branch || opts->add_last_branch ? opts->last_branch_sz : 0;

	if (!who->thread)
		return;
	follow(who, run->stream, move->trace_nr);
	/* What has only the idle task's branches in it would be made anew each time. */
	thread_stack__event(who->thread, run->cpu, move->flags, move->ip, move->addr,
			    move->insn_len, who->nr, /*callstack=*/true, last, false);
}

void csflow_stack_branches(const struct itrace_synth_opts *opts, const struct csflow_who *who,
			   int cpu, struct branch_stack *branches)
{
	branches->nr = 0;
	branches->hw_idx = -1ULL;
	if (!who->thread)
		return;
	thread_stack__br_sample(who->thread, cpu, branches, opts->last_branch_sz);
	for (u64 i = 0; i < branches->nr; i++)
		branches->entries[i].flags.predicted = 1;
}

void csflow_stack_chain(const struct csflow_who *who, int cpu, u64 ip, u64 kernel_start,
			struct ip_callchain *chain, size_t size)
{
	thread_stack__sample(who->thread, cpu, chain, size, ip, kernel_start);
}
