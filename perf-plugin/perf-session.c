// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf-session.h"

/* Bytes of frames looked through for trace IDs at a time. */
#define FRAME	16

/**
 * struct session_queue - an AUX ring being decoded
 * @f: the fragment at hand, or NULL
 * @next: index of the one behind it
 * @pos: bytes of @f fed
 * @key: time it has got to: the queue with the least goes on
 * @frames: NULL: raw, or not begun
 * @stream: of each trace ID; [0]: of raw trace
 * @active: the streams that @f feeds, @n_active of them
 * @turn: index of the one that is being emptied
 * @ended: the decoders have been told of the end of @f
 */
struct session_queue {
	const struct perf_queue *queue;
	const struct perf_fragment *f;
	size_t next;
	uint64_t pos;
	uint64_t key;
	struct csf_frames *frames;
	struct perf_stream *stream[CSF_ID_MAX];
	struct perf_stream *active[CSF_ID_MAX];
	size_t n_active, turn;
	bool ended;
};

/* ---------------------------------------------------------------- open and close */

static int open_all(struct perf_session *s, const char *path)
{
	int err = perf_file_open(&s->file, path);

	if (err)
		return err;
	if (csf_image_new(&s->image))
		return -ENOMEM;
	s->options.dso.release = perf_file_string(s->file, PERF_FEATURE_OSRELEASE);
	err = perf_map_new(&s->map, s->image, &s->options.dso);
	if (!err)
		err = perf_map_open(s->map, s->file);
	if (!err)
		err = perf_aux_new(&s->aux, s->file);
	if (err)
		return err;
	s->why = perf_cs_open(&s->cs, s->file);
	return s->why == -ENOMEM ? -ENOMEM : 0;
}

static int make_queues(struct perf_session *s)
{
	s->n_queue = s->aux->n_queue;
	s->queue = calloc(s->n_queue + 1, sizeof(*s->queue));
	if (!s->queue)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_queue; i++) {
		const struct perf_queue *queue = &s->aux->queue[i];
		struct session_queue *q = &s->queue[i];

		q->queue = queue;
		q->next = queue->first;
		q->key = queue->n && !s->timed ? s->aux->fragment[q->next].time : 0;
		s->total += queue->bytes;
	}
	return 0;
}

int perf_session_new(struct perf_session **out, const char *path,
		     const struct perf_session_options *options)
{
	struct perf_session *s = calloc(1, sizeof(*s));
	int err;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->options = *options;
	err = open_all(s, path);
	if (!err) {
		s->timed = s->cs && !options->timeless && s->cs->timestamps &&
			s->cs->virtual_time && s->file->time_conv.mult;
		err = make_queues(s);
	}
	if (err) {
		perf_session_free(s);
		return err;
	}
	*out = s;
	return 0;
}

void perf_session_free(struct perf_session *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->queue && i < s->n_queue; i++)
		csf_frames_free(s->queue[i].frames);
	for (size_t i = 0; i < s->n_stream; i++) {
		csf_free(s->stream[i]->dec);
		free(s->stream[i]);
	}
	free(s->stream);
	free(s->queue);
	perf_cs_free(s->cs);
	perf_aux_free(s->aux);
	perf_map_free(s->map);
	csf_image_free(s->image);
	perf_file_close(s->file);
	free(s);
}

/* ---------------------------------------------------------------- streams */

static bool wanted(const struct perf_session *s, uint32_t cpu)
{
	for (size_t i = 0; i < s->options.n_cpus; i++)
		if (cpu >= s->options.cpus[i].first && cpu <= s->options.cpus[i].last)
			return true;
	return !s->options.n_cpus;
}

static int stream_new(struct perf_session *s, struct session_queue *q, uint32_t cpu, uint8_t id)
{
	struct perf_stream *stream;
	struct csf_config config;
	int err;

	if (perf_cs_config(s->cs, cpu, &config))
		return 0;
	config.marks = s->options.marks;
	if (s->n_stream == s->size_stream) {
		size_t size = s->size_stream ? 2 * s->size_stream : 8;
		struct perf_stream **p = realloc(s->stream, size * sizeof(*p));

		if (!p)
			return -ENOMEM;
		s->stream = p;
		s->size_stream = size;
	}
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return -ENOMEM;
	err = csf_new(&stream->dec, &config, s->image);
	if (err) {
		free(stream);
		return err == CSF_ERR_MEMORY ? -ENOMEM : 0;
	}
	stream->unit = perf_cs_cpu(s->cs, cpu);
	stream->cpu = cpu;
	stream->id = id;
	stream->number = s->n_stream;
	stream->queue = q - s->queue;
	s->stream[s->n_stream++] = stream;
	q->stream[id] = stream;
	return 0;
}

/*
 * Makes q->stream[@id] that of @cpu; NULL if it cannot be decoded.  The ring of a
 * thread sees one CPU after the other.
 */
static int stream_of(struct perf_session *s, struct session_queue *q, uint32_t cpu, uint8_t id)
{
	if (q->stream[id] && q->stream[id]->cpu == cpu)
		return 0;
	q->stream[id] = NULL;
	for (size_t i = 0; i < s->n_stream; i++) {
		struct perf_stream *stream = s->stream[i];

		if (stream->queue == q - s->queue && stream->cpu == cpu && stream->id == id) {
			q->stream[id] = stream;
			return 0;
		}
	}
	return stream_new(s, q, cpu, id);
}

/* The thread a stream speaks of as long as no context in it says otherwise. */
static uint32_t first_tid(const struct session_queue *q)
{
	return q->queue->tid;
}

/* @q's fragment feeds the trace unit of @cpu under @id. */
static int activate(struct perf_session *s, struct session_queue *q, uint32_t cpu, uint8_t id)
{
	struct perf_stream *stream;
	int err;

	if (cpu == PERF_NO_CPU || !wanted(s, cpu))
		return 0;
	err = stream_of(s, q, cpu, id);
	stream = q->stream[id];
	if (err || !stream)
		return err;
	if (!(q->f->flags & PERF_FRAGMENT_PART)) {
		stream->starts = true;
		stream->tid = first_tid(q);
	}
	if (!s->timed)
		stream->time = q->f->time;
	stream->dirty = true;
	q->active[q->n_active++] = stream;
	if (id && csf_attach(q->frames, id, stream->dec) == CSF_ERR_MEMORY)
		return -ENOMEM;
	return 0;
}

/*
 * Which trace IDs the frames hold, so that a CPU that shares a sink but never
 * traced costs no decoder.  A byte at an even place with bit 0 set is an ID.
 */
static void find_ids(const uint8_t *p, uint64_t n, bool *seen)
{
	memset(seen, 0, CSF_ID_MAX);
	for (; n >= FRAME; n -= FRAME, p += FRAME)
		for (int i = 0; i < FRAME; i += 2)
			if (p[i] & 1)
				seen[p[i] >> 1] = true;
}

static int activate_frames(struct perf_session *s, struct session_queue *q)
{
	struct perf_cs_id id[CSF_ID_MAX];
	bool seen[CSF_ID_MAX], fed[CSF_ID_MAX] = { false };
	size_t n = perf_cs_ids(s->cs, q->f, id);
	int err = 0;

	if (!q->frames && csf_frames_new(&q->frames, CSF_FRAMES_MEMORY, 0))
		return -ENOMEM;
	find_ids(s->file->bytes + q->f->offset, q->f->size, seen);
	for (size_t i = 0; i < n && !err; i++)
		if (id[i].id && (seen[id[i].id] || q->stream[id[i].id])) {
			err = activate(s, q, id[i].cpu, id[i].id);
			fed[id[i].id] = true;
		}
	/* what this fragment cannot hold must not be told of its end */
	for (int i = 1; i < CSF_ID_MAX; i++)
		if (q->stream[i] && !fed[i]) {
			csf_attach(q->frames, i, NULL);
			q->stream[i] = NULL;
		}
	return err;
}

static int begin(struct perf_session *s, struct session_queue *q)
{
	int err;

	q->f = &s->aux->fragment[q->next++];
	q->pos = 0;
	q->turn = 0;
	q->ended = false;
	q->n_active = 0;
	if (!s->cs)
		return 0;
	if (q->f->flags & PERF_FRAGMENT_RAW)
		err = activate(s, q, perf_cs_cpu_of_raw(s->cs, q->f), 0);
	else
		err = activate_frames(s, q);
	if (!err && !q->n_active && !s->options.n_cpus)
		s->no_unit += q->f->size;
	return err;
}

/* ---------------------------------------------------------------- time and space */

uint64_t perf_session_time(const struct perf_session *s, uint64_t timestamp)
{
	if (!s->file->time_conv.mult)
		return 0;
	return perf_time_from_counter(&s->file->time_conv, timestamp);
}

/* How far @q may go before another queue is behind it. */
static uint64_t others(const struct perf_session *s, const struct session_queue *q)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < s->n_queue; i++)
		if (&s->queue[i] != q && s->queue[i].key < least)
			least = s->queue[i].key;
	return least;
}

static uint64_t limit_of(const struct perf_session *s, const struct session_queue *q,
			 const struct perf_stream *stream)
{
	uint64_t other, limit = UINT64_MAX;

	if (!s->timed)
		return 0;
	if (!stream->time)
		return 1;
	if (stream->who.until != UINT64_MAX)
		limit = perf_time_to_counter(&s->file->time_conv, stream->who.until);
	other = others(s, q);
	if (other != UINT64_MAX) {
		other = perf_time_to_counter(&s->file->time_conv, other) + 1;
		if (other < limit)
			limit = other;
	}
	return limit == UINT64_MAX ? 0 : limit + !limit;
}

/* The time to look maps up for. */
static uint64_t map_time(const struct session_queue *q, const struct perf_stream *stream)
{
	if (stream->time)
		return stream->time;
	return q->f->time ? q->f->time : PERF_MAP_LAST;
}

static int prepare(struct perf_session *s, struct session_queue *q, struct perf_stream *stream)
{
	uint64_t time = map_time(q, stream);
	int err;

	if (!stream->dirty)
		return 0;
	err = perf_map_who(s->map, stream->tid, time, &stream->who);
	if (err)
		return err;
	csf_set_space(stream->dec, stream->who.space);
	csf_set_time(stream->dec, time, limit_of(s, q, stream));
	stream->dirty = false;
	return 0;
}

/* The last timestamp of a run is what ended it. */
static void reached(struct perf_session *s, struct session_queue *q, struct perf_stream *stream,
		    const struct csf_run *run)
{
	for (size_t i = run->n_mark; i--;)
		if (run->mark[i].kind == CSF_MARK_TIME) {
			uint64_t time = perf_session_time(s, run->mark[i].value);

			/* clocks of a CPU do not go back; damaged trace may say so */
			if (time > stream->time)
				stream->time = time;
			break;
		}
	if (stream->time > q->key)
		q->key = stream->time;
	stream->dirty = true;
}

/* ---------------------------------------------------------------- decoding */

static void fill(struct perf_session *s, struct session_queue *q, struct perf_run *run)
{
	struct perf_stream *stream = q->active[q->turn];

	run->stream = stream;
	run->fragment = q->f;
	run->who = stream->who;
	run->time = run->run.time;
	run->starts = stream->starts;
	stream->starts = false;
	if (run->run.end == CSF_END_CONTEXT) {
		uint32_t tid = perf_cs_tid(stream->unit, &run->run.to);

		if (tid == PERF_NO_TID)
			tid = first_tid(q);
		if (tid != stream->tid) {
			stream->tid = tid;
			stream->dirty = true;
		}
	}
	if (run->run.end == CSF_END_TIME)
		reached(s, q, stream, &run->run);
}

/* Return: 1 and a run; 0: the decoders are empty; -ENOMEM. */
static int drain(struct perf_session *s, struct session_queue *q, struct perf_run *run)
{
	for (; q->turn < q->n_active; q->turn++) {
		struct perf_stream *stream = q->active[q->turn];
		int ret = prepare(s, q, stream);

		if (!ret)
			ret = csf_next(stream->dec, &run->run);
		if (ret < 0)
			return -ENOMEM;
		if (ret) {
			fill(s, q, run);
			return 1;
		}
	}
	return 0;
}

static int feed(struct perf_session *s, struct session_queue *q)
{
	const uint8_t *p = s->file->bytes + q->f->offset + q->pos;
	uint64_t n = q->f->size - q->pos;
	long fed = n;

	if (!q->n_active) {
		q->pos = q->f->size;
		return 0;
	}
	if (q->f->flags & PERF_FRAGMENT_RAW) {
		if (csf_feed(q->active[0]->dec, p, n))
			return -ENOMEM;
	} else {
		fed = csf_frames_feed(q->frames, p, n);
		if (fed <= 0)
			return -ENOMEM;
	}
	q->pos += fed;
	return 0;
}

/* Return: there was something to tell. */
static bool end(const struct perf_session *s, struct session_queue *q)
{
	size_t last = q->queue->first + q->queue->n;

	if (q->ended || !q->n_active)
		return false;
	q->ended = true;
	if (q->next < last && s->aux->fragment[q->next].flags & PERF_FRAGMENT_PART)
		return false;
	if (q->f->flags & PERF_FRAGMENT_RAW)
		csf_end(q->active[0]->dec);
	else
		csf_frames_end(q->frames);
	return true;
}

static void finish(struct perf_session *s, struct session_queue *q)
{
	s->done += q->f->size;
	/* maps and threads up to here are known to have been */
	for (size_t i = 0; s->timed && i < q->n_active; i++)
		if (q->active[i]->time > q->key)
			q->key = q->active[i]->time;
	q->f = NULL;
	if (q->next == q->queue->first + q->queue->n)
		q->key = UINT64_MAX;
	else if (!s->timed)
		q->key = s->aux->fragment[q->next].time;
}

static struct session_queue *pick(struct perf_session *s)
{
	struct session_queue *best = NULL;

	for (size_t i = 0; i < s->n_queue; i++) {
		struct session_queue *q = &s->queue[i];

		if (!q->f && q->next == q->queue->first + q->queue->n)
			continue;
		if (!best || q->key < best->key)
			best = q;
	}
	return best;
}

int perf_session_next(struct perf_session *s, struct perf_run *run)
{
	int ret;

	for (;;) {
		struct session_queue *q = s->current ? s->current : pick(s);

		if (!q)
			return 0;
		s->current = q;
		if (!q->f) {
			ret = begin(s, q);
			if (ret)
				return ret;
		}
		ret = drain(s, q, run);
		if (ret) {
			if (ret > 0 && run->run.end == CSF_END_TIME)
				s->current = NULL;
			return ret;
		}
		q->turn = 0;
		if (q->pos < q->f->size) {
			ret = feed(s, q);
			if (ret)
				return ret;
		} else if (!end(s, q)) {
			finish(s, q);
			s->current = NULL;
		}
	}
}

bool perf_session_frames(const struct perf_session *s, size_t queue,
			 struct csf_frame_stats *stats)
{
	*stats = (struct csf_frame_stats){ .size = sizeof(*stats) };
	if (queue >= s->n_queue || !s->queue[queue].frames)
		return false;
	csf_frames_stats(s->queue[queue].frames, stats);
	return true;
}
