// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "who.h"

void csflow_whos_init(struct csflow_whos *whos, struct machine *machine, bool swapper)
{
	*whos = (struct csflow_whos){ .machine = machine, .swapper = swapper, .generation = 1 };
}

void csflow_whos_exit(struct csflow_whos *whos)
{
	for (size_t i = 0; i < WHO_HASH; i++) {
		struct csflow_who *w = whos->hash[i];

		while (w) {
			struct csflow_who *next = w->next;

			thread__put(w->thread);
			free(w);
			w = next;
		}
	}
	thread__put(whos->idle);
	thread__put(whos->only);
	*whos = (struct csflow_whos){ 0 };
}

/* The thread of the process is not known, but its code is. */
static void take_only(struct csflow_whos *whos, struct csflow_who *w)
{
	const u32 tid = plugin_only(whos->plugin);
	struct thread *thread;

	if (tid == PLUGIN_NONE)
		return;
	/* perf forgets a thread when it ends, and other threads may go on */
	thread = machine__find_thread(whos->machine, -1, tid);
	if (thread) {
		thread__put(whos->only);
		whos->only = thread;
	}
	w->thread = whos->only;
	if (w->thread)
		w->pid = thread__pid(w->thread);
}

/* Trace may have any number of tids that never existed, so these are not kept. */
static struct csflow_who *stranger(struct csflow_whos *whos, u32 tid)
{
	struct csflow_who *w = &whos->stranger;

	*w = (struct csflow_who){ .pid = -1, .tid = tid, .asked = tid, .nr = 1 };
	if (tid == ~0U && !whos->idle)
		whos->idle = machine__idle_thread(whos->machine);
	if (tid == ~0U)
		w->stack = whos->idle;
	if (whos->swapper) {
		w->pid = 0;
		w->tid = 0;
	} else if (tid == ~0U) {
		take_only(whos, w);
	}
	return w;
}

/* @w is now another thread with the same tid. */
static void renew(struct csflow_who *w, struct thread *thread)
{
	if (w->thread != thread) {
		thread__put(w->thread);
		w->thread = thread;
		w->stack = thread;
		w->nr++;
	} else {
		thread__put(thread);
	}
	w->pid = thread__pid(w->thread);
}

static struct csflow_who *find(struct csflow_whos *whos, u32 tid)
{
	struct csflow_who *w = whos->hash[tid % WHO_HASH];

	while (w && w->asked != tid)
		w = w->next;
	return w;
}

static struct csflow_who *who_new(struct csflow_whos *whos, u32 tid, struct thread *thread)
{
	struct csflow_who *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->asked = tid;
	w->tid = tid;
	w->nr = 1;
	w->thread = thread;
	w->stack = thread;
	w->pid = thread__pid(thread);
	w->next = whos->hash[tid % WHO_HASH];
	whos->hash[tid % WHO_HASH] = w;
	return w;
}

struct csflow_who *csflow_who(struct csflow_whos *whos, u32 tid)
{
	struct csflow_who *w = whos->last;
	struct thread *thread;

	if (w && w->asked == tid && w->generation == whos->generation)
		return w;
	w = find(whos, tid);
	if (!w || w->generation != whos->generation) {
		thread = tid == ~0U ? NULL : machine__find_thread(whos->machine, -1, tid);
		if (w && thread)
			renew(w, thread);
		else if (thread)
			w = who_new(whos, tid, thread);
		if (!w) {
			thread__put(thread);
			return stranger(whos, tid);
		}
		w->generation = whos->generation;
	}
	whos->last = w;
	return w;
}
