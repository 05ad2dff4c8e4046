// SPDX-License-Identifier: GPL-2.0-only
/* Threads and CPUs of a timeline, and their tracks. */
#include <stdio.h>
#include <stdlib.h>

#include "../../perf-plugin/array.h"
#include "timeline-parts.h"

/* ---------------------------------------------------------------- CPUs */

static void announce(struct timeline *tl, const struct timeline_cpu *cpu, enum track_kind kind,
		     bool first)
{
	const struct timeline_track track = {
		.kind = kind, .number = cpu->number, .process = first ? "CPUs" : NULL,
	};

	tl->out.format->track(&tl->out, &track);
}

struct timeline_cpu *timeline_cpu_of(struct timeline *tl, uint32_t number)
{
	struct timeline_cpu *cpu;

	for (size_t i = 0; i < tl->n_cpu; i++)
		if (tl->cpu[i]->number == number)
			return tl->cpu[i];
	cpu = calloc(1, sizeof(*cpu));
	if (!cpu || !array_room(&tl->cpu, tl->n_cpu, &tl->size_cpu, sizeof(void *))) {
		free(cpu);
		return NULL;
	}
	cpu->number = number;
	cpu->stack.track = (struct timeline_track){ .kind = TRACK_CPU, .number = number };
	announce(tl, cpu, TRACK_CPU, !tl->n_cpu);
	tl->cpu[tl->n_cpu++] = cpu;
	return cpu;
}

static void put_count(struct timeline *tl, const struct timeline_cpu *cpu, enum track_kind kind,
		      uint64_t time, double value)
{
	const struct timeline_track track = { .kind = kind, .number = cpu->number };

	if (time >= tl->out.from && time <= tl->out.until)
		tl->out.format->count(&tl->out, &track, time, value);
}

void timeline_count(struct timeline *tl, struct timeline_cpu *cpu, uint64_t time, bool ends)
{
	if (!cpu->counts && cpu->cycles) {
		announce(tl, cpu, TRACK_IPC, false);
		announce(tl, cpu, TRACK_CYCLES, false);
		cpu->counts = true;
	}
	if (cpu->cycles && (ends || (time > cpu->since && time - cpu->since >= tl->interval))) {
		cpu->all_cycles += cpu->cycles;
		put_count(tl, cpu, TRACK_IPC, cpu->since, (double)cpu->insns / cpu->cycles);
		put_count(tl, cpu, TRACK_CYCLES, time, cpu->all_cycles);
		cpu->insns = 0;
		cpu->cycles = 0;
		cpu->since = time;
	}
	/* nothing is counted from here on */
	if (ends && cpu->counts)
		put_count(tl, cpu, TRACK_IPC, time, 0);
}

/* ---------------------------------------------------------------- threads */

static bool is_new_process(const struct timeline *tl, uint32_t pid)
{
	for (size_t i = 0; i < tl->n_thread; i++)
		if (tl->thread[i]->stack.track.kind == TRACK_THREAD &&
		    tl->thread[i]->stack.track.pid == pid)
			return false;
	return true;
}

/* The name of a thread as text, or its number; NULL: no memory. */
static const char *comm_of(struct timeline *tl, uint32_t tid)
{
	const char *comm = perf_tasks_comm(tl->replay->tasks, tid, PERF_TASKS_LAST);
	char text[16];
	uint32_t number;

	snprintf(text, sizeof(text), ":%u", tid);
	number = timeline_names_add(&tl->names, comm ? comm : text);
	return number ? tl->names.name[number].text : NULL;
}

/* Names a thread on its own track, and on those of CPUs. */
static int name_thread(struct timeline *tl, struct timeline_thread *t)
{
	struct timeline_track *track = &t->stack.track;
	char label[TIMELINE_NAME_MAX];

	if (track->kind != TRACK_THREAD) {
		t->label = timeline_names_add(&tl->names, track->pid ? "[unknown]" : "idle");
		return t->label ? 0 : -1;
	}
	track->name = comm_of(tl, track->number);
	if (!track->name)
		return -1;
	snprintf(label, sizeof(label), "%.*s %u", TIMELINE_NAME_MAX - 16, track->name,
		 track->number);
	t->label = timeline_names_add(&tl->names, label);
	if (!t->label)
		return -1;
	if (is_new_process(tl, track->pid)) {
		track->process = comm_of(tl, track->pid);
		return track->process ? 0 : -1;
	}
	return 0;
}

static struct timeline_thread *thread_new(struct timeline *tl, const struct timeline_track *track)
{
	struct timeline_thread *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->stack.track = *track;
	if (!name_thread(tl, t) &&
	    array_room(&tl->thread, tl->n_thread, &tl->size_thread, sizeof(void *)))
		return t;
	free(t);
	return NULL;
}

struct timeline_thread *timeline_thread_of(struct timeline *tl, const struct timeline_cpu *cpu,
					   const struct cs_task *task)
{
	const bool known = task->tid > 0;
	const uint64_t key = known ? (uint32_t)task->tid : 1ull << 32 | cpu->number;
	const struct timeline_track track = {
		.kind = known ? TRACK_THREAD : TRACK_UNKNOWN,
		.number = known ? (uint32_t)task->tid : cpu->number,
		.pid = known && task->pid > 0 ? (uint32_t)task->pid : (uint32_t)task->tid,
	};
	struct timeline_thread *t;
	uint32_t *slot;

	if (!HASH_ROOM(&tl->by_key, tl->n_thread, 1, i, hash_mix(0, tl->thread[i - 1]->key)))
		return NULL;
	slot = HASH_SLOT(&tl->by_key, hash_mix(0, key), i, tl->thread[i - 1]->key == key);
	if (*slot)
		return tl->thread[*slot - 1];
	t = thread_new(tl, &track);
	if (!t)
		return NULL;
	t->key = key;
	tl->thread[tl->n_thread++] = t;
	*slot = tl->n_thread;
	if (!tl->by_cpu)
		tl->out.format->track(&tl->out, &t->stack.track);
	return t;
}

/* ---------------------------------------------------------------- running threads */

int timeline_switch(struct timeline *tl, struct timeline_cpu *cpu, struct timeline_thread *thread,
		    uint64_t time)
{
	struct timeline_frame frame = { .kind = SLICE_THREAD };

	if (cpu->thread == thread && cpu->thread)
		return 0;
	/* it ran elsewhere, and the end of that is lost, or not yet decoded */
	if (thread && thread->on && timeline_switch(tl, thread->on, NULL, time))
		return -1;
	if (cpu->thread) {
		/* it may have come from a CPU whose clock was ahead */
		if (time < cpu->thread->stack.last)
			time = cpu->thread->stack.last;
		if (tl->by_cpu)
			timeline_hide(&tl->out, &cpu->thread->stack, time);
	}
	if (cpu->lost && cpu->lost != thread)
		timeline_pop(&tl->out, &cpu->lost->stack, 0, time);
	cpu->lost = NULL;
	timeline_pop(&tl->out, &cpu->stack, 0, time);
	if (cpu->thread)
		cpu->thread->on = NULL;
	cpu->thread = thread;
	if (!thread)
		return 0;
	thread->on = cpu;
	frame.begin = time;
	frame.name = thread->label;
	if (timeline_push(&tl->out, &cpu->stack, &frame))
		return -1;
	if (tl->by_cpu) {
		/* slices inside begin no earlier */
		thread->stack.hidden = false;
		thread->stack.since = cpu->stack.last;
		thread->stack.track = cpu->stack.track;
		timeline_pass(&tl->out, &thread->stack, cpu->stack.last);
	}
	return 0;
}
