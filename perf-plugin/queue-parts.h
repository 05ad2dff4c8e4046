/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of perf_queues_next() share: a ring's fragments and the streams
 * in them (queue-ring.c), when what is in them was executed (queue-time.c), whether a
 * guest did it (queue-guest.c), and which ring goes on (perf-queues.c).
 */
#ifndef QUEUE_PARTS_H
#define QUEUE_PARTS_H

#include "perf-queues.h"

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
 * @asked: some of @f may be of the time that is asked for
 * @before: counts of @frames where @f began
 * @unread: of fragments that were asked for
 * @at: the one that was told last how far it may go
 * @start: where it begins, if not with its first fragment: @start.pos
 * @warm: @warm_known: index of the first fragment that what is asked for needs
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
	bool asked;
	struct perf_unread before, unread;
	const struct perf_stream *at;
	struct perf_start start;
	size_t warm;
	bool warm_known;
};

static inline uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Index of the fragment behind the last one. */
static inline size_t ring_last(const struct ring *r)
{
	return r->queue->first + r->queue->n;
}

/* The fragment @next is the one in whose middle decode begins. */
static inline bool ring_starts(const struct ring *r)
{
	return r->start.pos && r->next == r->start.fragment;
}

/* It is a thread's: its fragments are of the CPUs that it came to. */
static inline bool ring_moves(const struct ring *r)
{
	return r->queue->tid != PERF_NO_TID;
}

/* What is in a fragment was executed behind this: when the one before it was complete. */
static inline uint64_t ring_since(const struct perf_queues *q, const struct ring *r, size_t i)
{
	const struct perf_fragment *f = &q->options.aux->fragment[i];

	return i == r->queue->first || f->flags & PERF_FRAGMENT_OVERWRITE ? 0 : f[-1].time;
}

/* The thread a stream speaks of as long as no context in it says otherwise. */
static inline uint32_t ring_tid(const struct ring *r)
{
	return r->queue->tid;
}

static inline const uint8_t *fragment_bytes(const struct perf_queues *q,
					    const struct perf_fragment *f)
{
	return q->options.file->bytes + f->offset;
}

/* ---------------------------------------------------------------- fragments */

/* On to the next fragment: nothing of it is fed.  Return: 0, -ENOMEM. */
int ring_begin(struct perf_queues *q, struct ring *r);

/* Feeds some of it to decoders that are used up.  Return: 0, -ENOMEM. */
int ring_feed(struct perf_queues *q, struct ring *r);

/* Adds to r->unread what no decoder took of the fragment. */
void ring_count_unread(struct ring *r);

/* All of it is used up. */
void ring_finish(struct perf_queues *q, struct ring *r);

/* ---------------------------------------------------------------- time */

/*
 * Sets r->key: when the fragment to come begins, or UINT64_MAX behind the last one.
 * Return: 0, -ENOMEM.
 */
int ring_look_ahead(struct perf_queues *q, struct ring *r);

/* Fragment @i has a timestamp, as far as is known. */
bool ring_tells_time(const struct perf_queues *q, const struct ring *r, size_t i);

/* How far @r may go before another ring is behind it. */
uint64_t ring_others(const struct perf_queues *q, const struct ring *r);

/*
 * Of the streams that have something, the one that is furthest behind, in @out; or NULL.
 * Return: 0, -ENOMEM.
 */
int ring_behind(struct perf_queues *q, const struct ring *r, uint64_t until,
		struct perf_stream **out);

/* Tells a stream's decoder which code it is, and how far it may go.  Return: 0, -errno. */
int ring_prepare(struct perf_queues *q, struct ring *r, struct perf_stream *stream,
		 uint64_t until);

/* Timestamps in a run. */
void stream_pass_times(struct perf_queues *q, struct perf_stream *stream,
		       const struct csf_run *run);

/* Code is missing at @addr: it may have been mapped since the last timestamp. */
void stream_be_late(struct perf_stream *stream, uint64_t addr);

/* ---------------------------------------------------------------- guests */

/* Whether the context that @run ends with is that of a guest, which @tid runs. */
bool stream_enters_guest(const struct perf_queues *q, const struct perf_stream *stream,
			 const struct csf_run *run, uint32_t tid);

/* Before that, of any run: exceptions, and losses behind which nobody knows. */
void stream_leaves_guest(struct perf_queues *q, struct perf_stream *stream,
			 const struct csf_run *run);

#endif /* QUEUE_PARTS_H */
