/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which thread ran on a CPU, over time: for trace that does not contain it.
 *
 * Sources are context switches (perf record --switch-events), samples of sched:sched_switch (-e
 * sched:sched_switch), and the starts of tracing.
 */
#ifndef PERF_SWITCH_H
#define PERF_SWITCH_H

#include "../decoder/csflow.h"
#include "perf-aux.h"

/**
 * struct perf_switches - the threads that ran on each CPU
 * @entry: @n of them, sorted by CPU, then by time
 * @n_switch: number of SWITCH and SWITCH_CPU_WIDE records
 * @n_tracepoint: number of samples of sched_switch
 * @only: first thread of the only process that records name; PERF_NO_TID: none, or @several
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

/* Reads everything in @file, and adds problems to it.  Return: 0, -ENOMEM. */
int perf_switches_init(struct perf_switches *switches, struct perf_file *file);
void perf_switches_fini(struct perf_switches *switches);

/**
 * perf_switches_at() - find the thread that runs on a CPU
 * @time: perf's clock, ns
 * @until: set to the time up to which the result is valid, not included
 *
 * Return: the thread; 0: the CPU is idle; PERF_NO_TID: not known.
 */
uint32_t perf_switches_at(const struct perf_switches *switches, uint32_t cpu, uint64_t time,
			  uint64_t *until);

/* The only thread that ran on @cpu from @from to @to; PERF_NO_TID: there were several, or none. */
uint32_t perf_switches_only(const struct perf_switches *switches, uint32_t cpu, uint64_t from,
			    uint64_t to);

/* Maximum number of switches to search for a thread, as a damaged file may have any number. */
#define PERF_SWITCHES_SEARCHED	256

/* The time when @tid came to @cpu, from @from to @to, both included; 0: not known. */
uint64_t perf_switches_came(const struct perf_switches *switches, uint32_t cpu, uint32_t tid,
			    uint64_t from, uint64_t to);

/**
 * struct perf_ran - trace that does not contain its thread
 * @aux: all trace
 * @fragment: the piece of trace
 * @cpu: the CPU that was traced
 * @time: perf's clock, ns: current time in the trace; 0: it has no timestamps, so that only what is
 *        true for all of @fragment is known
 */
struct perf_ran {
	const struct perf_aux *aux;
	const struct perf_fragment *fragment;
	uint32_t cpu;
	uint64_t time;
};

/* The thread of such trace; PERF_NO_TID: not known.  @until: see perf_switches_at(). */
uint32_t perf_switches_ran(const struct perf_switches *switches, const struct perf_ran *ran,
			   uint64_t *until);

/*
 * The thread whose maps apply to user code of @tid: if that is not known, that of the one process
 * of the recording; PERF_NO_TID: there are several processes, and it is not known which.
 */
static inline uint32_t perf_switches_whose(const struct perf_switches *switches, uint32_t tid)
{
	return tid == PERF_NO_TID ? switches->only : tid;
}

/*
 * Call after @run of @tid: if user code was missing in it because it is not known which of several
 * processes ran, adds a problem to @file, once.
 */
void perf_switches_check(struct perf_switches *switches, struct perf_file *file, uint32_t tid,
			 const struct csf_run *run);

#endif /* PERF_SWITCH_H */
