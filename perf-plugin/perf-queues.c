// SPDX-License-Identifier: GPL-2.0-only
/*
 * Of all rings the one that is furthest behind goes on, until another one is
 * behind it.
 */
#include <errno.h>
#include <stdlib.h>

#include "queue-parts.h"

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

/* ---------------------------------------------------------------- decoding */

/* A context packet: another thread, or another level of the same one. */
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

/*
 * A decoder holds back the last bytes that were fed.  CPUs that share a ring are not to wait for
 * those that write little: what comes next may be younger than all that the others have.
 */
static void use_up(const struct ring *r, struct perf_stream *stream)
{
	stream->empty = stream->flushed || r->n_active == 1 || csf_flush(stream->dec, false);
	stream->flushed = true;
}

/* Return: 1 and a run; 0: it is another one's turn, or the decoders are empty; as advance(). */
static int drain(struct perf_queues *q, struct ring *r, uint64_t until, struct perf_run *run)
{
	struct perf_stream *stream;
	int ret;

	while (!(ret = ring_behind(q, r, until, &stream)) && stream) {
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

/* ---------------------------------------------------------------- which one goes on */

/* Index of the fragment behind @i that does not go on with it. */
static size_t behind(const struct perf_queues *q, const struct ring *r, size_t i)
{
	do
		i++;
	while (i < ring_last(r) && q->options.aux->fragment[i].flags & PERF_FRAGMENT_PART);
	return i;
}

/* A fragment is complete at its time: was that before what is asked for? */
static bool before(const struct perf_queues *q, size_t i)
{
	const struct perf_fragment *f = &q->options.aux->fragment[i];

	return f->time && f->time < q->options.from;
}

/*
 * What is asked for may lie before a fragment or behind it.  Of those behind which it lies the last
 * is wanted if there are timestamps: it has those from which times at the edge are estimated.
 */
static bool outside(const struct perf_queues *q, const struct ring *r)
{
	const struct perf_fragment *f = &q->options.aux->fragment[r->next];
	uint64_t begin = q->options.timed ? r->key : r->next > r->queue->first ? f[-1].time : 0;
	size_t next = behind(q, r, r->next);

	if (f->flags & PERF_FRAGMENT_PART)
		return false;
	if (q->options.until && begin > q->options.until)
		return true;
	return before(q, r->next) &&
	       (!q->options.timed || next == ring_last(r) || before(q, next));
}

/* Passes over fragments that are not asked for, those that go on with them included. */
static int skip(struct perf_queues *q, struct ring *r)
{
	int err = 0;

	while (!err && !r->f && r->next < ring_last(r) && outside(q, r)) {
		for (size_t next = behind(q, r, r->next); r->next < next; r->next++)
			q->done += q->options.aux->fragment[r->next].size;
		err = ring_look_ahead(q, r);
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

/* Goes on with @r.  Return: 1 and a run; 0: look around; as drain(). */
static int advance(struct perf_queues *q, struct ring *r, uint64_t until, struct perf_run *run)
{
	int ret = r->f ? 0 : ring_begin(q, r);

	if (ret)
		return ret;
	ret = drain(q, r, until, run);
	if (ret || !q->current)
		return ret;
	if (r->pos < r->f->size)
		return ring_feed(q, r);
	ring_finish(q, r);
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
