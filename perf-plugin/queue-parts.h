/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common parts of perf_queues_next(): the fragments of a ring and their streams (queue-ring.c), the
 * time of their execution (queue-time.c), whether a guest executed (queue-guest.c), and which ring
 * is next (perf-queues.c).
 */
#ifndef QUEUE_PARTS_H
#define QUEUE_PARTS_H

#include "perf-queues.h"

/**
 * struct ring - an AUX ring that is being decoded
 * @queue: its fragments
 * @f: the current fragment, or NULL
 * @next: index of the next fragment
 * @pos: number of bytes of @f that were fed
 * @key: its current time: the ring with the lowest goes on
 * @looked: @key is that of the fragment @next
 * @frames: NULL: the trace is raw, or not begun
 * @stream: stream of each trace ID; [0]: of raw trace
 * @active: the streams that @f feeds, @n_active of them
 * @asked: some of @f may be of the time that is wanted
 * @before: counts of @frames at the start of @f
 * @unread: unread bytes of fragments that were wanted
 * @at: the stream that was last told how far it may go
 * @start: where it begins, if not with its first fragment; see @start.pos
 * @warm: with @warm_known: index of the first fragment that is needed for what is wanted
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

/* Index of the fragment after the last one. */
static inline size_t ring_last(const struct ring *r)
{
	return r->queue->first + r->queue->n;
}

/* Does decode begin in the middle of the fragment @next? */
static inline bool ring_starts(const struct ring *r)
{
	return r->start.pos && r->next == r->start.fragment;
}

/* Is it the ring of a thread?  Its fragments are of the CPUs that the thread came to. */
static inline bool ring_moves(const struct ring *r)
{
	return r->queue->tid != PERF_NO_TID;
}

/* The time after which a fragment was executed: when the fragment before it was complete. */
static inline uint64_t ring_since(const struct perf_queues *q, const struct ring *r, size_t i)
{
	const struct perf_fragment *f = &q->options.aux->fragment[i];

	return i == r->queue->first || f->flags & PERF_FRAGMENT_OVERWRITE ? 0 : f[-1].time;
}

/* The thread of a stream while no context in it says otherwise. */
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

/* Goes to the next fragment, without feeding any of it.  Return: 0, -ENOMEM. */
int ring_begin(struct perf_queues *q, struct ring *r);

/* Feeds some of it to decoders that have used up their bytes.  Return: 0, -ENOMEM. */
int ring_feed(struct perf_queues *q, struct ring *r);

/* Adds the bytes of the fragment that no decoder took to r->unread. */
void ring_count_unread(struct ring *r);

/* Call when all of it is used up. */
void ring_finish(struct perf_queues *q, struct ring *r);

/* ---------------------------------------------------------------- time */

/*
 * Sets r->key: the beginning of the next fragment, or UINT64_MAX after the last one.
 * Return: 0, -ENOMEM.
 */
int ring_look_ahead(struct perf_queues *q, struct ring *r);

/* Does fragment @i have a timestamp, as far as known? */
bool ring_tells_time(const struct perf_queues *q, const struct ring *r, size_t i);

/* The time up to which @r may go before it is another ring's turn. */
uint64_t ring_others(const struct perf_queues *q, const struct ring *r);

/*
 * Sets @out to the stream, of those with bytes left, that is furthest back; or NULL.
 * Return: 0, -ENOMEM.
 */
int ring_earliest(struct perf_queues *q, const struct ring *r, uint64_t until,
		  struct perf_stream **out);

/* Tells the decoder of a stream its code, and how far it may go.  Return: 0, -errno. */
int ring_prepare(struct perf_queues *q, struct ring *r, struct perf_stream *stream,
		 uint64_t until);

/* Takes the timestamps of a run. */
void stream_pass_times(struct perf_queues *q, struct perf_stream *stream,
		       const struct csf_run *run);

/* Code is missing at @addr: it may have been mapped since the last timestamp. */
void stream_be_late(struct perf_stream *stream, uint64_t addr);

/* ---------------------------------------------------------------- guests */

/* Is the context that @run ends with that of a guest, which @tid runs? */
bool stream_enters_guest(const struct perf_queues *q, const struct perf_stream *stream,
			 const struct csf_run *run, uint32_t tid);

/*
 * Call before that, for every run: handles exceptions, and losses after which the state is not
 * known.
 */
void stream_leaves_guest(struct perf_queues *q, struct perf_stream *stream,
			 const struct csf_run *run);

#endif /* QUEUE_PARTS_H */
