// SPDX-License-Identifier: GPL-2.0-only
#include "lower-bound.h"
#include "perf-switch.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "perf-abi.h"
#include "perf-tracing.h"

/**
 * struct perf_switch - an event on a CPU
 * @offset: offset of the record
 * @before: the thread that ran until then; PERF_NO_TID: not in the record
 * @after: the thread that runs from then on; likewise
 * @late: @before had left already when this was written, as another record may tell
 * @unsure: the file is damaged between the event before it and this one: there may have been a
 *          switch
 */
struct perf_switch {
	uint64_t time;
	uint64_t offset;
	uint32_t cpu;
	uint32_t before, after;
	bool late, unsure;
};

static int compare(const void *a, const void *b)
{
	const struct perf_switch *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int add(struct perf_switches *s, const struct perf_switch *entry)
{
	size_t n = s->n;

	if (!array_next(&s->entry, n, sizeof(*s->entry)))
		return -ENOMEM;
	s->entry[s->n++] = *entry;
	return 0;
}

/* A task that leaves names the next one; a task that enters names the one before. */
static void take_switch(struct perf_switch *entry, const struct perf_record *record,
			const struct perf_sample_id *id)
{
	struct perf_task task;

	if (!perf_record_task(record, &task))
		return;
	if (task.out) {
		entry->before = id->tid;
		entry->after = task.tid;
	} else {
		entry->before = task.tid;
		entry->after = id->tid;
		entry->late = true;
	}
}

/* Return: the record tells which thread runs. */
static bool take_record(struct perf_switches *s, const struct perf_record *record,
			struct perf_switch *entry, const struct perf_sample_id *id)
{
	struct perf_task task;

	switch (record->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		s->n_switch++;
		take_switch(entry, record, id);
		return true;
	case PERF_RECORD_ITRACE_START:
		if (perf_record_task(record, &task))
			entry->after = task.tid;
		return true;
	case PERF_RECORD_LOST:		/* there may be a switch among them */
		return true;
	default:
		return false;
	}
}

/* The idle task executes no user code, and records that perf adds have no process. */
static void name_process(struct perf_switches *s, uint32_t pid)
{
	if (!pid || pid == PERF_NO_TID || s->several || s->only == pid)
		return;
	s->several = s->only != PERF_NO_TID;
	s->only = s->several ? PERF_NO_TID : pid;
}

/*
 * A process counts if it runs a program, is a child of one that does, or was running when the
 * kernel wrote a record.  A parent alone does not: perf itself, before the program that it starts.
 */
static void name_processes(struct perf_switches *s, const struct perf_record *record,
			   const struct perf_sample_id *id)
{
	struct perf_task task;
	struct perf_mmap mmap;

	name_process(s, id->pid);
	if (perf_record_task(record, &task))
		name_process(s, task.pid);
	else if (perf_record_mmap(record, &mmap))
		name_process(s, mmap.pid);
}

static int read_records(struct perf_switches *s, const struct perf_file *file,
			const struct perf_tracing *tracing)
{
	struct perf_record record;
	struct perf_sample_id id;
	struct perf_records it;
	int err = 0;

	perf_records_start(&it, file);
	while (!err && perf_records_next(&it, &record)) {
		struct perf_switch entry = { .offset = record.offset, .before = PERF_NO_TID,
					     .after = PERF_NO_TID };

		if (record.type >= PERF_RECORD_USER_TYPE_START)
			continue;
		perf_record_id(file, &record, &id);
		name_processes(s, &record, &id);
		if (perf_tracing_switch(tracing, file, &record, &entry.before, &entry.after))
			s->n_tracepoint++;
		else if (!take_record(s, &record, &entry, &id))
			continue;
		entry.cpu = id.cpu;
		entry.time = id.time;
		if (id.has & PERF_HAS_TIME && id.time != UINT64_MAX && id.cpu != PERF_NO_CPU)
			err = add(s, &entry);
	}
	return err;
}

/* Is the file damaged from @from to @to?  After the last hole that is kept, it may be anywhere. */
static bool has_hole(const struct perf_file *file, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < file->n_hole && i < PERF_HOLES; i++)
		if (file->hole[i] >= from && file->hole[i] < to)
			return true;
	return file->n_hole > PERF_HOLES && to > file->hole[PERF_HOLES - 1];
}

static void find_holes(struct perf_switches *s, const struct perf_file *file)
{
	for (size_t i = 0; file->n_hole && i < s->n; i++) {
		struct perf_switch *entry = &s->entry[i];
		const bool first = !i || entry[-1].cpu != entry->cpu;

		entry->unsure = has_hole(file, first ? 0 : entry[-1].offset, entry->offset);
	}
	if (file->n_hole)
		s->damaged_to = file->n_hole > PERF_HOLES ? UINT64_MAX :
				file->hole[file->n_hole - 1];
}

int perf_switches_init(struct perf_switches *s, struct perf_file *file)
{
	struct perf_tracing *tracing;
	int err = perf_tracing_new(&tracing, file);

	*s = (struct perf_switches){ .only = PERF_NO_TID };
	if (!err)
		err = read_records(s, file, tracing);
	perf_tracing_free(tracing);
	if (err)
		perf_switches_fini(s);
	else if (s->n)
		qsort(s->entry, s->n, sizeof(*s->entry), compare);
	if (!err)
		find_holes(s, file);
	return err;
}

void perf_switches_fini(struct perf_switches *s)
{
	free(s->entry);
	*s = (struct perf_switches){ 0 };
}

/* The first entry of @cpu after @time, or where it would be. */
static size_t first_after(const struct perf_switches *s, uint32_t cpu, uint64_t time)
{
	const struct perf_switch *all = s->entry;

	return LOWER_BOUND(s->n, i, all[i].cpu < cpu || (all[i].cpu == cpu && all[i].time <= time));
}

uint32_t perf_switches_at(const struct perf_switches *s, uint32_t cpu, uint64_t time,
			  uint64_t *until)
{
	size_t i = first_after(s, cpu, time);
	const struct perf_switch *next = i < s->n && s->entry[i].cpu == cpu ? &s->entry[i] : NULL;
	const struct perf_switch *last = i && s->entry[i - 1].cpu == cpu ? &s->entry[i - 1] : NULL;

	*until = next ? next->time : UINT64_MAX;
	if (next ? next->unsure : last && last->offset < s->damaged_to)
		return PERF_NO_TID;
	if (!last)
		return next ? next->before : PERF_NO_TID;
	/* the next one to leave is not the last one that entered: a switch is missing in between */
	if (next && !next->late && next->before != PERF_NO_TID && next->before != last->after)
		return PERF_NO_TID;
	return last->after;
}

uint32_t perf_switches_only(const struct perf_switches *s, uint32_t cpu, uint64_t from,
			    uint64_t to)
{
	uint64_t until;
	uint32_t tid = perf_switches_at(s, cpu, from, &until);

	while (until <= to && until != UINT64_MAX && tid != PERF_NO_TID)
		if (perf_switches_at(s, cpu, until, &until) != tid)
			tid = PERF_NO_TID;
	return tid;
}

uint64_t perf_switches_came(const struct perf_switches *s, uint32_t cpu, uint32_t tid,
			    uint64_t from, uint64_t to)
{
	size_t i = first_after(s, cpu, from ? from - 1 : 0);

	for (size_t n = 0; i < s->n && n < PERF_SWITCHES_SEARCHED; i++, n++) {
		const struct perf_switch *entry = &s->entry[i];

		if (entry->cpu != cpu || entry->time > to)
			break;
		if (entry->after == tid)
			return entry->time;
	}
	return 0;
}

/* The time at which the ring was last emptied before: all trace in the fragment is younger. */
static uint64_t beginning(const struct perf_aux *aux, const struct perf_fragment *f)
{
	const struct perf_fragment *first = &aux->fragment[aux->queue[f->queue].first];
	const struct perf_fragment *before = f;

	while (before > first && before->time == f->time)
		before--;
	return before->time < f->time ? before->time : 0;
}

uint32_t perf_switches_ran(const struct perf_switches *s, const struct perf_ran *ran,
			   uint64_t *until)
{
	const struct perf_fragment *f = ran->fragment;

	*until = UINT64_MAX;
	/* a task that leaves stops the trace unit, and a record with its name is written */
	if (f->flags & PERF_FRAGMENT_TASK && f->tid != PERF_NO_TID)
		return f->tid;
	if (ran->time)
		return perf_switches_at(s, ran->cpu, ran->time, until);
	if (!f->time)
		return PERF_NO_TID;
	return perf_switches_only(s, ran->cpu, beginning(ran->aux, f), f->time);
}

#define KERNEL_HALF	(1ull << 63)

void perf_switches_check(struct perf_switches *s, struct perf_file *file, uint32_t tid,
			 const struct csf_run *run)
{
	if (s->said || !s->several || tid != PERF_NO_TID || run->end != CSF_END_GAP ||
	    run->value != CSF_GAP_IMAGE || run->flags & CSF_GAP_RETURN || run->addr >= KERNEL_HALF)
		return;
	s->said = true;
	perf_problem_add(&file->problems, PERF_WARNING, PERF_PROBLEM_NOWHERE,
			 "several processes, and nothing tells which of them ran: their code is left out (record with contextid, or per thread)");
}
