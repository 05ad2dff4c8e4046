/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads that decode pieces, and the queue of those that nobody has begun yet. */
#ifndef CSF_THREADS_H
#define CSF_THREADS_H

#include <pthread.h>

#include "piece.h"

/**
 * struct csf_threads - see csflow.h
 * @lock: guards the queue, @quit, and piece.at of every piece
 * @work: there is something in the queue; @done: a piece is done
 * @thread: @n of them
 * @n_decoders: that were given these threads
 * @piece: bytes of a piece, for tests; 0: as is right
 * @first: of the queue, oldest first; @last
 */
struct csf_threads {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	pthread_t *thread;
	unsigned int n;
	unsigned int n_decoders;
	size_t piece;
	bool quit;
	struct piece *first, *last;
};

void threads_queue(struct csf_threads *t, struct piece *piece);

/* Nobody shall begin it, and whoever has shall stop soon. */
void threads_cancel(struct csf_threads *t, struct piece *piece);

/**
 * threads_wait() - until nobody works on @piece
 * @alone: it shall be decoded even if nobody has begun it
 *
 * Decodes pieces meanwhile.
 *
 * Return: it is done.
 */
bool threads_wait(struct csf_threads *t, struct piece *piece, bool alone);

#endif /* CSF_THREADS_H */
