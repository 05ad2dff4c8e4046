// SPDX-License-Identifier: GPL-2.0-only
/* The trace of one CPU in one queue, to be filled by quick-fill.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "quick-parts.h"

/* ---------------------------------------------------------------- threads and maps */

/* Credits the current thread with its atoms and atom runs so far. */
static int count_thread(struct quick_fill *fill, struct quick_stream *s)
{
	const char *comm = perf_tasks_comm(fill->replay->tasks, s->who.tid,
					 s->time ? s->time : PERF_TASKS_LAST);
	struct quick_thread *t = fill->thread;
	size_t i = 0;

	if (!s->n_atom_run)
		return 0;
	while (i < fill->n_thread && (t[i].cpu != s->whose.cpu || t[i].tid != s->who.tid ||
				      t[i].pid != s->who.pid))
		i++;
	if (i == fill->n_thread) {
		if (!array_room(&fill->thread, i, &fill->size_thread, sizeof(*t)))
			return -ENOMEM;
		fill->thread[i] = (struct quick_thread){
			.cpu = s->whose.cpu, .pid = s->who.pid, .tid = s->who.tid,
			.comm = strdup(comm ? comm : ""),
		};
		if (!fill->thread[i].comm)
			return -ENOMEM;
		fill->n_thread++;
	}
	fill->thread[i].n_atom_run += s->n_atom_run;
	fill->thread[i].n_atom += s->n_atom;
	s->n_atom_run = 0;
	s->n_atom = 0;
	return 0;
}

int quick_fill_ask_who(struct quick_fill *fill, struct quick_stream *s)
{
	const struct perf_who was = s->who;
	int err = count_thread(fill, s);

	if (!err && atom_run_executed(s))
		err = atom_run_locate(fill, s);
	err = err ?: perf_replay_who(fill->replay, &s->whose, s->time, &s->who);
	if (s->who.space != was.space || s->who.until != was.until)
		atom_run_forget(s);
	return err;
}

int quick_fill_time(struct quick_fill *fill, struct quick_stream *s, uint64_t timestamp)
{
	const uint64_t time = perf_replay_time(fill->replay, timestamp);
	int err = atom_run_settle(fill, s);

	if (time > s->time)
		s->time = time;
	return !err && s->time >= s->who.until ? quick_fill_ask_who(fill, s) : err;
}

/* ---------------------------------------------------------------- streams */

/* Finds the place with half of the bytes of the stream's queue. */
static void find_middle(const struct quick_fill *fill, struct quick_stream *s)
{
	const struct perf_aux *aux = fill->replay->aux;
	const struct perf_queue *queue = &aux->queue[s->whose.queue];

	s->middle = queue->bytes / 2;
	for (size_t i = 0; i < queue->n; i++) {
		s->last = &aux->fragment[queue->first + i];
		if (s->middle < s->last->size)
			break;
		s->middle -= s->last->size;
	}
}

int quick_fill_stream(struct quick_fill *fill, struct quick_stream **out, uint32_t queue,
		      uint32_t cpu)
{
	struct quick_stream *s = calloc(1, sizeof(*s));
	long unit;
	int err;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	if (perf_cs_config(fill->replay->cs, cpu, &s->config)) {
		free(s);
		return -ENOENT;
	}
	if (!quick_reads(&s->config)) {
		free(s);
		return -ENOENT;
	}
	unit = quick_unit(fill->quick, &s->config);
	err = unit < 0 ? CSF_ERR_MEMORY : csf_monitor_new(&s->mon, &s->config);
	s->speculates = s->config.trcidr8;	/* MAXSPEC */
	if (!err && s->speculates)
		err = csf_monitor_commit(s->mon);
	if (err) {
		csf_monitor_free(s->mon);
		free(s);
		return err == CSF_ERR_MEMORY ? -ENOMEM : -ENOENT;
	}
	quick_older_init(s);
	s->unit = unit;
	s->fill = fill;
	s->why = CSF_GAP_ADDRESS;
	s->whose.unit = perf_cs_cpu(fill->replay->cs, cpu);
	s->whose.cpu = cpu;
	s->whose.queue = queue;
	find_middle(fill, s);
	*out = s;
	return 0;
}

void quick_fill_free(struct quick_stream *s)
{
	if (s) {
		csf_monitor_free(s->mon);
		free(s->older.held);
	}
	free(s);
}

int quick_fill_fragment(struct quick_fill *fill, struct quick_stream *s,
			const struct perf_fragment *fragment)
{
	int err = atom_run_settle(fill, s);

	s->whose.fragment = fragment;
	s->begin = s->at;
	if (!(fragment->flags & PERF_FRAGMENT_PART)) {
		s->whose.tid = fill->replay->aux->queue[s->whose.queue].tid;
		s->whose.guest = false;
		s->whose.context = (struct csf_context){ 0 };
		s->hot = false;
		s->known = false;
	}
	/* with timestamps, these tell the time */
	if (!fill->replay->timed)
		s->time = fragment->time;
	return err ?: quick_fill_ask_who(fill, s);
}

int quick_fill_end(struct quick_fill *fill, struct quick_stream *s)
{
	int err = s->kind == QUICK_ETM4 ? 0 : quick_older_end(fill, s);

	err = err ?: atom_run_settle(fill, s);
	err = err ?: atom_run_stop(fill, s, CSF_GAP_ADDRESS);
	if (!err)
		err = count_thread(fill, s);
	quick_fill_lose(fill, CSF_GAP_CUT, s->waits);
	s->waits = false;
	s->in_transaction = false;
	s->sync = QUICK_NO_SYNC;
	s->hot = false;
	memset(s->history, 0, sizeof(s->history));
	quick_fill_half(s);
	return err;
}

void quick_fill_fini(struct quick_fill *fill)
{
	free(fill->number);
	for (size_t i = 0; i < fill->n_thread; i++)
		free(fill->thread[i].comm);
	free(fill->thread);
}
