// SPDX-License-Identifier: GPL-2.0-only
/*
 * Of all rings the one that is furthest behind goes on, until another one is
 * behind it.
 *
 * What is executed behind a timestamp and before the next counts as of the first
 * one.  But code may be mapped in between, and is executed before the second
 * timestamp comes: so where code is missing, and from there on, it counts as of
 * the second one, and is not decoded before the host has got that far.  Behind
 * the last timestamp of a fragment that is the end of the fragment.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf-look.h"
#include "perf-queues.h"

/* So much of the file, about, stays in memory. */
#define READ_MAX	(1u << 20)

/* Raw trace is fed in pieces. */
#define FEED		(256u << 10)

/* With commit_tail: what decoders have been asked for where a fragment ends. */
enum ring_tail { TAIL_NONE, TAIL_FLUSHED, TAIL_COMMITTED, TAIL_ENDED };

/**
 * struct ring - an AUX ring being decoded
 * @queue: its fragments
 * @f: the fragment at hand, or NULL
 * @next: index of the one behind it
 * @pos: bytes of @f fed
 * @key: time it has got to: the ring with the least goes on
 * @looked: @key is that of the fragment @next
 * @frames: NULL: raw, or not begun
 * @stream: of each trace ID; [0]: of raw trace
 * @active: the streams that @f feeds, @n_active of them
 * @at: the one that was told last how far it may go
 * @tail: how far the end of @f is
 */
struct ring {
	const struct perf_queue *queue;
	const struct perf_fragment *f;
	size_t next;
	uint64_t pos;
	uint64_t key;
	bool looked;
	struct csf_frames *frames;
	struct perf_stream *stream[CSF_ID_MAX];
	struct perf_stream *active[CSF_ID_MAX];
	size_t n_active;
	const struct perf_stream *at;
	enum ring_tail tail;
};

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static size_t last_of(const struct ring *r)
{
	return r->queue->first + r->queue->n;
}

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
	for (size_t i = 0; q->ring && i < q->n_ring; i++)
		csf_frames_free(q->ring[i].frames);
	for (size_t i = 0; i < q->n_stream; i++) {
		csf_free(q->stream[i]->dec);
		free(q->stream[i]);
	}
	csf_image_free(q->nothing);
	free(q->stream);
	free(q->ring);
	free(q);
}

/* ---------------------------------------------------------------- streams */

/* Memory does not grow with what was read of the file. */
static void count_read(struct perf_queues *q, uint64_t n)
{
	q->read += n;
	if (q->read < READ_MAX)
		return;
	perf_file_drop(q->options.file);
	q->read = 0;
}

static bool wanted(const struct perf_queues *q, uint32_t cpu)
{
	for (size_t i = 0; i < q->options.n_cpus; i++)
		if (cpu >= q->options.cpus[i].first && cpu <= q->options.cpus[i].last)
			return true;
	return !q->options.n_cpus;
}

/* Room for one more stream.  Return: 0, -ENOMEM. */
static int make_room(struct perf_queues *q)
{
	size_t size = q->size_stream ? 2 * q->size_stream : 8;
	struct perf_stream **p;

	if (q->n_stream < q->size_stream)
		return 0;
	p = realloc(q->stream, size * sizeof(*p));
	if (!p)
		return -ENOMEM;
	q->stream = p;
	q->size_stream = size;
	return 0;
}

/* A CPU whose protocol cannot be decoded gets no stream, and that is no error. */
static int stream_new(struct perf_queues *q, struct ring *r, uint32_t cpu, uint8_t id)
{
	struct perf_stream *stream;
	struct csf_config config;
	int err;

	if (perf_cs_config(q->options.cs, cpu, &config))
		return 0;
	config.marks = q->options.marks;
	if (make_room(q))
		return -ENOMEM;
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return -ENOMEM;
	err = csf_new(&stream->dec, &config, q->options.image);
	if (err) {
		free(stream);
		return err == CSF_ERR_MEMORY ? -ENOMEM : 0;
	}
	csf_ask_code(stream->dec, q->options.timed);
	stream->unit = perf_cs_cpu(q->options.cs, cpu);
	stream->cpu = cpu;
	stream->id = id;
	stream->number = q->n_stream;
	stream->queue = r - q->ring;
	q->stream[q->n_stream++] = stream;
	r->stream[id] = stream;
	return 0;
}

/*
 * Makes r->stream[@id] that of @cpu; NULL if it cannot be decoded.  The ring of a
 * thread sees one CPU after the other.
 */
static int stream_of(struct perf_queues *q, struct ring *r, uint32_t cpu, uint8_t id)
{
	if (r->stream[id] && r->stream[id]->cpu == cpu)
		return 0;
	r->stream[id] = NULL;
	for (size_t i = 0; i < q->n_stream; i++) {
		struct perf_stream *stream = q->stream[i];

		if (stream->queue == r - q->ring && stream->cpu == cpu && stream->id == id) {
			r->stream[id] = stream;
			return 0;
		}
	}
	return stream_new(q, r, cpu, id);
}

/* The thread a stream speaks of as long as no context in it says otherwise. */
static uint32_t first_tid(const struct ring *r)
{
	return r->queue->tid;
}

/* @r's fragment feeds the trace unit of @cpu under @id. */
static int activate(struct perf_queues *q, struct ring *r, uint32_t cpu, uint8_t id)
{
	struct perf_stream *stream;
	int err;

	if (cpu == PERF_NO_CPU || !wanted(q, cpu))
		return 0;
	err = stream_of(q, r, cpu, id);
	stream = r->stream[id];
	if (err || !stream)
		return err;
	if (!(r->f->flags & PERF_FRAGMENT_PART)) {
		stream->starts = true;
		stream->tid = first_tid(r);
		stream->context = (struct csf_context){ 0 };
	}
	if (!q->options.timed)
		stream->time = r->f->time;
	else if (r->key > stream->time)
		stream->time = r->key;
	stream->fragment = r->f;
	stream->dirty = true;
	stream->empty = false;
	stream->sure = false;
	stream->late = false;
	r->active[r->n_active++] = stream;
	if (id && csf_attach(r->frames, id, stream->dec) == CSF_ERR_MEMORY)
		return -ENOMEM;
	return 0;
}

static const uint8_t *bytes_of(const struct perf_queues *q, const struct perf_fragment *f)
{
	return q->options.file->bytes + f->offset;
}

static bool all_seen(const struct perf_cs_id *id, size_t n, const bool *seen)
{
	for (size_t i = 0; i < n; i++)
		if (!seen[id[i].id])
			return false;
	return true;
}

/*
 * A CPU that shares a sink but never traced shall cost no decoder.  As much of the
 * fragment as it takes to see all of the @n IDs.
 */
static void find_all_ids(struct perf_queues *q, const struct perf_fragment *f,
			 const struct perf_cs_id *id, size_t n, bool *seen)
{
	for (uint64_t at = 0; at < f->size && !all_seen(id, n, seen); at += READ_MAX) {
		perf_look_ids(bytes_of(q, f) + at, min(f->size - at, READ_MAX), seen);
		count_read(q, READ_MAX);
	}
}

static int activate_frames(struct perf_queues *q, struct ring *r)
{
	struct perf_cs_id id[CSF_ID_MAX];
	bool seen[CSF_ID_MAX] = { false }, fed[CSF_ID_MAX] = { false };
	size_t n = perf_cs_ids(q->options.cs, r->f, id);
	int err = 0;

	if (!r->frames && csf_frames_new(&r->frames, CSF_FRAMES_MEMORY, 0))
		return -ENOMEM;
	find_all_ids(q, r->f, id, n, seen);
	for (size_t i = 0; i < n && !err; i++)
		if (id[i].id && (seen[id[i].id] || r->stream[id[i].id])) {
			err = activate(q, r, id[i].cpu, id[i].id);
			fed[id[i].id] = true;
		}
	/* what this fragment cannot hold must not be told of its end */
	for (int i = 1; i < CSF_ID_MAX; i++)
		if (r->stream[i] && !fed[i]) {
			csf_attach(r->frames, i, NULL);
			r->stream[i] = NULL;
		}
	return err;
}

static int begin(struct perf_queues *q, struct ring *r)
{
	int err;

	r->f = &q->options.aux->fragment[r->next++];
	r->looked = false;
	r->pos = 0;
	r->tail = TAIL_NONE;
	r->n_active = 0;
	r->at = NULL;
	if (!q->options.cs)
		return 0;
	if (r->f->flags & PERF_FRAGMENT_RAW)
		err = activate(q, r, perf_cs_cpu_of_raw(q->options.cs, r->f), 0);
	else
		err = activate_frames(q, r);
	if (!err && !r->n_active && !q->options.n_cpus)
		q->no_unit += r->f->size;
	return err;
}

/* ---------------------------------------------------------------- time and space */

/* Sets r->key: when the fragment to come begins, or UINT64_MAX behind the last one. */
static int look_ahead(struct perf_queues *q, struct ring *r)
{
	const struct perf_fragment *f = &q->options.aux->fragment[r->next];
	uint64_t time, timestamp;
	int err;

	r->looked = true;
	if (r->next == last_of(r)) {
		r->key = UINT64_MAX;
		return 0;
	}
	if (!q->options.timed) {
		r->key = f->time;
		return 0;
	}
	if (!q->options.cs || f->flags & PERF_FRAGMENT_PART)
		return 0;
	err = perf_look(q->options.cs, q->nothing, f, bytes_of(q, f), &timestamp);
	time = timestamp ? perf_time_from_counter(&q->options.file->time_conv, timestamp) : f->time;
	/* clocks do not go back; damaged trace may say so */
	if (time > r->key)
		r->key = time;
	return err;
}

/* How far @r may go before another ring is behind it. */
static uint64_t others(const struct perf_queues *q, const struct ring *r)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < q->n_ring; i++)
		if (&q->ring[i] != r && q->ring[i].key < least)
			least = q->ring[i].key;
	return least;
}

/* And before another stream of the same ring is. */
static uint64_t neighbours(const struct ring *r, const struct perf_stream *stream)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < r->n_active; i++)
		if (r->active[i] != stream && !r->active[i]->empty && r->active[i]->next < least)
			least = r->active[i]->next;
	return least;
}

/* The first timestamp in what is not fed yet of the fragment at hand; 0: none is near. */
static int look_behind(struct perf_queues *q, const struct ring *r, uint64_t *timestamp)
{
	struct perf_fragment rest = *r->f;

	rest.offset += r->pos;
	rest.size -= r->pos;
	return perf_look(q->options.cs, q->nothing, &rest, bytes_of(q, &rest), timestamp);
}

/* As of when what @stream decodes next counts. */
static int find_next(struct perf_queues *q, const struct ring *r, struct perf_stream *stream)
{
	uint64_t last, above;
	int err = 0;

	stream->sure = true;
	stream->next = stream->time;
	if (!q->options.timed || !stream->late)
		return 0;
	if (!csf_peek_time(stream->dec, 0, &last, &above) && r->pos && r->pos < r->f->size)
		err = look_behind(q, r, &above);
	if (above)
		stream->next = perf_time_from_counter(&q->options.file->time_conv, above);
	else if (r->pos == r->f->size)
		stream->next = r->f->time;
	/* clocks do not go back; damaged trace may say so */
	if (stream->next < stream->time)
		stream->next = stream->time;
	return err;
}

/* Of the streams that have something, the one that is furthest behind, in @out; or NULL. */
static int behind(struct perf_queues *q, const struct ring *r, struct perf_stream **out)
{
	struct perf_stream *best = NULL;
	int err = 0;

	for (size_t i = 0; i < r->n_active && !err; i++) {
		struct perf_stream *stream = r->active[i];

		if (stream->empty)
			continue;
		if (!stream->sure)
			err = find_next(q, r, stream);
		if (!best || stream->next < best->next)
			best = stream;
	}
	*out = best;
	return err;
}

/* The timestamp at which @stream is to stop, so that nobody is behind it; 0: none. */
static uint64_t limit_of(const struct perf_queues *q, const struct ring *r,
			 const struct perf_stream *stream, uint64_t until)
{
	const struct perf_time_conv *conv = &q->options.file->time_conv;
	uint64_t limit = UINT64_MAX, other;

	if (!q->options.timed)
		return 0;
	/* from there on it is not late any more */
	if (stream->late && stream->next > stream->time)
		return perf_time_to_counter(conv, stream->next);
	until = min(until, stream->who.until);
	if (until != UINT64_MAX)
		limit = perf_time_to_counter(conv, until);
	other = min(others(q, r), neighbours(r, stream));
	if (other != UINT64_MAX)
		limit = min(limit, perf_time_to_counter(conv, other) + 1);
	return limit == UINT64_MAX ? 0 : limit + !limit;
}

static int prepare(struct perf_queues *q, struct ring *r, struct perf_stream *stream,
		   uint64_t until)
{
	uint64_t time = stream->next ? stream->next : r->f->time;
	int err;

	if (!stream->dirty && stream == r->at && until == stream->until && time == stream->told)
		return 0;
	if (stream->dirty || until != stream->until || time >= stream->who.until) {
		err = q->ops.who(q->ops.context, stream, time, &stream->who);
		if (err)
			return err;
		csf_set_space(stream->dec, stream->who.space);
		stream->dirty = false;
	}
	csf_set_time(stream->dec, time, limit_of(q, r, stream, until));
	stream->told = time;
	stream->until = until;
	r->at = stream;
	return 0;
}

/* Timestamps in a run. */
static void pass_times(struct perf_queues *q, struct perf_stream *stream,
		       const struct csf_run *run)
{
	uint64_t time;

	for (size_t i = run->n_mark; i--;) {
		if (run->mark[i].kind != CSF_MARK_TIME)
			continue;
		time = perf_time_from_counter(&q->options.file->time_conv, run->mark[i].value);
		if (time > stream->time)
			stream->time = time;
		stream->late = false;
		stream->sure = false;
		break;
	}
}

/* Code is missing: it may have been mapped since the last timestamp. */
static void be_late(struct perf_stream *stream)
{
	stream->late = true;
	stream->sure = false;
}

/* ---------------------------------------------------------------- decoding */

/* A context packet: another thread, or another level of the same one. */
static void enter(struct ring *r, struct perf_stream *stream, const struct csf_context *to)
{
	uint32_t tid = perf_cs_tid(stream->unit, to);

	if (tid == PERF_NO_TID)
		tid = first_tid(r);
	/* with the kernel at EL2 what runs at EL1 is a guest's */
	stream->dirty |= tid != stream->tid ||
			 (stream->unit->pid == PERF_CS_PID_VMID &&
			  (to->el == 1) != (stream->context.el == 1));
	stream->tid = tid;
	stream->context = *to;
}

static void fill(struct perf_queues *q, struct ring *r, struct perf_stream *stream,
		 struct perf_run *run)
{
	run->stream = stream;
	run->fragment = r->f;
	run->who = stream->who;
	run->time = run->run.time;
	run->starts = stream->starts;
	stream->starts = false;
	if (q->options.timed)
		pass_times(q, stream, &run->run);
	if (run->run.end == CSF_END_CONTEXT)
		enter(r, stream, &run->run.to);
	if (run->run.end == CSF_END_CODE && q->options.timed)
		be_late(stream);
}

/* Return: 1 and a run; 0: it is another one's turn, or the decoders are empty; as advance(). */
static int drain(struct perf_queues *q, struct ring *r, uint64_t until, struct perf_run *run)
{
	struct perf_stream *stream;
	int ret;

	while (!(ret = behind(q, r, &stream)) && stream) {
		if (q->options.timed) {
			r->key = stream->next;
			if ((r->key >= until && until != UINT64_MAX) || r->key > others(q, r)) {
				q->current = NULL;
				return 0;
			}
		}
		ret = prepare(q, r, stream, until);
		if (ret)
			return ret;
		ret = csf_next(stream->dec, &run->run);
		if (ret < 0)
			return -ENOMEM;
		if (ret) {
			fill(q, r, stream, run);
			return 1;
		}
		stream->empty = true;
	}
	return ret;
}

/* There may be something in all of them. */
static void refill(struct ring *r)
{
	for (size_t i = 0; i < r->n_active; i++) {
		r->active[i]->empty = false;
		r->active[i]->sure = false;
	}
	r->at = NULL;
}

/* The next fragment is a part of the same one. */
static bool goes_on(const struct perf_queues *q, const struct ring *r)
{
	return r->next < last_of(r) &&
	       q->options.aux->fragment[r->next].flags & PERF_FRAGMENT_PART;
}

/*
 * No more will come of the fragment: said as soon as its last byte is fed, so that a look ahead
 * sees all of it.
 */
static void end(const struct perf_queues *q, struct ring *r)
{
	if (goes_on(q, r))
		return;
	if (r->f->flags & PERF_FRAGMENT_RAW)
		csf_end(r->active[0]->dec);
	else
		csf_frames_end(r->frames);
}

static int feed(struct perf_queues *q, struct ring *r)
{
	const uint8_t *p = bytes_of(q, r->f) + r->pos;
	uint64_t n = r->f->size - r->pos;
	long fed;

	if (!r->n_active) {
		r->pos = r->f->size;
		return 0;
	}
	if (r->f->flags & PERF_FRAGMENT_RAW) {
		fed = min(n, FEED);
		if (csf_feed(r->active[0]->dec, p, fed))
			return -ENOMEM;
	} else {
		fed = csf_frames_feed(r->frames, p, n);
		if (fed <= 0)
			return -ENOMEM;
	}
	count_read(q, fed);
	r->pos += fed;
	if (r->pos == r->f->size && !q->options.commit_tail)
		end(q, r);
	refill(r);
	return 0;
}

/*
 * The decoders are used up: what they hold back is decoded, then what is undecided, and only then
 * they are told of the end.  Return: there may be something again.
 */
static bool commit_tail(const struct perf_queues *q, struct ring *r)
{
	if (r->tail == TAIL_ENDED || !r->n_active || goes_on(q, r))
		return false;
	for (size_t i = 0; i < r->n_active && r->tail < TAIL_COMMITTED; i++) {
		if (r->tail == TAIL_NONE)
			csf_flush(r->active[i]->dec, true);
		else
			csf_commit(r->active[i]->dec);
	}
	if (r->tail == TAIL_COMMITTED)
		end(q, r);
	r->tail++;
	refill(r);
	return true;
}

static void finish(struct perf_queues *q, struct ring *r)
{
	q->done += r->f->size;
	/* maps and threads up to here are known to have been */
	for (size_t i = 0; q->options.timed && i < r->n_active; i++)
		if (r->active[i]->time > r->key)
			r->key = r->active[i]->time;
	r->f = NULL;
}

/* A fragment is complete at its time: what is asked for may lie before it or behind it. */
static bool outside(const struct perf_queues *q, const struct ring *r)
{
	const struct perf_fragment *f = &q->options.aux->fragment[r->next];
	uint64_t begin = q->options.timed ? r->key : r->next > r->queue->first ? f[-1].time : 0;

	if (f->flags & PERF_FRAGMENT_PART)
		return false;
	return (f->time && f->time < q->options.from) ||
	       (q->options.until && begin > q->options.until);
}

/* Passes over fragments that are not asked for, those that go on with them included. */
static int skip(struct perf_queues *q, struct ring *r)
{
	int err = 0;

	while (!err && !r->f && r->next < last_of(r) && outside(q, r)) {
		do
			q->done += q->options.aux->fragment[r->next++].size;
		while (r->next < last_of(r) &&
		       q->options.aux->fragment[r->next].flags & PERF_FRAGMENT_PART);
		err = look_ahead(q, r);
	}
	return err;
}

/* The ring that is furthest behind; NULL: all are done, or have got to @until. */
static int pick(struct perf_queues *q, uint64_t until, struct ring **out)
{
	struct ring *best = NULL;

	for (size_t i = 0; i < q->n_ring; i++) {
		struct ring *r = &q->ring[i];
		int err = 0;

		if (!r->f && !r->looked) {
			err = look_ahead(q, r);
			if (!err)
				err = skip(q, r);
		}
		if (err)
			return err;
		if (!r->f && r->next == last_of(r))
			continue;
		if (!best || r->key < best->key)
			best = r;
	}
	*out = best && (best->key < until || until == UINT64_MAX) ? best : NULL;
	return 0;
}

/* Goes on with @r.  Return: 1 and a run; 0: look around; as drain(). */
static int advance(struct perf_queues *q, struct ring *r, uint64_t until, struct perf_run *run)
{
	int ret = r->f ? 0 : begin(q, r);

	if (ret)
		return ret;
	ret = drain(q, r, until, run);
	if (ret || !q->current)
		return ret;
	if (r->pos < r->f->size)
		return feed(q, r);
	if (q->options.commit_tail && commit_tail(q, r))
		return 0;
	finish(q, r);
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

bool perf_queues_frames(const struct perf_queues *q, size_t queue, struct csf_frame_stats *stats)
{
	*stats = (struct csf_frame_stats){ .size = sizeof(*stats) };
	if (queue >= q->n_ring || !q->ring[queue].frames)
		return false;
	csf_frames_stats(q->ring[queue].frames, stats);
	return true;
}
