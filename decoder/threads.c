// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "threads.h"

/* ---------------------------------------------------------------- the queue, under the lock */

static void push(struct csf_threads *t, struct piece *piece)
{
	piece->next = NULL;
	if (t->first)
		t->last->next = piece;
	else
		t->first = piece;
	t->last = piece;
}

/* Takes out @piece. */
static void take(struct csf_threads *t, struct piece *piece)
{
	struct piece *before = NULL;

	for (struct piece *p = t->first; p != piece; p = p->next)
		before = p;
	if (before)
		before->next = piece->next;
	else
		t->first = piece->next;
	if (t->last == piece)
		t->last = before;
}

static void decode(struct csf_threads *t, struct piece *piece)
{
	take(t, piece);
	piece->at = PIECE_RUNNING;
	pthread_mutex_unlock(&t->lock);
	piece_decode(piece);
	pthread_mutex_lock(&t->lock);
	piece->at = PIECE_DONE;
	pthread_cond_broadcast(&t->done);
}

/* ---------------------------------------------------------------- for decoders */

void threads_queue(struct csf_threads *t, struct piece *piece)
{
	pthread_mutex_lock(&t->lock);
	piece->cancelled = false;
	piece->at = PIECE_QUEUED;
	push(t, piece);
	pthread_cond_signal(&t->work);
	pthread_mutex_unlock(&t->lock);
}

void threads_cancel(struct csf_threads *t, struct piece *piece)
{
	__atomic_store_n(&piece->cancelled, true, __ATOMIC_RELAXED);
	pthread_mutex_lock(&t->lock);
	if (piece->at == PIECE_QUEUED) {
		take(t, piece);
		piece->at = PIECE_FREE;
	}
	pthread_mutex_unlock(&t->lock);
}

bool threads_wait(struct csf_threads *t, struct piece *piece, bool alone)
{
	bool done;

	pthread_mutex_lock(&t->lock);
	if (piece->at == PIECE_QUEUED && alone)
		decode(t, piece);
	while (piece->at == PIECE_RUNNING) {
		if (t->first)
			decode(t, t->first);
		else
			pthread_cond_wait(&t->done, &t->lock);
	}
	done = piece->at == PIECE_DONE;
	pthread_mutex_unlock(&t->lock);
	return done;
}

/* ---------------------------------------------------------------- open and close */

static void *work(void *threads)
{
	struct csf_threads *t = threads;

	pthread_mutex_lock(&t->lock);
	while (!t->quit) {
		if (t->first)
			decode(t, t->first);
		else
			pthread_cond_wait(&t->work, &t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

CSF_API int csf_threads_new(struct csf_threads **threads, unsigned int n)
{
	struct csf_threads *t;

	if (n > CSF_THREADS_MAX)
		return CSF_ERR_ARG;
	t = calloc(1, sizeof(*t));
	if (!t)
		return CSF_ERR_MEMORY;
	t->thread = calloc(n + 1, sizeof(*t->thread));
	if (!t->thread) {
		free(t);
		return CSF_ERR_MEMORY;
	}
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->work, NULL);
	pthread_cond_init(&t->done, NULL);
	/* with fewer than asked for it is only slower */
	while (t->n < n && !pthread_create(&t->thread[t->n], NULL, work, t))
		t->n++;
	*threads = t;
	return 0;
}

CSF_API void csf_threads_free(struct csf_threads *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->quit = true;
	pthread_cond_broadcast(&t->work);
	pthread_mutex_unlock(&t->lock);
	for (unsigned int i = 0; i < t->n; i++)
		pthread_join(t->thread[i], NULL);
	pthread_cond_destroy(&t->done);
	pthread_cond_destroy(&t->work);
	pthread_mutex_destroy(&t->lock);
	free(t->thread);
	free(t);
}
