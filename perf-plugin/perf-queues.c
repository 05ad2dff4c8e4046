// SPDX-License-Identifier: GPL-2.0-only
/* The ring that is furthest back goes on, until another one is further back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf-look.h"
#include "queue-parts.h"

/* Bytes of earlier fragments from which the clocks of streams become known. */
#define WARM_UP		(3 * (uint64_t)PERF_START_ALIGN)
/* Likewise for each CPU that a thread came to: fragments begin and end with timestamps. */
#define WARM_UP_THREAD	(64u << 10)
/* Maximum number of CPUs that a thread comes to; with more, no earlier fragment is left out. */
#define UNITS		64

/* ---------------------------------------------------------------- open and close */

int perf_queues_new(struct perf_queues **out, const struct perf_queues_options *options,
		    const struct perf_queues_ops *ops)
{
	struct perf_queues *q = calloc(1, sizeof(*q));

	*out = NULL;
	if (!q)
		return -ENOMEM;
	q->options = *options;
	q->ops = *ops;
	q->n_ring = options->aux->n_queue;
	q->ring = calloc(q->n_ring + 1, sizeof(*q->ring));
	if (!q->ring || csf_image_new(&q->nothing)) {
		perf_queues_free(q);
		return -ENOMEM;
	}
	for (size_t i = 0; i < q->n_ring; i++) {
		q->ring[i].queue = &options->aux->queue[i];
		q->ring[i].next = q->ring[i].queue->first;
		q->total += q->ring[i].queue->bytes;
	}
	*out = q;
	return 0;
}

void perf_queues_free(struct perf_queues *q)
{
	if (!q)
		return;
	/* threads may still be decoding what was taken out of frames */
	for (size_t i = 0; i < q->n_stream; i++) {
		csf_free(q->stream[i]->dec);
		free(q->stream[i]);
	}
	for (size_t i = 0; q->ring && i < q->n_ring; i++)
		csf_frames_free(q->ring[i].frames);
	csf_image_free(q->nothing);
	free(q->stream);
	free(q->ring);
	free(q);
}

void perf_queues_span(struct perf_queues *q, uint64_t from, uint64_t until)
{
	q->options.from = from;
	q->options.until = until;
}

void perf_queues_start(struct perf_queues *q, size_t queue, const struct perf_start *start)
{
	struct ring *r = &q->ring[queue];

	if (start->fragment < r->next || (ring_starts(r) && start->pos < r->start.pos))
		return;
	if (ring_starts(r))
		q->done -= r->start.pos;
	for (; r->next < start->fragment; r->next++)
		q->done += q->options.aux->fragment[r->next].size;
	q->done += start->pos;
	r->start = *start;
}

/* ---------------------------------------------------------------- decoding */

/* A context packet: another thread, or another level of the same thread. */
static void enter(struct perf_queues *q, struct ring *r, struct perf_stream *stream,
		  const struct csf_run *run)
{
	uint32_t tid = perf_cs_tid(stream->unit, &run->to);
	bool guest;

	if (tid == PERF_NO_TID)
		tid = ring_tid(r);
	guest = stream_enters_guest(q, stream, run, tid);
	stream->dirty |= tid != stream->tid || guest != stream->guest;
	if (q->options.timed && tid != stream->tid && stream->tid != PERF_NO_TID) {
		stream->came = true;
		stream->sure = false;
	}
	stream->tid = tid;
	stream->guest = guest;
	stream->apart = false;
	stream->context = run->to;
}

static void fill(struct perf_queues *q, struct ring *r, struct perf_stream *stream,
		 struct perf_run *run)
{
	run->stream = stream;
	run->fragment = r->f;
	run->who = stream->who;
	run->time = run->run.time;
	run->after = stream->time;
	run->came = stream->switched;
	run->since = ring_since(q, r, r->next - 1);
	run->starts = stream->starts;
	stream->starts = false;
	if (q->options.timed)
		stream_pass_times(q, stream, &run->run);
	stream_leaves_guest(q, stream, &run->run);
	if (run->run.end == CSF_END_CONTEXT)
		enter(q, r, stream, &run->run);
	if (run->run.end == CSF_END_CODE && q->options.timed)
		stream_be_late(stream, run->run.addr);
}

/* Frames know where a byte is in all that they were fed, of which the last is before r->pos. */
static uint64_t offset_in_frames(const struct ring *r, const struct perf_run *run)
{
	struct csf_frame_stats stats = { .size = sizeof(stats) };
	uint64_t at = csf_frames_offset(r->frames, run->stream->id, run->run.offset);

	csf_frames_stats(r->frames, &stats);
	if (at > stats.bytes || stats.bytes - at > r->pos)
		return UINT64_MAX;
	return r->f->offset + r->pos - (stats.bytes - at);
}

uint64_t perf_queues_offset(const struct perf_queues *q, const struct perf_run *run)
{
	const struct ring *r = &q->ring[run->stream->queue];
	uint64_t at = run->run.offset - run->stream->begin;

	if (run->fragment != r->f)
		return UINT64_MAX;
	if (!(r->f->flags & PERF_FRAGMENT_RAW))
		return r->frames ? offset_in_frames(r, run) : UINT64_MAX;
	at += r->next - 1 == r->start.fragment ? r->start.pos : 0;
	return run->run.offset < run->stream->begin || at > r->f->size ? UINT64_MAX :
								     r->f->offset + at;
}

/*
 * A decoder holds back the last bytes that were fed.  CPUs that share a ring must not wait for one
 * that writes little: its next bytes may be younger than all that the others have.
 */
static void use_up(const struct ring *r, struct perf_stream *stream)
{
	stream->empty = stream->flushed || r->n_active == 1 || csf_flush(stream->dec, false);
	stream->flushed = true;
}

/* Return: 1 and a run; 0: it is another ring's turn, or the decoders are empty; as advance(). */
static int drain(struct perf_queues *q, struct ring *r, uint64_t until, struct perf_run *run)
{
	struct perf_stream *stream;
	int ret;

	while (!(ret = ring_earliest(q, r, until, &stream)) && stream) {
		if (q->options.timed) {
			r->key = stream->next;
			if ((r->key >= until && until != UINT64_MAX) ||
			    r->key > ring_others(q, r)) {
				q->current = NULL;
				return 0;
			}
		}
		ret = ring_prepare(q, r, stream, until);
		if (ret)
			return ret;
		ret = csf_next(stream->dec, &run->run);
		if (ret < 0)
			return -ENOMEM;
		if (ret) {
			fill(q, r, stream, run);
			return 1;
		}
		use_up(r, stream);
	}
	return ret;
}

/* ---------------------------------------------------------------- the next ring */

/**
 * struct warm - trace before what is wanted, from which times are estimated
 * @unit: the @n trace units
 * @bytes: bytes of each
 */
struct warm {
	size_t n;
	uint32_t unit[UNITS];
	uint64_t bytes[UNITS];
};

/* Index of the fragment after @i that does not continue it. */
static size_t next_whole(const struct perf_queues *q, const struct ring *r, size_t i)
{
	do
		i++;
	while (i < ring_last(r) && q->options.aux->fragment[i].flags & PERF_FRAGMENT_PART);
	return i;
}

/* The first of the fragments that @i continues. */
static size_t head_of(const struct perf_queues *q, const struct ring *r, size_t i)
{
	while (i > r->queue->first && q->options.aux->fragment[i].flags & PERF_FRAGMENT_PART)
		i--;
	return i;
}

/* A fragment is complete at its time: was that before what is wanted? */
static bool before(const struct perf_queues *q, size_t i)
{
	const struct perf_fragment *f = &q->options.aux->fragment[i];

	return f->time && f->time < q->options.from;
}

/* All CPUs of a ring of frames count as one: adjacent trace comes from all of them. */
static uint32_t unit_of(const struct perf_queues *q, const struct ring *r, size_t i)
{
	const struct perf_fragment *f = &q->options.aux->fragment[i];

	return ring_moves(r) ? perf_look_unit(f, fragment_bytes(q, f)) : 0;
}

static size_t find_unit(const struct warm *w, uint32_t unit)
{
	size_t i = 0;

	while (i < w->n && w->unit[i] != unit)
		i++;
	return i;
}

/* The units that have trace from fragment @i on.  Return: there is room for all. */
static bool find_units(const struct perf_queues *q, const struct ring *r, size_t i, struct warm *w)
{
	w->n = 0;
	for (; i < ring_last(r); i++) {
		const uint32_t unit = unit_of(q, r, i);

		if (q->options.until && ring_since(q, r, i) > q->options.until)
			break;
		if (find_unit(w, unit) < w->n)
			continue;
		if (w->n == UNITS)
			return false;
		w->bytes[w->n] = 0;
		w->unit[w->n++] = unit;
	}
	return true;
}

/*
 * The first fragment that is needed.  If there are timestamps, the last fragments before the wanted
 * time are needed, too: times at its beginning are estimated from these.
 */
static size_t find_warm(const struct perf_queues *q, const struct ring *r)
{
	const uint64_t enough = ring_moves(r) ? WARM_UP_THREAD : WARM_UP;
	size_t split = r->next, first, left;
	struct warm w;

	while (split < ring_last(r) && before(q, split))
		split++;
	if (split == ring_last(r))
		return head_of(q, r, split - 1);
	if (!find_units(q, r, split, &w))
		return r->next;
	first = split;
	left = w.n;
	for (size_t i = split; i-- > r->next && left;) {
		const size_t unit = find_unit(&w, unit_of(q, r, i));

		if (unit == w.n || w.bytes[unit] >= enough)
			continue;
		first = i;
		/* a fragment without timestamps does not help */
		if (!ring_tells_time(q, r, i))
			continue;
		w.bytes[unit] += q->options.aux->fragment[i].size;
		left -= w.bytes[unit] >= enough;
	}
	return head_of(q, r, first);
}

static bool outside(const struct perf_queues *q, const struct ring *r)
{
	const struct perf_fragment *f = &q->options.aux->fragment[r->next];
	uint64_t begin = ring_since(q, r, r->next);

	if (f->flags & PERF_FRAGMENT_PART)
		return false;
	if (q->options.until && begin > q->options.until)
		return true;
	return before(q, r->next) && (!q->options.timed || r->next < r->warm);
}

/* Skips fragments that are not wanted, and those that continue them. */
static int skip(struct perf_queues *q, struct ring *r)
{
	int err = 0;

	if (q->options.timed && q->options.from && !r->warm_known && r->next < ring_last(r)) {
		r->warm = find_warm(q, r);
		r->warm_known = true;
	}
	while (!err && !r->f && r->next < ring_last(r) && outside(q, r)) {
		for (size_t next = next_whole(q, r, r->next); r->next < next; r->next++)
			q->done += q->options.aux->fragment[r->next].size;
		err = ring_look_ahead(q, r);
	}
	return err;
}

/* Sets @out to the ring that is furthest back; NULL: all are done, or have reached @until. */
static int pick(struct perf_queues *q, uint64_t until, struct ring **out)
{
	struct ring *best = NULL;

	for (size_t i = 0; i < q->n_ring; i++) {
		struct ring *r = &q->ring[i];
		int err = 0;

		if (!r->f && !r->looked) {
			err = ring_look_ahead(q, r);
			if (!err)
				err = skip(q, r);
		}
		if (err)
			return err;
		if (!r->f && r->next == ring_last(r))
			continue;
		if (!best || r->key < best->key)
			best = r;
	}
	*out = best && (best->key < until || until == UINT64_MAX) ? best : NULL;
	return 0;
}

/* Was all that is not decoded yet executed later than what is wanted? */
static bool past(const struct perf_queues *q, const struct ring *r)
{
	if (!q->options.until || !q->options.timed || !r->n_active)
		return false;
	for (size_t i = 0; i < r->n_active; i++)
		if (r->active[i]->stamp <= q->options.until)
			return false;
	return true;
}

/* Drops the rest of a ring, as none of it is wanted. */
static void leave(struct perf_queues *q, struct ring *r)
{
	ring_count_unread(r);
	q->done += r->f->size - r->pos;
	for (; r->next < ring_last(r); r->next++)
		q->done += q->options.aux->fragment[r->next].size;
	r->f = NULL;
	r->looked = false;
}

/* Goes on with @r.  Return: 1 and a run; 0: choose a ring again; as drain(). */
static int advance(struct perf_queues *q, struct ring *r, uint64_t until, struct perf_run *run)
{
	int ret = r->f ? 0 : ring_begin(q, r);

	if (ret)
		return ret;
	ret = drain(q, r, until, run);
	if (ret || !q->current)
		return ret;
	if (r->pos == r->f->size)
		ring_finish(q, r);
	else if (past(q, r))
		leave(q, r);
	else
		return ring_feed(q, r);
	q->current = NULL;
	return 0;
}

int perf_queues_next(struct perf_queues *q, uint64_t until, struct perf_run *run)
{
	int ret = 0;

	while (!ret) {
		if (!q->current) {
			ret = pick(q, until, &q->current);
			if (ret || !q->current)
				return ret;
		}
		ret = advance(q, q->current, until, run);
	}
	return ret;
}

/* ---------------------------------------------------------------- what was not decoded */

/* IDs from here on carry no trace: CoreSight uses them for other things. */
#define ID_TRACE_MAX	0x70

void perf_queues_unread(const struct perf_queues *q, struct perf_unread *unread)
{
	*unread = (struct perf_unread){ .raw = q->raw, .total = q->raw };
	for (size_t i = 0; i < q->n_ring && !q->options.n_cpus; i++) {
		const struct perf_unread *of = &q->ring[i].unread;

		ring_count_unread(&q->ring[i]);
		for (int id = 0; id < ID_TRACE_MAX; id++) {
			unread->id[id] += of->id[id];
			unread->total += of->id[id];
		}
		unread->cut += of->cut;
		unread->nameless += of->nameless;
		unread->total += of->cut + of->nameless;
	}
}
