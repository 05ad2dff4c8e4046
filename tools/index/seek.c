// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/perf-look.h"
#include "../../perf-plugin/perf-seek.h"
#include "../lib/file.h"
#include "../lib/log.h"
#include "index.h"
#include "seek.h"

/* Decoding more than this before a span takes noticeable time. */
#define MUCH		(4 * (uint64_t)PERF_START_ALIGN)

/* How much earlier decoding begins for call stacks: most earlier calls return by then. */
#define BACK_STACKS	(4 * (uint64_t)PERF_START_ALIGN)

/* Stretches with two timestamps or more, after which clocks are known. */
#define SETTLE		2

/**
 * struct seek - a search for the offset to begin at
 * @index: NULL: there is none
 * @said: the reason for a long search was reported
 */
struct seek {
	const struct recording *r;
	struct perf_replay *replay;
	const struct seek_needs *needs;
	struct index *index;
	uint64_t from;
	bool said;
};

/* ---------------------------------------------------------------- the index */

static void say(const char *path, const char *why)
{
	log_say(LOG_INPUT, "csflow: %s: %s: not used\n", path, why);
}

int seek_index(struct index **index, const struct perf_replay *replay, const char *path)
{
	const struct perf_file *file = replay->file;
	struct packed_problem problem;
	char *name;
	int state;

	*index = NULL;
	if (asprintf(&name, "%s.tix", path) < 0)
		return -ENOMEM;
	state = index_read(index, name, &problem);
	if (!state)
		state = index_fits(*index, file->size, index_hash_of(file->bytes, file->size));
	if (state == INDEX_CORRUPT)
		log_say(LOG_DAMAGE, "csflow: %s: is damaged: offset 0x%zx: %s: not used\n", name,
			problem.offset, problem.why);
	else if (state > 0)
		say(name, index_state_name(state));
	else if (state < 0 && state != -ENOENT && state != -ENOMEM)
		say(name, file_words(name, state));
	if (state) {
		index_free(*index);
		*index = NULL;
	}
	free(name);
	return state == -ENOMEM ? state : 0;
}

static bool covers(const struct seek *k, size_t i)
{
	const struct perf_fragment *f = &k->replay->aux->fragment[i];

	return index_covers(k->index, f->offset, f->offset + f->size);
}

static bool covers_all(const struct seek *k)
{
	size_t i = 0;

	while (i < k->replay->aux->n_fragment && covers(k, i))
		i++;
	return i == k->replay->aux->n_fragment;
}

/* Has a guest run, and does it matter?  With an index no trace is read.  As perf_seek_el1(). */
static int had_guests(const struct seek *k, const struct perf_start *start)
{
	bool el1 = false;

	if (!perf_seek_guests(k->replay))
		return 0;
	if (!k->index || !covers_all(k))
		return perf_seek_el1(k->replay, start);
	for (size_t i = 0; i < k->index->n_stream; i++)
		el1 |= k->index->stream[i].el1;
	return el1;
}

/* ---------------------------------------------------------------- a stream in a fragment */

static bool is_in(const struct perf_fragment *f, const struct index_entry *e)
{
	return e->capture >= f->offset && e->capture - f->offset < f->size;
}

/* Can @f have trace of this stream? */
static bool may_hold(const struct seek *k, const struct perf_fragment *f,
		     const struct index_stream *s)
{
	if (f->flags & PERF_FRAGMENT_RAW)
		return !s->id && s->cpu == perf_cs_cpu_of_raw(k->replay->cs, f);
	return s->id && s->cpu == perf_cs_cpu_of_id(k->replay->cs, f, s->id);
}

/* Has it no bytes in @f before its first stretch there, which is @i if there is one? */
static bool begins_at(const struct seek *k, const struct perf_fragment *f,
		      const struct index_stream *s, size_t i)
{
	const size_t end = (f->offset + f->size - 1) / INDEX_BLOCK;

	if (i < s->n && is_in(f, &s->entry[i]))
		return s->entry[i].flags & INDEX_BEGINS;
	return s->id && index_find_id(k->index, f->offset / INDEX_BLOCK, s->id) > end;
}

/*
 * Bytes of @f that need not be decoded for @s: those before a stretch after which there are
 * enough others before the first one with a timestamp that is late enough.
 */
static uint64_t needless(const struct seek *k, const struct perf_fragment *f,
			 const struct index_stream *s)
{
	const struct perf_time_conv *conv = &k->replay->file->time_conv;
	uint64_t before, pos = 0;
	size_t first = 0, i, n = 0;

	while (first < s->n && !is_in(f, &s->entry[first]))
		first++;
	for (i = first; i < s->n && is_in(f, &s->entry[i]); i++)
		if (s->entry[i].n_time &&
		    perf_time_from_counter(conv, s->entry[i].last) >= k->from)
			break;
	if (first == i)
		return begins_at(k, f, s, i) ? f->size : 0;
	/* a late one may be the first of the stretches, with a piece before it */
	before = i < s->n && is_in(f, &s->entry[i]) ? s->entry[i].capture - f->offset : f->size;
	while (i > first && n <= SETTLE) {
		n += s->entry[--i].n_time >= 2;
		pos = s->entry[i].capture - f->offset;
	}
	if (n <= SETTLE || before < PERF_SEEK_BEFORE * PERF_START_ALIGN)
		return 0;
	before -= PERF_SEEK_BEFORE * PERF_START_ALIGN;
	return pos < before ? pos : before;
}

/* ---------------------------------------------------------------- a queue */

/* The offset to begin at in fragment @i; 0: its beginning. */
static uint64_t start_in(const struct seek *k, size_t i)
{
	const struct perf_fragment *f = &k->replay->aux->fragment[i];
	uint64_t pos = f->size, one;

	for (size_t n = 0; n < k->index->n_stream; n++) {
		const struct index_stream *s = &k->index->stream[n];

		if (!may_hold(k, f, s))
			continue;
		one = s->ordered ? needless(k, f, s) : 0;
		if (one < pos)
			pos = one;
	}
	return pos < f->size ? pos / PERF_START_ALIGN * PERF_START_ALIGN : 0;
}

/* The index has the current ID at the beginning of each block. */
static void set_id(const struct seek *k, struct perf_start *start)
{
	const struct perf_fragment *f = &k->replay->aux->fragment[start->fragment];
	const uint64_t block = (f->offset + start->pos) / INDEX_BLOCK;
	uint64_t known = block * INDEX_BLOCK;
	uint8_t id = 0;

	if (known <= f->offset || block >= k->index->n_map ||
	    k->index->map[block].id == INDEX_NO_ID) {
		known = 0;
	} else {
		known = (known - f->offset + PERF_FRAME - 1) / PERF_FRAME * PERF_FRAME;
		id = k->index->map[block].id;
	}
	perf_seek_id(k->replay, start, known, id);
}

/* Return: 1 and @start; 0: from the beginning; -ENODATA: the index does not know. */
static int by_index(const struct seek *k, size_t queue, struct perf_start *start)
{
	const struct perf_queue *q = &k->replay->aux->queue[queue];
	size_t i = perf_seek_fragment(k->replay, queue, k->from);

	if (!k->index)
		return -ENODATA;
	i -= i == q->first + q->n;
	for (int tries = 2; tries && perf_seek_may(k->replay, queue, i); tries--, i--) {
		const uint64_t pos = covers(k, i) ? start_in(k, i) : 0;

		if (!covers(k, i))
			return -ENODATA;
		if (pos) {
			*start = (struct perf_start){ .fragment = i, .pos = pos };
			set_id(k, start);
			return 1;
		}
		if (i == q->first)
			break;
	}
	return 0;
}

static void begin_at(const struct seek *k, size_t queue, const struct perf_start *start,
		     const char *how)
{
	const struct perf_fragment *f = &k->replay->aux->fragment[start->fragment];

	perf_queues_start(k->replay->queues, queue, start);
	if (k->r->verbose)
		log_say(LOG_NOTE, "csflow: %s: offset 0x%" PRIx64 ": decode begins here: %s\n",
			k->r->path, f->offset + start->pos, how);
}

/* Reports once, for any queue, if decoding @before bytes takes time. */
static void say_slow(struct seek *k, uint64_t before, const char *why)
{
	if (k->said || before < MUCH)
		return;
	log_say(LOG_NOTE, "csflow: %s: --time: earlier trace is decoded, too: %s\n", k->r->path,
		why);
	k->said = true;
}

static void say_stacks(struct seek *k)
{
	if (!k->said)
		log_say(LOG_NOTE, "csflow: %s: --time: call stacks begin shortly before it: "
			"--from-start makes them complete\n", k->r->path);
	k->said = true;
}

/* The offset was found.  Return: as perf_seek(). */
static int take(struct seek *k, size_t queue, struct perf_start *start, const char *how)
{
	int ret = k->needs->all ? 0 : had_guests(k, start);

	if (ret < 0)
		return ret;
	if (k->needs->all || ret) {
		say_slow(k, start->pos, ret ? "guests ran: earlier trace tells their processes from "
			 "the host's" : k->needs->all);
		return 0;
	}
	if (k->needs->stacks) {
		say_stacks(k);
		start->pos -= start->pos > BACK_STACKS ? BACK_STACKS : start->pos;
		perf_seek_id(k->replay, start, 0, 0);
	}
	if (start->pos)
		begin_at(k, queue, start, how);
	return 0;
}

static int seek_queue(struct seek *k, size_t queue)
{
	const char *how = "index";
	struct perf_start start;
	int ret = by_index(k, queue, &start);

	if (ret == -ENODATA) {
		how = "search";
		ret = perf_seek(k->replay, queue, k->from, &start);
	} else if (!ret) {
		/* only how far it is */
		ret = perf_seek(k->replay, queue, k->from, &start) == -ENOMEM ? -ENOMEM : 0;
	}
	if (ret > 0)
		return take(k, queue, &start, how);
	if (!ret && perf_seek_may(k->replay, queue, start.fragment))
		say_slow(k, start.pos, "near it not all trace units have timestamps in order");
	else if (!ret)
		say_slow(k, start.pos, "the thread moves to another CPU in this span");
	return ret;
}

int seek_time(const struct recording *r, uint64_t from, const struct seek_needs *needs)
{
	struct seek k = { .r = r, .replay = r->replay, .needs = needs, .from = from };
	int ret;

	if (!from)
		return 0;
	if (!k.replay->timed) {
		say_slow(&k, k.replay->queues->total, "the trace has no timestamps of perf's clock");
		return 0;
	}
	ret = seek_index(&k.index, k.replay, r->path);
	for (size_t i = 0; !ret && i < k.replay->aux->n_queue; i++)
		if (k.replay->aux->queue[i].n)
			ret = seek_queue(&k, i);
	index_free(k.index);
	return ret;
}
