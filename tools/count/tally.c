// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../lib/ratio.h"
#include "tally.h"

/* Steps of a transaction whose outcome is unknown; as in count-fill.c. */
#define JOURNAL_MAX	(1u << 20)
/* Steps whose cycles are still unknown. */
#define OPEN_MAX	(1u << 20)

/**
 * struct tally_cell - a thread on a CPU and what it ran; in the order of appearance
 * @item: number of a block; CSF_PATH ORed to a number: a path, until the end
 */
struct tally_cell {
	uint32_t who, item;
	uint64_t ran, cycles, timed;
};

/**
 * struct tally_stream - the state of a stream
 * @who: the running thread, by @tid and @time
 * @counts: its unit counts cycles; else nothing is kept for cycles
 * @open: cells of steps after the last cycle count, @n_open of them, from step @seq on
 * @late: there were too many: the next count is also for steps that were dropped
 * @spare: cycles of counts without any code
 * @journal: cells of steps of a transaction
 * @unsure: the journal is incomplete
 */
struct tally_stream {
	uint32_t tid, who;
	uint64_t time;
	bool known, counts, late, unsure;
	uint32_t *open;
	size_t n_open, size_open;
	uint64_t seq, spare;
	uint32_t *journal;
	size_t n_journal, size_journal;
};

void tally_start(struct tally *t, struct perf_replay *replay)
{
	t->replay = replay;
	t->n_block = 0;
	t->n_path = 0;
}

static void forget(struct tally *t)
{
	for (size_t i = 0; i < t->n_stream; i++) {
		free(t->stream[i].open);
		free(t->stream[i].journal);
	}
	free(t->stream);
	free(t->cell);
	free(t->by_key.slot);
	free(t->n_insn);
	free(t->block);
	free(t->path);
	t->stream = NULL;
	t->cell = NULL;
	t->by_key = (struct hash_table){ 0 };
	t->n_insn = NULL;
	t->block = NULL;
	t->path = NULL;
	t->n_stream = 0;
	t->n_cell = 0;
	t->size_cell = 0;
	t->n_block = 0;
	t->size_block = 0;
	t->n_path = 0;
}

void tally_fini(struct tally *t)
{
	forget(t);
	free(t->row);
	free(t->who);
	count_table_fini(&t->files);
	*t = (struct tally){ 0 };
}

/* ---------------------------------------------------------------- threads */

static int add_who(struct tally *t, const struct tally_who *who)
{
	for (size_t i = 0; i < t->n_who; i++)
		if (!memcmp(&t->who[i], who, sizeof(*who)))
			return i;
	if (!array_room(&t->who, t->n_who, &t->size_who, sizeof(*who)))
		return -ENOMEM;
	t->who[t->n_who] = *who;
	return t->n_who++;
}

/* Names change while threads run, so they are read whenever the time is known. */
static int learn_who(struct tally *t, struct tally_stream *s, const struct perf_run *run)
{
	uint64_t time = run->stream->time ? run->stream->time : run->fragment->time;
	struct tally_who who = { .pid = run->who.pid, .tid = run->who.tid,
				 .cpu = run->stream->cpu };
	const char *comm;
	int n;

	if (s->known && s->tid == run->who.tid && s->time == time)
		return 0;
	comm = perf_tasks_comm(t->replay->tasks, run->who.tid, time ? time : PERF_TASKS_LAST);
	if (comm)
		snprintf(who.comm, sizeof(who.comm), "%s", comm);
	else
		snprintf(who.comm, sizeof(who.comm), ":%d", (int32_t)who.tid);
	/* bytes after the name must not distinguish two */
	memset(who.comm + strlen(who.comm), 0, sizeof(who.comm) - strlen(who.comm));
	n = add_who(t, &who);
	if (n < 0)
		return n;
	s->who = n;
	s->tid = run->who.tid;
	s->time = time;
	s->known = true;
	return 0;
}

/* ---------------------------------------------------------------- cells */

static uint64_t hash_of(uint32_t who, uint32_t item)
{
	return hash_mix(0, (uint64_t)who << 32 | item);
}

/* Return: its index, or -ENOMEM. */
static long look_up(struct tally *t, uint32_t who, uint32_t item)
{
	const struct tally_cell *cell;
	uint32_t *slot;

	if (!array_room(&t->cell, t->n_cell, &t->size_cell, sizeof(*t->cell)) ||
	    !HASH_ROOM(&t->by_key, t->n_cell, 1, i,
		       hash_of(t->cell[i - 1].who, t->cell[i - 1].item)))
		return -ENOMEM;
	cell = t->cell;
	slot = HASH_SLOT(&t->by_key, hash_of(who, item), i,
			 cell[i - 1].item == item && cell[i - 1].who == who);
	if (!*slot) {
		t->cell[t->n_cell] = (struct tally_cell){ .who = who, .item = item };
		*slot = ++t->n_cell;
	}
	return *slot - 1;
}

/* The same; most belong to the last thread that ran the item. */
static inline long cell_of(struct tally *t, uint32_t who, uint32_t item)
{
	uint32_t *last = item & CSF_PATH ? &t->path[item & ~CSF_PATH] : &t->block[item];
	long cell;

	if (*last && t->cell[*last - 1].who == who)
		return *last - 1;
	cell = look_up(t, who, item);
	if (cell >= 0)
		*last = cell + 1;
	return cell;
}

static int learn_blocks(struct tally *t)
{
	size_t n = (size_t)csf_block_count(t->replay->image) + 1;

	if (n > t->size_block) {
		size_t size = 2 * n + 1024;

		if (!array_zeros(&t->n_insn, t->size_block, size, sizeof(*t->n_insn)) ||
		    !array_zeros(&t->block, t->size_block, size, sizeof(*t->block)))
			return -ENOMEM;
		t->size_block = size;
	}
	/* number 0 is not used */
	if (!t->n_block)
		t->n_block = 1;
	for (; t->n_block < n; t->n_block++) {
		struct csf_block b;

		csf_block(t->replay->image, t->n_block, &b);
		t->n_insn[t->n_block] = b.n_insn;
	}
	return 0;
}

static int learn_paths(struct tally *t)
{
	const size_t n = (size_t)csf_path_count(t->replay->image) + 1;

	if (n <= t->n_path)
		return 0;
	if (!array_zeros(&t->path, t->n_path, 2 * n, sizeof(*t->path)))
		return -ENOMEM;
	t->n_path = 2 * n;
	return 0;
}

/* ---------------------------------------------------------------- cycles */

/* Gives @cycles to the first @n open steps. */
static void share(struct tally *t, struct tally_stream *s, size_t n, uint64_t cycles)
{
	uint64_t all = 0, sum = 0, given = 0;

	for (size_t i = 0; i < n; i++)
		all += t->n_insn[t->cell[s->open[i]].item];
	for (size_t i = 0; i < n; i++) {
		struct tally_cell *c = &t->cell[s->open[i]];
		uint64_t part;

		sum += t->n_insn[c->item];
		part = ratio_of(cycles, sum, all) - given;
		c->cycles += part;
		c->timed += t->n_insn[c->item];
		given += part;
	}
}

static void close_steps(struct tally_stream *s, size_t n)
{
	/* nothing may have been kept yet */
	if (!n)
		return;
	memmove(s->open, s->open + n, (s->n_open - n) * sizeof(*s->open));
	s->n_open -= n;
	s->seq += n;
}

/* One cycle count: for the open steps before its moment. */
static void count(struct tally *t, struct tally_stream *s, const struct csf_mark *m)
{
	size_t n = m->at > s->seq ? m->at - s->seq : 0;

	if (n > s->n_open)
		n = s->n_open;
	if (m->flags & CSF_MARK_UNKNOWN) {
		t->unplaced += s->spare;
		s->spare = 0;
	} else {
		t->cycles += m->count;
		if (n && !s->late) {
			share(t, s, n, m->count + s->spare);
			s->spare = 0;
		} else if (s->late) {
			t->unplaced += m->count;
		} else {
			s->spare += m->count;
		}
	}
	if (n)
		s->late = false;
	close_steps(s, n);
}

static void count_marks(struct tally *t, struct tally_stream *s, const struct csf_run *run)
{
	for (size_t i = 0; i < run->n_mark; i++)
		if (run->mark[i].kind == CSF_MARK_CYCLES)
			count(t, s, &run->mark[i]);
}

/* Where trace begins anew, the time of the code before is unknown. */
static void break_cycles(struct tally *t, struct tally_stream *s)
{
	t->unplaced += s->spare;
	s->spare = 0;
	s->n_open = 0;
	s->late = false;
}

/* ---------------------------------------------------------------- steps */

static bool keep(struct tally_stream *s, uint32_t cell)
{
	if (s->n_open == OPEN_MAX) {
		s->seq += s->n_open;
		s->n_open = 0;
		s->late = true;
	}
	if (!array_room(&s->open, s->n_open, &s->size_open, sizeof(*s->open)))
		return false;
	s->open[s->n_open++] = cell;
	return true;
}

static bool remember(struct tally_stream *s, uint32_t cell)
{
	if (s->unsure || s->n_journal == JOURNAL_MAX) {
		s->unsure = true;
		return true;
	}
	if (!array_room(&s->journal, s->n_journal, &s->size_journal, sizeof(*s->journal)))
		return false;
	s->journal[s->n_journal++] = cell;
	return true;
}

/* Adds a step, or a path. */
static int add(struct tally *t, struct tally_stream *s, uint32_t item, bool undone)
{
	long cell = cell_of(t, s->who, item);

	if (cell < 0)
		return cell;
	t->cell[cell].ran++;
	if ((s->counts && !keep(s, cell)) || (undone && !remember(s, cell)))
		return -ENOMEM;
	return 0;
}

/* Steps that may be cancelled are kept one by one. */
static int walk(struct tally *t, struct tally_stream *s, const struct csf_run *run)
{
	const bool undone = run->in_transaction;
	int err = 0;

	for (size_t i = 0; i < run->n && !err; i++) {
		const uint32_t step = run->step[i], *steps = &step;
		const bool whole = step & CSF_PATH && !undone;
		size_t n = 1;

		if (step & CSF_PATH && undone)
			n = csf_path(t->replay->image, step, &steps);
		for (size_t k = 0; k < n && !err; k++)
			err = add(t, s, whole ? step : csf_step_block(steps[k]), undone);
	}
	return err;
}

static void follow(struct tally *t, struct tally_stream *s, const struct csf_run *run)
{
	if (run->seq != s->seq + s->n_open)
		break_cycles(t, s);
	if (!s->n_open)
		s->seq = run->seq;
}

static void end(struct tally *t, struct tally_stream *s, const struct csf_run *run)
{
	if (run->end == CSF_END_GAP)
		break_cycles(t, s);
	if (run->end != CSF_END_TRANSACTION)
		return;
	for (size_t i = 0; run->value == CSF_TRANS_FAIL && i < s->n_journal; i++)
		t->cell[s->journal[i]].ran--;
	s->n_journal = 0;
	s->unsure = false;
}

int tally_run(struct tally *t, const struct perf_run *run)
{
	size_t number = run->stream->number;
	struct tally_stream *s;
	int err;

	if (number >= t->n_stream) {
		size_t n = 2 * number + 8;

		s = realloc(t->stream, n * sizeof(*s));
		if (!s)
			return -ENOMEM;
		memset(s + t->n_stream, 0, (n - t->n_stream) * sizeof(*s));
		t->stream = s;
		t->n_stream = n;
	}
	s = &t->stream[number];
	s->counts = run->stream->unit->cycles;
	if (run->starts)
		break_cycles(t, s);
	err = learn_paths(t);
	if (!err)
		err = learn_blocks(t);
	if (!err && run->run.n)
		err = learn_who(t, s, run);
	if (s->counts)
		follow(t, s, &run->run);
	if (!err)
		err = walk(t, s, &run->run);
	if (err)
		return err;
	if (s->counts)
		count_marks(t, s, &run->run);
	end(t, s, &run->run);
	return 0;
}

/* ---------------------------------------------------------------- folding */

/* Adds the counts of paths to their blocks. */
static int spread(struct tally *t)
{
	const size_t n = t->n_cell;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		const struct tally_cell c = t->cell[i];
		const uint32_t *step;
		size_t steps = c.item & CSF_PATH ? csf_path(t->replay->image, c.item, &step) : 0;

		for (size_t k = 0; k < steps && !err; k++) {
			const long cell = cell_of(t, c.who, csf_step_block(step[k]));

			err = cell < 0 ? cell : 0;
			if (!err)
				t->cell[cell].ran += c.ran;
		}
	}
	return err;
}

static int fold(struct tally *t, const struct tally_cell *c)
{
	const struct perf_code *code = &t->replay->tasks->code;
	const struct code_section *section;
	struct tally_row *row;
	struct dso_key key;
	struct csf_block b;
	long dso;

	csf_block(t->replay->image, c->item, &b);
	section = b.section < code->n_section ? code->section[b.section] : NULL;
	if (!section || !c->ran) {
		t->unplaced += c->cycles;
		return 0;
	}
	key = (struct dso_key){
		.name = section->dso->name, .kind = section->dso->kind,
		.build_id = section->dso->build_id, .n_build_id = section->dso->n_build_id,
	};
	dso = count_dso_find(&t->files, &key);
	if (dso < 0 || !array_room(&t->row, t->n_row, &t->size_row, sizeof(*row)))
		return -ENOMEM;
	row = &t->row[t->n_row++];
	*row = (struct tally_row){
		.who = c->who, .dso = dso, .start = section->offset + b.offset, .size = b.size,
		.n_insn = b.n_insn, .isa = b.isa, .ran = c->ran, .cycles = c->cycles,
		.timed = c->timed,
	};
	return 0;
}

int tally_stop(struct tally *t)
{
	int err = spread(t);

	for (size_t i = 0; i < t->n_cell && !err; i++)
		if (!(t->cell[i].item & CSF_PATH))
			err = fold(t, &t->cell[i]);
	for (size_t i = 0; i < t->n_stream; i++)
		t->unplaced += t->stream[i].spare;
	forget(t);
	return err;
}
