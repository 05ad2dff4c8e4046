// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "read-ahead.h"

#define LOOKS		1024	/* looks at what the caller waits for: 0.4 ms */

/* ---------------------------------------------------------------- the queue, with the lock held */

/* @at: of a segment, or of the caller's work. */
static void set(int *at, enum segment_at now)
{
	__atomic_store_n(at, now, __ATOMIC_RELEASE);
}

static void push(struct csf_threads *t, struct segment *segment)
{
	segment->next = NULL;
	if (t->first)
		t->last->next = segment;
	else
		t->first = segment;
	t->last = segment;
}

/* Takes out @segment. */
static void take(struct csf_threads *t, struct segment *segment)
{
	struct segment *before = NULL;

	for (struct segment *p = t->first; p != segment; p = p->next)
		before = p;
	if (before)
		before->next = segment->next;
	else
		t->first = segment->next;
	if (t->last == segment)
		t->last = before;
}

/* Is what the decoder @d knows of addresses valid for @segment? */
static bool good_for(struct csf_decoder *d, const struct segment *segment)
{
	const struct config *c = &segment->dec->config;

	return d->image == segment->dec->image && d->config.rule == c->rule &&
	       d->config.without == c->without &&
	       (segment->time == d->addr.time ||
		image_is_steady(d->image, &d->addr.steady, segment->time));
}

/*
 * Decodes @segment in the waiting caller's thread.  The decoder that has what is known of addresses
 * is at rest, so it can be used: each path is learned, and kept in the cache, once for this thread.
 */
static void decode_waiting(struct csf_threads *t, struct segment *segment)
{
	struct csf_decoder *d = t->holder;
	struct address_cache lent;

	if (!d || !good_for(d, segment)) {
		segment_decode(segment, &t->address_cache);
		return;
	}
	address_cache_borrow(&lent, d, segment->stamp);
	segment_decode(segment, &lent);
	address_cache_return(&lent, d);
}

/* @w: the thread that decodes; NULL: the caller. */
static void decode(struct csf_threads *t, struct segment *segment, struct worker *w)
{
	take(t, segment);
	set(&segment->at, SEGMENT_RUNNING);
	lock_release(&t->lock);
	if (w)
		segment_decode(segment, &w->address_cache);
	else
		decode_waiting(t, segment);
	lock_take(&t->lock);
	set(&segment->at, SEGMENT_DONE);
	pthread_cond_broadcast(&t->done);
}

/* Takes out @work, or the oldest work if NULL, and does it. */
static void do_work(struct csf_threads *t, struct csf_work *work)
{
	struct csf_work **p = &t->caller;

	while (work && *p != work)
		p = &(*p)->next;
	work = *p;
	*p = work->next;
	set(&work->at, SEGMENT_RUNNING);
	lock_release(&t->lock);
	work->work(work);
	lock_take(&t->lock);
	set(&work->at, SEGMENT_DONE);
	pthread_cond_broadcast(&t->done);
}

/*
 * Does work, or decodes a segment, that no thread has begun.  Returns false if there is none.
 * Threads do the caller's work first, but the caller itself prefers a segment: so the same thread
 * does the work again, and its counters stay in one processor's cache.
 */
static bool serve(struct csf_threads *t, struct worker *w)
{
	const bool rather_decodes = !w && t->first;

	if (t->caller && !rather_decodes)
		do_work(t, NULL);
	else if (t->first)
		decode(t, t->first, w);
	else
		return false;
	return true;
}

/* ---------------------------------------------------------------- the workers */

static void doze(struct csf_threads *t)
{
	t->n_asleep++;
	pthread_cond_wait(&t->work, &t->lock);
	t->n_asleep--;
}

static void *work(void *worker)
{
	struct worker *w = worker;
	struct csf_threads *t = w->threads;

	lock_take(&t->lock);
	while (!t->quit)
		if (!serve(t, w))
			doze(t);
	lock_release(&t->lock);
	return NULL;
}

/*
 * Starts one more thread, on an idle processor, as it has work at once.  It blocks all signals,
 * which are for the caller's threads.  If it cannot be started, decode is only slower.
 */
static void start(struct csf_threads *t)
{
	struct worker *w = &t->worker[t->n_started];
	sigset_t all, were;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &were);
	w->threads = t;
	if (pthread_create(&w->thread, NULL, work, w))
		t->n = t->n_started;
	else
		t->n_started++;
	pthread_sigmask(SIG_SETMASK, &were, NULL);
}

/* Wakes or starts a thread for what was just queued. */
static void call(struct csf_threads *t)
{
	if (t->n_asleep)
		pthread_cond_signal(&t->work);
	else if (t->n_started < t->n)
		start(t);
}

/* ---------------------------------------------------------------- what decoders share */

int threads_lend(struct csf_threads *t, struct csf_decoder *d)
{
	if (!t)
		return CSF_ERR_MEMORY;
	if (t->holder)
		address_cache_put_away(&t->shared, t->holder, t->stamp);
	t->holder = NULL;
	if (!address_cache_lend_again(&t->shared, d, t->stamp))
		return CSF_ERR_MEMORY;
	t->holder = d;
	return 0;
}

void threads_join(struct csf_threads *t, struct csf_decoder *d)
{
	struct address_cache own = { 0 };

	d->lender = t;
	if (!t->n_decoders++ && !t->shared.addr.cache) {
		t->holder = d;
		return;
	}
	address_cache_disown(d);
	address_cache_take_back(&own, d);
	address_cache_free(&own);
}

/* Frees all spare segments: their image may be freed, too. */
static void tidy(struct csf_threads *t)
{
	while (t->spare) {
		struct segment *segment = t->spare;

		t->spare = segment->next;
		segment_free(segment);
	}
}

/* Then the image is in use. */
static bool any_has(const struct csf_threads *t, const struct csf_image *image)
{
	const struct read_ahead *a = image->read_ahead;

	while (a && a->threads != t)
		a = a->others;
	return a;
}

void threads_part(struct csf_threads *t, struct csf_decoder *d)
{
	d->lender = NULL;
	t->n_decoders--;
	if (t->holder == d && t->n_decoders)
		address_cache_put_away(&t->shared, d, t->stamp);
	if (t->holder == d)
		t->holder = NULL;
	if (any_has(t, d->image))
		return;
	t->stamp++;
	tidy(t);
}

struct segment *threads_take(struct csf_threads *t, const struct csf_decoder *d)
{
	struct segment **p = &t->spare, *segment;

	while (*p && !segment_fits(*p, d))
		p = &(*p)->next;
	segment = *p;
	if (segment)
		*p = segment->next;
	else
		segment = segment_new(d);
	t->n_used += segment ? 1 : 0;
	return segment;
}

/* ---------------------------------------------------------------- for decoders */

void threads_queue(struct csf_threads *t, struct segment *segment)
{
	lock_take(&t->lock);
	segment->cancelled = false;
	set(&segment->at, SEGMENT_QUEUED);
	push(t, segment);
	call(t);
	lock_release(&t->lock);
}

void threads_cancel(struct csf_threads *t, struct segment *segment)
{
	__atomic_store_n(&segment->cancelled, true, __ATOMIC_RELAXED);
	lock_take(&t->lock);
	if (segment->at == SEGMENT_QUEUED) {
		take(t, segment);
		set(&segment->at, SEGMENT_FREE);
	}
	lock_release(&t->lock);
}

/*
 * The caller has nothing to do until *@at changes, most likely soon.  Call with the lock held; it
 * is released meanwhile.
 */
static void look_for(struct csf_threads *t, const int *at)
{
	unsigned int looks = 0;

	lock_release(&t->lock);
	while (looks++ < LOOKS && __atomic_load_n(at, __ATOMIC_RELAXED) == SEGMENT_RUNNING)
		sched_yield();
	lock_take(&t->lock);
	if (*at != SEGMENT_RUNNING)
		return;
	pthread_cond_wait(&t->done, &t->lock);
}

bool threads_wait(struct csf_threads *t, struct segment *segment, bool alone)
{
	bool done;

	lock_take(&t->lock);
	if (segment->at == SEGMENT_QUEUED && alone)
		decode(t, segment, NULL);
	while (segment->at == SEGMENT_RUNNING)
		if (!serve(t, NULL))
			look_for(t, &segment->at);
	done = segment->at == SEGMENT_DONE;
	lock_release(&t->lock);
	return done;
}

void threads_drop(struct csf_threads *t, struct segment *segment)
{
	/* usually it is done, and the lock, which others want, need not be taken */
	if (__atomic_load_n(&segment->at, __ATOMIC_ACQUIRE) != SEGMENT_DONE) {
		threads_cancel(t, segment);
		threads_wait(t, segment, false);
	}
	segment->next = t->spare;
	t->spare = segment;
	t->n_used--;
}

/* ---------------------------------------------------------------- for the caller */

CSF_API void csf_work_begin(struct csf_threads *t, struct csf_work *work)
{
	struct csf_work **p = &t->caller;

	lock_take(&t->lock);
	while (*p)
		p = &(*p)->next;
	work->next = NULL;
	set(&work->at, SEGMENT_QUEUED);
	*p = work;
	call(t);
	lock_release(&t->lock);
}

CSF_API void csf_work_end(struct csf_threads *t, struct csf_work *work)
{
	lock_take(&t->lock);
	if (work->at == SEGMENT_QUEUED)
		do_work(t, work);
	while (work->at == SEGMENT_RUNNING)
		if (!serve(t, NULL))
			look_for(t, &work->at);
	lock_release(&t->lock);
}

/* ---------------------------------------------------------------- open and close */

CSF_API int csf_threads_new(struct csf_threads **threads, unsigned int n)
{
	struct csf_threads *t;

	if (n > CSF_THREADS_MAX)
		return CSF_ERR_ARG;
	t = calloc(1, sizeof(*t));
	if (!t)
		return CSF_ERR_MEMORY;
	t->worker = calloc(n + 1, sizeof(*t->worker));
	if (!t->worker) {
		free(t);
		return CSF_ERR_MEMORY;
	}
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->work, NULL);
	pthread_cond_init(&t->done, NULL);
	t->step_max = SEGMENT_STEPS;
	t->n = n;
	*threads = t;
	return 0;
}

CSF_API void csf_threads_free(struct csf_threads *t)
{
	if (!t)
		return;
	lock_take(&t->lock);
	t->quit = true;
	pthread_cond_broadcast(&t->work);
	lock_release(&t->lock);
	for (unsigned int i = 0; i < t->n_started; i++) {
		pthread_join(t->worker[i].thread, NULL);
		address_cache_free(&t->worker[i].address_cache);
	}
	address_cache_free(&t->address_cache);
	address_cache_free(&t->shared);
	tidy(t);
	pthread_cond_destroy(&t->done);
	pthread_cond_destroy(&t->work);
	pthread_mutex_destroy(&t->lock);
	free(t->worker);
	free(t);
}
