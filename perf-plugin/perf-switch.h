/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which thread ran on a CPU, over time: for trace that does not say it itself.
 *
 * From context switches (perf record --switch-events), samples of
 * sched:sched_switch (-e sched:sched_switch), and the beginnings of tracing.
 */
#ifndef PERF_SWITCH_H
#define PERF_SWITCH_H

#include "../decoder/csflow.h"
#include "perf-aux.h"

/**
 * struct perf_switches - what ran where
 * @entry: @n of them, by CPU, then by time
 * @n_switch: SWITCH and SWITCH_CPU_WIDE records
 * @n_tracepoint: samples of sched_switch
 * @only: the one process that records name, its first thread; PERF_NO_TID: none, or @several
 */
struct perf_switches {
	struct perf_switch *entry;
	size_t n;
	uint64_t n_switch, n_tracepoint;
	uint32_t only;
	bool several;
	/* private */
	uint64_t damaged_to;	/* offset of the last damage in the file */
	bool said;
};

/* Reads all that @file has, which gets the problems.  Return: 0, -ENOMEM. */
int perf_switches_init(struct perf_switches *switches, struct perf_file *file);
void perf_switches_fini(struct perf_switches *switches);

/**
 * perf_switches_at() - who runs
 * @time: perf's clock, ns
 * @until: up to but not including this time the answer holds
 *
 * Return: its thread, 0: the CPU is idle; PERF_NO_TID: that is not known.
 */
uint32_t perf_switches_at(const struct perf_switches *switches, uint32_t cpu, uint64_t time,
			  uint64_t *until);

/* The only thread that ran on @cpu from @from to @to; PERF_NO_TID: there were several, or none. */
uint32_t perf_switches_only(const struct perf_switches *switches, uint32_t cpu, uint64_t from,
			    uint64_t to);

/* Who looks for one thread looks at so many switches: what is damaged may have any number. */
#define PERF_SWITCHES_SEARCHED	256

/* When @tid came to @cpu, from @from to @to, both included; 0: that is not known. */
uint64_t perf_switches_came(const struct perf_switches *switches, uint32_t cpu, uint32_t tid,
			    uint64_t from, uint64_t to);

/**
 * struct perf_ran - trace that does not say whose it is
 * @aux: all trace
 * @fragment: the piece of it
 * @cpu: that was traced
 * @time: perf's clock, ns: where the trace has got to; 0: it has no timestamps, so that only what
 *	holds for all of @fragment is known
 */
struct perf_ran {
	const struct perf_aux *aux;
	const struct perf_fragment *fragment;
	uint32_t cpu;
	uint64_t time;
};

/* Its thread; PERF_NO_TID: that is not known.  @until: see perf_switches_at(). */
uint32_t perf_switches_ran(const struct perf_switches *switches, const struct perf_ran *ran,
			   uint64_t *until);

/*
 * Whose maps are those of user code where @tid ran: where that is not known, it was the one process
 * of the recording; PERF_NO_TID: there are several, and nothing tells which.
 */
static inline uint32_t perf_switches_whose(const struct perf_switches *switches, uint32_t tid)
{
	return tid == PERF_NO_TID ? switches->only : tid;
}

/*
 * After @run of @tid: if user code was missing in it, since it is not known which of several
 * processes ran, @file gets that as a problem, once.
 */
void perf_switches_check(struct perf_switches *switches, struct perf_file *file, uint32_t tid,
			 const struct csf_run *run);

#endif /* PERF_SWITCH_H */
