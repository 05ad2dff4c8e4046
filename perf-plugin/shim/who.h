/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads as the trace names them, by tid, and what perf knows of them.
 *
 * A trace has a tid only; which process it belongs to, and what that has
 * mapped, depends on when it is asked.
 */
#ifndef SHIM_WHO_H
#define SHIM_WHO_H

#include "compat.h"
#include "../plugin.h"

#define WHO_HASH	256

/**
 * struct csflow_who - a thread
 * @pid: its process, -1: not known; @tid: itself, -1: not known
 * @thread: perf's; NULL: no record has named it yet
 * @stack: the one whose stack perf keeps: @thread, or what stands for all where nobody is known
 * @stream: the trace stream it was last seen in; @losses: in that, until then
 * @nr: counts where its stack is not to be trusted any more
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
 * struct csflow_whos - all of them
 * @machine: whose
 * @plugin: the recording
 * @only: of the one process that there is, which executes where the trace does not say who does
 * @nobody: for trace that does not say who executes: the idle task's stack, one for each CPU
 * @swapper: who is not known is the idle task, as perf with OpenCSD says
 */
struct csflow_whos {
	struct machine *machine;
	struct plugin *plugin;
	struct thread *nobody, *only;
	bool swapper;
	/* private */
	struct csflow_who *hash[WHO_HASH];
	struct csflow_who stranger;
	struct csflow_who *last;
	unsigned int generation;
};

void csflow_whos_init(struct csflow_whos *whos, struct machine *machine, bool swapper);
void csflow_whos_exit(struct csflow_whos *whos);

/* A record has come in that may change who is who. */
static inline void csflow_whos_changed(struct csflow_whos *whos)
{
	whos->generation++;
}

/* Who @tid is now.  Good until the next call with a tid that perf does not know. */
struct csflow_who *csflow_who(struct csflow_whos *whos, u32 tid);

#endif /* SHIM_WHO_H */
