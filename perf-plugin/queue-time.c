// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code that is executed between two timestamps has the time of the first one.  But threads may
 * switch, and code may be mapped and run, before the second timestamp.  So a thread that a switch
 * names has the time of the switch.  And where code is missing, execution from there on has the
 * time when the code was mapped, and is not decoded before the host has reached that time.  The
 * limit is the time of the second timestamp or, after the last one of a fragment, the end of the
 * fragment.
 */
#include "perf-look.h"
#include "queue-parts.h"

/* The first timestamp of a fragment, or of the part of it that is decoded. */
static int ring_look(const struct perf_queues *q, const struct ring *r,
		     const struct perf_fragment *f, uint64_t *timestamp)
{
	struct perf_fragment rest = *f;
	struct perf_look_at at = { .fragment = &rest };

	if (ring_starts(r)) {
		rest.offset += r->start.pos;
		rest.size -= r->start.pos;
		at.id = r->start.id;
	}
	at.bytes = fragment_bytes(q, &rest);
	return perf_look(q->options.cs, q->nothing, &at, timestamp);
}

bool ring_tells_time(const struct perf_queues *q, const struct ring *r, size_t i)
{
	const struct perf_fragment *f = &q->options.aux->fragment[i];
	uint64_t timestamp = 0;

	return f->flags & PERF_FRAGMENT_PART || !q->options.cs ||
	       ring_look(q, r, f, &timestamp) || timestamp;
}

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
	if (!q->options.cs || (f->flags & PERF_FRAGMENT_PART && !ring_starts(r)))
		return 0;
	err = ring_look(q, r, f, &timestamp);
	time = timestamp ? perf_time_from_counter(&q->options.file->time_conv, timestamp) : f->time;
	/* clocks do not go backwards, but in damaged trace they may */
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

/* And before another stream of the same ring is further back. */
static uint64_t neighbours(const struct ring *r, const struct perf_stream *stream)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < r->n_active; i++)
		if (r->active[i] != stream && !r->active[i]->empty && r->active[i]->next < least)
			least = r->active[i]->next;
	return least;
}

/* The first timestamp in the rest of the current fragment that is not fed yet; 0: none is near. */
static int look_ahead(struct perf_queues *q, const struct ring *r, uint64_t *timestamp)
{
	struct perf_fragment rest = *r->f;
	struct perf_look_at at = { .fragment = &rest };

	rest.offset += r->pos;
	rest.size -= r->pos;
	at.bytes = fragment_bytes(q, &rest);
	return perf_look(q->options.cs, q->nothing, &at, timestamp);
}

/* After the last timestamp of a fragment, it is the time when the fragment was complete. */
static int find_ahead(struct perf_queues *q, const struct ring *r, struct perf_stream *stream)
{
	uint64_t last, above;
	int err = 0;

	if (stream->looked)
		return 0;
	stream->looked = true;
	stream->ahead = 0;
	if (!csf_next_time(stream->dec, 0, &last, &above) && r->pos && r->pos < r->f->size)
		err = look_ahead(q, r, &above);
	if (above)
		stream->ahead = perf_time_from_counter(&q->options.file->time_conv, above);
	else if (r->pos == r->f->size)
		stream->ahead = r->f->time;
	return err;
}

/* A CPU may have written nothing since its last timestamp, but a switch to a thread has a time. */
static void find_switch(const struct perf_queues *q, const struct ring *r,
			struct perf_stream *stream)
{
	const uint64_t to = stream->ahead ? stream->ahead : r->f->time;

	stream->switched = q->ops.came(q->ops.context, stream, stream->time, to);
	stream->time = max(stream->time, stream->switched);
	stream->came = false;
}

static bool has_code(const struct perf_queues *q, const struct perf_stream *stream, int space,
		     uint64_t time)
{
	uint8_t code[2];

	return csf_image_read(q->options.image, space, stream->missing, time, code, sizeof(code));
}

/*
 * Missing code is looked for at each new map, up to the next timestamp.  Maps at @until and later
 * are not known to the host yet.
 */
static int find_code(struct perf_queues *q, struct perf_stream *stream, uint64_t until)
{
	uint64_t time = max(stream->time, stream->next), last = max(time, stream->ahead);
	struct perf_who who;
	int err;

	stream->waits = false;
	while (time < last && time < until) {
		err = q->ops.who(q->ops.context, stream, time, &who);
		if (err)
			return err;
		if (has_code(q, stream, who.space, time))
			break;
		time = who.until > time ? min(who.until, until) : last;
	}
	stream->waits = time == until && time < last;
	stream->next = min(time, last);
	return 0;
}

/* The time of what @stream decodes next. */
static int find_next(struct perf_queues *q, const struct ring *r, struct perf_stream *stream,
		     uint64_t until)
{
	int err = 0;

	stream->sure = true;
	if (q->options.timed && (stream->late || stream->came))
		err = find_ahead(q, r, stream);
	if (err)
		return err;
	if (stream->came)
		find_switch(q, r, stream);
	if (stream->late)
		return find_code(q, stream, until);
	stream->next = stream->time;
	return 0;
}

int ring_earliest(struct perf_queues *q, const struct ring *r, uint64_t until,
		  struct perf_stream **out)
{
	struct perf_stream *best = NULL;
	int err = 0;

	for (size_t i = 0; i < r->n_active && !err; i++) {
		struct perf_stream *stream = r->active[i];

		if (stream->empty)
			continue;
		if (!stream->sure || (stream->waits && stream->next < until))
			err = find_next(q, r, stream, until);
		if (!best || stream->next < best->next)
			best = stream;
	}
	*out = best;
	return err;
}

/* The timestamp at which @stream has to stop, so that no other is further back; 0: none. */
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
		stream->time = max(stream->time, time);
		stream->stamp = max(stream->stamp, time);
		stream->looked = false;
		stream->late = false;
		stream->sure = false;
		break;
	}
}

void stream_be_late(struct perf_stream *stream, uint64_t addr)
{
	stream->missing = addr;
	stream->late = true;
	stream->sure = false;
}
