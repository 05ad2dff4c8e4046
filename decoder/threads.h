/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads that decode segments, or do the caller's work, and the queues of what is not begun yet.
 */
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
 * @work: signals work in a queue; @done: signals that a segment or a csf_work is done
 * @worker: @n of them, or as many as the system grants; @n_started were started, and @n_asleep of
 *          these sleep
 * @address_cache: what the waiting caller uses to decode meanwhile, where @shared is not suitable
 * @stamp: counts the images whose last decoder gave up these threads; see address_cache_lend()
 * @guess_stamp: counts the guesses of decoders; see segment.h
 * @n_decoders: number of decoders that use these threads
 * @shared: what is known of addresses, for all decoders that use these threads, as the caller runs
 *          one at a time; also for the waiting caller, where it is suitable
 * @holder: the decoder that has @shared; NULL: none
 * @segment: size of a segment in bytes, for tests; 0: the default
 * @step_max: a segment ends after more steps than this; SEGMENT_STEPS except in tests
 * @first, @last: ends of the queue of segments, oldest first
 * @caller: the caller's work, oldest first; it is done before segments
 * @spare: segments that no decoder uses, last used first; only the caller touches it
 * @n_used: number of segments that decoders use
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
 * Lends @d what is known of addresses, after taking it back from the decoder that has it.
 *
 * Return: 0; CSF_ERR_MEMORY, also if @t is NULL.
 */
int threads_lend(struct csf_threads *t, struct csf_decoder *d);

/* @d now uses these threads.  Its knowledge of addresses is forgotten, or becomes common to all. */
void threads_join(struct csf_threads *t, struct csf_decoder *d);

/*
 * @d stops using these threads.  The last decoder keeps what is known of addresses; others keep
 * nothing.  @d is no longer in image.read_ahead.
 */
void threads_part(struct csf_threads *t, struct csf_decoder *d);

/* A segment for decoders like @d, spare or new.  Return: NULL: no memory. */
struct segment *threads_take(struct csf_threads *t, const struct csf_decoder *d);

/* Gives a segment back; when this returns no thread works on it. */
void threads_drop(struct csf_threads *t, struct segment *segment);

void threads_queue(struct csf_threads *t, struct segment *segment);

/* Says that no thread shall begin @segment, and that a thread that works on it shall stop soon. */
void threads_cancel(struct csf_threads *t, struct segment *segment);

/**
 * threads_wait() - wait until no thread works on @segment
 * @alone: decode it here if no thread has begun it
 *
 * Decodes other segments meanwhile.
 *
 * Return: true: it is done.
 */
bool threads_wait(struct csf_threads *t, struct segment *segment, bool alone);

#endif /* CSF_THREADS_H */
