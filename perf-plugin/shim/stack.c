// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include <util/callchain.h>
#include <util/thread-stack.h>

#include "stack.h"

/**
 * struct csflow_last - a ring of last branches, filled from the end downwards
 * @n: number of branches; @first: index of the newest; @size: room
 * @losses: that of the stream when they were taken; @tid: their thread
 */
struct csflow_last {
	unsigned int n, first, size;
	u32 tid;
	u64 losses;
	struct branch_entry entry[];
};

bool csflow_stack_wanted(const struct itrace_synth_opts *opts)
{
	return opts->callchain || opts->add_callchain || opts->last_branch ||
		opts->add_last_branch || opts->thread_stack;
}

/* ---------------------------------------------------------------- last branches */

/* Holes of a stream: those in the trace, and losses of its sink. */
static u64 losses_of(const struct csflow_stream *stream)
{
	return stream->samples.trace_nr + stream->losses;
}

static int push(struct csflow_stream *stream, unsigned int size, const struct cs_sample *move)
{
	const bool breaks = !move->ip || !move->addr || move->flags & CS_FLAG_TRACE_END;
	const u64 losses = losses_of(stream);
	struct csflow_last *last = stream->last;

	if (!last) {
		last = calloc(1, sizeof(*last) + size * sizeof(last->entry[0]));
		if (!last)
			return -ENOMEM;
		last->size = size;
		stream->last = last;
	}
	if (last->losses != losses || last->tid != (u32)move->from.tid || breaks) {
		last->n = 0;
		last->losses = losses;
		last->tid = move->from.tid;
	}
	if (breaks)
		return 0;
	last->first = last->first ? last->first - 1 : size - 1;
	last->entry[last->first] = (struct branch_entry){
		.from = move->ip, .to = move->addr,
		.flags = { .predicted = 1, .abort = !!(move->flags & CS_FLAG_TX_ABORT),
			   .in_tx = !!(move->flags & CS_FLAG_IN_TX) },
	};
	if (last->n < size)
		last->n++;
	return 0;
}

void csflow_stack_branches(const struct itrace_synth_opts *opts, const struct csflow_who *who,
			   const struct csflow_stream *stream, struct branch_stack *branches)
{
	const struct csflow_last *last = stream->last;
	unsigned int n, tail;

	branches->nr = 0;
	branches->hw_idx = -1ULL;
	if (!last || last->losses != losses_of(stream) || last->tid != who->asked)
		return;
	n = min_t(unsigned int, last->n, opts->last_branch_sz);
	tail = min_t(unsigned int, n, last->size - last->first);
	memcpy(branches->entries, last->entry + last->first, tail * sizeof(last->entry[0]));
	memcpy(branches->entries + tail, last->entry, (n - tail) * sizeof(last->entry[0]));
	branches->nr = n;
}

/* ---------------------------------------------------------------- call chains */

/*
 * A thread continues where it is traced next, perhaps on another CPU; its stack is not valid any
 * more if the trace that it was in has a hole.
 */
static void follow(struct csflow_who *who, const struct csflow_stream *stream)
{
	const u64 losses = losses_of(stream);

	if (who->stream == stream->number && who->losses != losses)
		who->nr++;
	who->stream = stream->number;
	who->losses = losses;
}

int csflow_stack_move(const struct itrace_synth_opts *opts, struct csflow_who *who,
		      struct csflow_stream *stream, int cpu, const struct cs_sample *move)
{
	unsigned int last = opts->add_last_branch ? opts->last_branch_sz : 0;
	int err = 0;

	if (opts->last_branch)
		err = push(stream, opts->last_branch_sz, move);
	if (err || !who->stack || !(opts->callchain || opts->add_callchain || last ||
				    opts->thread_stack))
		return err;
	follow(who, stream);
	return thread_stack__event(who->stack, cpu, move->flags, move->ip, move->addr,
				   move->insn_len, who->nr, /*callstack=*/true, last, false);
}

void csflow_stack_chain(const struct csflow_who *who, int cpu, u64 ip, u64 kernel_start,
			struct ip_callchain *chain, size_t size)
{
	thread_stack__sample(who->stack, cpu, chain, size, ip, kernel_start);
}

void csflow_stack_add(const struct itrace_synth_opts *opts, const struct csflow_who *who,
		      u64 kernel_start, struct perf_sample *sample, struct ip_callchain *chain,
		      struct branch_stack *branches)
{
	if (opts->add_callchain && !sample->callchain) {
		thread_stack__sample_late(who->stack, sample->cpu, chain, opts->callchain_sz + 1,
					  sample->ip, kernel_start);
		sample->callchain = chain;
	}
	if (opts->add_last_branch && !sample->branch_stack) {
		thread_stack__br_sample_late(who->stack, sample->cpu, branches,
					     opts->last_branch_sz, sample->ip, kernel_start);
		branches->hw_idx = -1ULL;
		sample->branch_stack = branches;
	}
}
