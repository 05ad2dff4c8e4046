// SPDX-License-Identifier: GPL-2.0-only
/* The fragments of a ring, one after the other, and their streams. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../decoder/csflow-debug.h"
#include "array.h"
#include "perf-look.h"
#include "perf-walk.h"
#include "queue-parts.h"

/* With one CPU the first frame is enough; bytes that are looked at are read from memory again. */
#define LOOK_FIRST	4096u

/* ---------------------------------------------------------------- streams */

/* Counts @n bytes read at @offset, to keep memory from growing with what was read of the file. */
static void count_read(struct perf_queues *q, uint64_t offset, uint64_t n)
{
	if (!q->read || offset < q->read_from)
		q->read_from = offset;
	if (!q->read || offset + n > q->read_to)
		q->read_to = offset + n;
	q->read += n;
	if (q->read < PERF_FILE_READ)
		return;
	perf_file_drop_part(q->options.file, q->read_from, q->read_to);
	q->read = 0;
}

static bool wanted(const struct perf_queues *q, uint32_t cpu)
{
	for (size_t i = 0; i < q->options.n_cpus; i++)
		if (cpu >= q->options.cpus[i].first && cpu <= q->options.cpus[i].last)
			return true;
	return !q->options.n_cpus;
}

static bool wants_paths(const struct perf_queues *q, const struct perf_cs_cpu *unit)
{
	const uint32_t marks = q->options.marks ? q->options.marks : CSF_MARK_DEFAULT;

	return q->options.paths && !(marks & CSF_MARK_CYCLES && unit->cycles);
}

/*
 * A trace unit whose protocol is not decoded, or has no execution, gets no stream; its bytes count
 * as those of no unit.  This is not an error.
 */
static int stream_new(struct perf_queues *q, struct ring *r, uint32_t cpu, uint8_t id)
{
	struct perf_stream *stream;
	struct csf_config config;
	int err;

	if (perf_cs_config(q->options.cs, cpu, &config))
		return 0;
	config.marks = q->options.marks;
	config.without = q->options.without;
	if (!array_room(&q->stream, q->n_stream, &q->size_stream, sizeof(*q->stream)))
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
	csf_ask_paths(stream->dec, wants_paths(q, perf_cs_cpu(q->options.cs, cpu)));
	/* without memory for it there is no decode ahead */
	if (q->options.threads)
		csf_set_threads(stream->dec, q->options.threads);
	stream->unit = perf_cs_cpu(q->options.cs, cpu);
	stream->cpu = cpu;
	stream->id = id;
	stream->number = q->n_stream;
	stream->queue = r - q->ring;
	q->stream[q->n_stream++] = stream;
	r->stream[id] = stream;
	return 0;
}

/* Takes @id of the current fragment from the stream that had it. */
static void detach(struct ring *r, uint8_t id)
{
	if (id && r->stream[id])
		csf_attach(r->frames, id, NULL);
	r->stream[id] = NULL;
}

/*
 * Makes r->stream[@id] the stream of @cpu; NULL if it cannot be decoded.  The ring of a thread has
 * one CPU after the other.
 */
static int stream_of(struct perf_queues *q, struct ring *r, uint32_t cpu, uint8_t id)
{
	if (r->stream[id] && r->stream[id]->cpu == cpu)
		return 0;
	detach(r, id);
	for (size_t i = 0; i < q->n_stream; i++) {
		struct perf_stream *stream = q->stream[i];

		if (stream->queue == r - q->ring && stream->cpu == cpu && stream->id == id) {
			r->stream[id] = stream;
			return 0;
		}
	}
	return stream_new(q, r, cpu, id);
}

/* The fragment of @r has trace of @cpu under @id. */
static int activate(struct perf_queues *q, struct ring *r, uint32_t cpu, uint8_t id)
{
	struct csf_stats stats = { .size = sizeof(stats) };
	struct perf_stream *stream;
	int err;

	if (cpu == PERF_NO_CPU || !wanted(q, cpu)) {
		detach(r, id);
		return 0;
	}
	err = stream_of(q, r, cpu, id);
	stream = r->stream[id];
	if (err || !stream)
		return err;
	if (!(r->f->flags & PERF_FRAGMENT_PART) || r->pos) {
		stream->starts = true;
		stream->tid = ring_tid(r);
		stream->guest = false;
		stream->context = (struct csf_context){ 0 };
	}
	if (!q->options.timed)
		stream->time = r->f->time;
	else if (r->key > stream->time)
		stream->time = r->key;
	csf_stats(stream->dec, &stats);
	stream->begin = stats.bytes;
	stream->fragment = r->f;
	stream->stamp = 0;
	stream->dirty = true;
	stream->empty = false;
	stream->flushed = false;
	stream->looked = false;
	stream->sure = false;
	stream->late = false;
	stream->came = false;
	stream->switched = 0;
	r->active[r->n_active++] = stream;
	if (id && csf_attach(r->frames, id, stream->dec) == CSF_ERR_MEMORY)
		return -ENOMEM;
	return 0;
}

/* All of them that are wanted. */
static bool all_seen(const struct perf_queues *q, const struct perf_cs_id *id, size_t n,
		     const bool *seen)
{
	for (size_t i = 0; i < n; i++)
		if (!seen[id[i].id] && wanted(q, id[i].cpu))
			return false;
	return true;
}

/*
 * A CPU that shares a sink but has no trace should not cost a decoder.  Reads as much of the
 * fragment as it takes to find all of the @n IDs.
 */
static void find_all_ids(struct perf_queues *q, const struct perf_fragment *f,
			 const struct perf_cs_id *id, size_t n, bool *seen)
{
	uint64_t piece = LOOK_FIRST, passed = f->offset, some;

	for (uint64_t at = 0; at < f->size && !all_seen(q, id, n, seen); at += some) {
		some = min(f->size - at, piece);
		perf_look_ids(fragment_bytes(q, f) + at, some, seen);
		perf_store_pass(q->options.file, &passed, f->offset + at + some);
		piece = min(2 * piece, PERF_FILE_READ);
	}
}

static int activate_frames(struct perf_queues *q, struct ring *r)
{
	struct perf_cs_id id[CSF_ID_MAX];
	bool seen[CSF_ID_MAX] = { false }, fed[CSF_ID_MAX] = { false };
	size_t n = perf_cs_ids(q->options.cs, r->f, id);
	int err = 0;

	if (!r->frames && csf_frames_new(&r->frames, CSF_FRAMES_MEMORY,
					 q->options.without & CSF_WITHOUT_FRAMES))
		return -ENOMEM;
	find_all_ids(q, r->f, id, n, seen);
	for (size_t i = 0; i < n && !err; i++)
		if (id[i].id && (seen[id[i].id] || r->stream[id[i].id])) {
			err = activate(q, r, id[i].cpu, id[i].id);
			fed[id[i].id] = true;
		}
	/* streams that cannot be in this fragment must not be told of its end */
	for (int i = 1; i < CSF_ID_MAX; i++)
		if (!fed[i])
			detach(r, i);
	return err;
}

/* In the middle of a fragment the first frames may not give their ID. */
static int say_id(const struct ring *r)
{
	uint8_t frame[PERF_FRAME];

	if (!r->frames || !r->pos || !r->start.id)
		return 0;
	perf_look_frame(frame, r->start.id);
	return csf_frames_feed(r->frames, frame, sizeof(frame)) < 0 ? -ENOMEM : 0;
}

/* Some fragments are only needed for their timestamps, or for what follows these. */
static bool asked(const struct perf_queues *q, const struct ring *r)
{
	const uint64_t until = q->options.until ? q->options.until : UINT64_MAX;
	size_t i = r->next - 1;

	while (i > r->queue->first && q->options.aux->fragment[i].flags & PERF_FRAGMENT_PART)
		i--;
	return (!r->f->time || r->f->time >= q->options.from) && ring_since(q, r, i) <= until;
}

int ring_begin(struct perf_queues *q, struct ring *r)
{
	int err;

	r->pos = ring_starts(r) ? r->start.pos : 0;
	r->f = &q->options.aux->fragment[r->next++];
	r->looked = false;
	r->asked = asked(q, r);
	r->n_active = 0;
	r->at = NULL;
	if (!q->options.cs)
		return 0;
	if (r->f->flags & PERF_FRAGMENT_RAW)
		err = activate(q, r, perf_cs_cpu_of_raw(q->options.cs, r->f), 0);
	else
		err = activate_frames(q, r);
	if (!err)
		err = say_id(r);
	if (!err && !r->n_active && !q->options.n_cpus) {
		q->no_unit += r->f->size;
		if (r->asked && r->f->flags & PERF_FRAGMENT_RAW)
			q->raw += r->f->size;
	}
	return err;
}

/* ---------------------------------------------------------------- feeding */

/* All of them may have something. */
static void refill(struct ring *r)
{
	for (size_t i = 0; i < r->n_active; i++) {
		r->active[i]->empty = false;
		r->active[i]->flushed = false;
		r->active[i]->looked = false;
		r->active[i]->sure = false;
	}
	r->at = NULL;
}

/* Is the next fragment a continuation of this one? */
static bool goes_on(const struct perf_queues *q, const struct ring *r)
{
	return r->next < ring_last(r) &&
	       q->options.aux->fragment[r->next].flags & PERF_FRAGMENT_PART;
}

/*
 * No more bytes of the fragment follow: called as soon as its last byte is fed, so that a look
 * ahead sees all of it.
 */
static void end(const struct perf_queues *q, struct ring *r)
{
	if (goes_on(q, r))
		return;
	if (r->f->flags & PERF_FRAGMENT_RAW)
		csf_end(r->active[0]->dec);
	else
		csf_frames_end(r->frames);
	for (size_t i = 0; q->options.commit_tail && i < r->n_active; i++)
		csf_commit(r->active[i]->dec);
}

/* Number of bytes of @f from @pos on that are fed at a time. */
static uint64_t some_bytes(const struct perf_fragment *f, uint64_t pos)
{
	return min(f->size - pos, PERF_START_ALIGN - pos % PERF_START_ALIGN);
}

/* Number of bytes of the fragment that are fed next. */
static uint64_t next_bytes(const struct ring *r)
{
	return some_bytes(r->f, r->pos);
}

static void tell(struct perf_queues *q, struct ring *r, const struct perf_fragment *f, uint64_t pos)
{
	const uint8_t *p = fragment_bytes(q, f) + pos;

	if (f->flags & PERF_FRAGMENT_RAW)
		csf_feed_ahead(r->active[0]->dec, p, some_bytes(f, pos));
	else if (q->options.threads)
		csf_frames_ahead(r->frames, p, some_bytes(f, pos));
}

/* Is the next fragment of the same units, as far as known, and is it wanted? */
static bool follows(const struct perf_queues *q, const struct ring *r)
{
	const struct perf_fragment *f = &q->options.aux->fragment[r->next];

	if (r->next == ring_last(r) || ring_starts(r) || !f->size ||
	    (f->flags ^ r->f->flags) & PERF_FRAGMENT_RAW)
		return false;
	if (q->options.until && ring_since(q, r, r->next) > q->options.until)
		return false;
	if (f->flags & PERF_FRAGMENT_RAW)
		return perf_cs_cpu_of_raw(q->options.cs, f) == r->active[0]->cpu;
	return !ring_moves(r) || perf_look_unit(f, fragment_bytes(q, f)) ==
				 perf_look_unit(r->f, fragment_bytes(q, r->f));
}

/*
 * Announces the next bytes, so that threads have work while the fed bytes are decoded.  If other
 * bytes are fed next, the work was for nothing, without other effect.
 */
static void tell_next(struct perf_queues *q, struct ring *r)
{
	if (r->pos < r->f->size)
		tell(q, r, r->f, r->pos);
	else if (follows(q, r))
		tell(q, r, &q->options.aux->fragment[r->next], 0);
}

/*
 * No decoder takes any of the fragment.  Its frames are taken apart all the same, to count its IDs,
 * unless trace was left out on purpose.
 */
static int pass_over(struct perf_queues *q, struct ring *r)
{
	while (r->frames && !(r->f->flags & PERF_FRAGMENT_RAW) && !q->options.n_cpus &&
	       r->pos < r->f->size) {
		const long fed = csf_frames_feed(r->frames, fragment_bytes(q, r->f) + r->pos,
						 next_bytes(r));

		if (fed <= 0)
			return -ENOMEM;
		count_read(q, r->f->offset + r->pos, fed);
		r->pos += fed;
	}
	r->pos = r->f->size;
	if (r->frames && !goes_on(q, r))
		csf_frames_end(r->frames);
	return 0;
}

int ring_feed(struct perf_queues *q, struct ring *r)
{
	const uint8_t *p = fragment_bytes(q, r->f) + r->pos;
	const uint64_t n = next_bytes(r);
	long fed;

	if (!r->n_active)
		return pass_over(q, r);
	if (r->f->flags & PERF_FRAGMENT_RAW) {
		fed = n;
		if (csf_feed(r->active[0]->dec, p, fed))
			return -ENOMEM;
	} else {
		fed = csf_frames_feed(r->frames, p, n);
		if (fed <= 0)
			return -ENOMEM;
	}
	count_read(q, r->f->offset + r->pos, fed);
	r->pos += fed;
	if (r->pos == r->f->size)
		end(q, r);
	tell_next(q, r);
	refill(r);
	return 0;
}

/* Bytes of ID 0 are mostly padding. */
void ring_count_unread(struct ring *r)
{
	struct csf_frame_stats stats = { .size = sizeof(stats) };

	if (!r->frames)
		return;
	csf_frames_stats(r->frames, &stats);
	stats.dropped[0] = stats.null;
	for (int id = 0; id < CSF_ID_MAX; id++) {
		r->unread.id[id] += r->asked ? stats.dropped[id] - r->before.id[id] : 0;
		r->before.id[id] = stats.dropped[id];
	}
	r->unread.cut += r->asked ? stats.partial - r->before.cut : 0;
	r->before.cut = stats.partial;
	r->unread.nameless += r->asked ? stats.unknown - r->before.nameless : 0;
	r->before.nameless = stats.unknown;
}

void ring_finish(struct perf_queues *q, struct ring *r)
{
	ring_count_unread(r);
	q->done += r->f->size;
	/* maps and threads up to here are complete */
	for (size_t i = 0; q->options.timed && i < r->n_active; i++)
		if (r->active[i]->time > r->key)
			r->key = r->active[i]->time;
	r->f = NULL;
}
