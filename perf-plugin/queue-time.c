// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is executed behind a timestamp and before the next counts as of the first
 * one.  But code may be mapped in between, and is executed before the second
 * timestamp comes: so where code is missing, and from there on, it counts as of
 * the second one, and is not decoded before the host has got that far.  Behind
 * the last timestamp of a fragment that is the end of the fragment.
 */
#include "perf-look.h"
#include "queue-parts.h"

int ring_look_ahead(struct perf_queues *q, struct ring *r)
{
	const struct perf_fragment *f = &q->options.aux->fragment[r->next];
	uint64_t time, timestamp;
	int err;

	r->looked = true;
	if (r->next == ring_last(r)) {
		r->key = UINT64_MAX;
		return 0;
	}
	if (!q->options.timed) {
		r->key = f->time;
		return 0;
	}
	if (!q->options.cs || f->flags & PERF_FRAGMENT_PART)
		return 0;
	err = perf_look(q->options.cs, q->nothing, f, fragment_bytes(q, f), &timestamp);
	time = timestamp ? perf_time_from_counter(&q->options.file->time_conv, timestamp) : f->time;
	/* clocks do not go back; damaged trace may say so */
	if (time > r->key)
		r->key = time;
	return err;
}

uint64_t ring_others(const struct perf_queues *q, const struct ring *r)
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
	return perf_look(q->options.cs, q->nothing, &rest, fragment_bytes(q, &rest), timestamp);
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

int ring_behind(struct perf_queues *q, const struct ring *r, struct perf_stream **out)
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
	other = min(ring_others(q, r), neighbours(r, stream));
	if (other != UINT64_MAX)
		limit = min(limit, perf_time_to_counter(conv, other) + 1);
	return limit == UINT64_MAX ? 0 : limit + !limit;
}

int ring_prepare(struct perf_queues *q, struct ring *r, struct perf_stream *stream,
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

void stream_pass_times(struct perf_queues *q, struct perf_stream *stream,
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

void stream_be_late(struct perf_stream *stream)
{
	stream->late = true;
	stream->sure = false;
}
