/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads that decode segments, or work for the caller, and queues of what nobody has begun yet. */
#ifndef CSF_THREADS_H
#define CSF_THREADS_H

#include <pthread.h>

#include "segment.h"

/* One of the threads, and what it remembers. */
struct worker {
	struct csf_threads *threads;
	pthread_t thread;
	struct address_cache address_cache;
};

/**
 * struct csf_threads - see csflow.h
 * @lock: guards the queues, @quit, segment.at of every segment and csf_work.at
 * @work: there is something in a queue; @done: a segment is done, or what is not a segment
 * @worker: @n of them, or as many as there can be; @n_started were needed; @n_asleep of these sleep
 * @address_cache: of whoever waits for them, and decodes meanwhile what @holder's is no good for
 * @stamp: counts images of which no decoder has these threads any more; see address_cache_lend()
 * @guess_stamp: counts what decoders have guessed; see segment.h
 * @n_decoders: that were given these threads
 * @shared: of all decoders that were given them, which the caller has decode one at a time; and of
 *          whoever waits, if it is good for that
 * @holder: the decoder that has it; NULL: none
 * @segment: bytes of a segment, for tests; 0: as is right
 * @step_max: steps of one, behind which it ends; SEGMENT_STEPS but for tests
 * @first: of the queue, oldest first; @last
 * @caller: what the caller wants done, oldest first, which comes before segments
 * @spare: segments that no decoder has in use, last used first; the caller's
 * @n_used: those that decoders have in use
 */
struct csf_threads {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct worker *worker;
	struct address_cache address_cache;
	uint64_t stamp, guess_stamp;
	unsigned int n, n_started, n_asleep;
	unsigned int n_decoders;
	struct address_cache shared;
	struct csf_decoder *holder;
	size_t segment;
	size_t step_max;
	bool quit;
	struct segment *first, *last;
	struct csf_work *caller;
	struct segment *spare;
	size_t n_used;
};

/*
 * What is known of addresses is @d's from now on.  @t: NULL: nobody's.
 *
 * Return: 0 or CSF_ERR_MEMORY.
 */
int threads_lend(struct csf_threads *t, struct csf_decoder *d);

/* @d was given these threads; what it knew of addresses is forgotten, or for all others. */
void threads_join(struct csf_threads *t, struct csf_decoder *d);

/*
 * It goes, and has what is known of addresses if it is the last one; else, nothing.  It is not in
 * image.read_ahead any more.
 */
void threads_part(struct csf_threads *t, struct csf_decoder *d);

/* A segment of @d's kind, of those that are spare or a new one.  NULL: no memory. */
struct segment *threads_take(struct csf_threads *t, const struct csf_decoder *d);

/* It is not in use any more, and nobody works on it when this returns. */
void threads_drop(struct csf_threads *t, struct segment *segment);

void threads_queue(struct csf_threads *t, struct segment *segment);

/* Nobody shall begin it, and whoever has shall stop soon. */
void threads_cancel(struct csf_threads *t, struct segment *segment);

/**
 * threads_wait() - until nobody works on @segment
 * @alone: it shall be decoded even if nobody has begun it
 *
 * Decodes segments meanwhile.
 *
 * Return: it is done.
 */
bool threads_wait(struct csf_threads *t, struct segment *segment, bool alone);

#endif /* CSF_THREADS_H */
