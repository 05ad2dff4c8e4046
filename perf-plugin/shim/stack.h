/* SPDX-License-Identifier: GPL-2.0-only */
/* Call chains and last branches, by perf's own stack of each thread. */
#ifndef SHIM_STACK_H
#define SHIM_STACK_H

#include "compat.h"
#include "who.h"
#include "../perf-sample.h"
#include "../plugin.h"

/* Whether @opts ask for any of this. */
bool csflow_stack_wanted(const struct itrace_synth_opts *opts);

/* A branch was taken. */
void csflow_stack_move(const struct itrace_synth_opts *opts, struct csflow_who *who,
		       const struct plugin_run *run, const struct cs_sample *move);

/* Last branches before now; room for opts->last_branch_sz. */
void csflow_stack_branches(const struct itrace_synth_opts *opts, const struct csflow_who *who,
			   int cpu, struct branch_stack *branches);

/* The callers of @ip: @size entries at most, those for user and kernel among them. */
void csflow_stack_chain(const struct csflow_who *who, int cpu, u64 ip, u64 kernel_start,
			struct ip_callchain *chain, size_t size);

#endif /* SHIM_STACK_H */
