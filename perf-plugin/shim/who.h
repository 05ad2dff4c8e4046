/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads as the trace names them, by tid, and what perf knows of them.
 *
 * A trace only has a tid; its process, and the maps of that, depend on the time of the question.
 */
#ifndef SHIM_WHO_H
#define SHIM_WHO_H

#include "compat.h"
#include "../plugin.h"

#define WHO_HASH	256

/**
 * struct csflow_who - a thread
 * @pid: its process, -1: not known; @tid: its number, -1: not known
 * @thread: perf's thread; NULL: no record has named it yet
 * @stack: the thread whose stack perf keeps: @thread, or a common one for unknown threads
 * @stream: the trace stream it was last seen in; @losses: losses of that stream until then
 * @nr: counts the places after which its stack is not valid any more
 */
struct csflow_who {
	pid_t pid, tid;
	struct thread *thread, *stack;
	u32 stream;
	u64 losses, nr;
	/* private */
	u32 asked;
	unsigned int generation;
	struct csflow_who *next;
};

/**
 * struct csflow_whos - all threads
 * @machine: their machine
 * @plugin: the recording
 * @only: a thread of the only process, which counts as executing where the trace does not name a
 *        thread
 * @idle: for trace that does not name a thread: the idle task's stack, one for each CPU
 * @swapper: unknown threads are the idle task, as in perf with OpenCSD
 */
struct csflow_whos {
	struct machine *machine;
	struct plugin *plugin;
	struct thread *idle, *only;
	bool swapper;
	/* private */
	struct csflow_who *hash[WHO_HASH];
	struct csflow_who stranger;
	struct csflow_who *last;
	unsigned int generation;
};

void csflow_whos_init(struct csflow_whos *whos, struct machine *machine, bool swapper);
void csflow_whos_exit(struct csflow_whos *whos);

/* Call after a record that may change threads. */
static inline void csflow_whos_changed(struct csflow_whos *whos)
{
	whos->generation++;
}

/* The thread of @tid now.  Valid until the next call with a tid that perf does not know. */
struct csflow_who *csflow_who(struct csflow_whos *whos, u32 tid);

#endif /* SHIM_WHO_H */
