/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads that decode ahead: part of csflow.h, which includes it.
 */
#ifndef CSFLOW_THREADS_H
#define CSFLOW_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CSF_API
#include "csflow.h"
#endif

#define CSF_THREADS_MAX	1024

struct csf_threads;

/**
 * csf_threads_new() - create threads that decode ahead of the caller of csf_next()
 * @n: number of threads besides the caller's, 0..CSF_THREADS_MAX; they start when they have work.
 *     If the system grants fewer, those are used.  0: the caller decodes alone, but its decoders
 *     share what they learn of addresses
 *
 * Return: 0, CSF_ERR_ARG, CSF_ERR_MEMORY.
 */
CSF_API int csf_threads_new(struct csf_threads **threads, unsigned int n);

/* Ends the threads.  No decoder may use them any more.  NULL is fine. */
CSF_API void csf_threads_free(struct csf_threads *threads);

/**
 * struct csf_work - work for a thread besides decoding, such as counting steps
 * @work: the function to call; it may block, but that thread decodes nothing meanwhile
 *
 * Set all fields but @work to zero.
 */
struct csf_work {
	void (*work)(struct csf_work *work);
	/* private */
	struct csf_work *next;
	int at;
};

/* The next free thread does the work.  @work is borrowed until csf_work_end(). */
CSF_API void csf_work_begin(struct csf_threads *threads, struct csf_work *work);

/*
 * Returns when the work is done.  If no thread has begun it, the caller does it; otherwise the
 * caller decodes ahead meanwhile.  Only the caller of csf_next() may call this, and only for work
 * that was begun.
 */
CSF_API void csf_work_end(struct csf_threads *threads, struct csf_work *work);

/**
 * csf_set_threads() - have threads decode ahead
 * @threads: borrowed; may serve many decoders; NULL (the default): none
 *
 * Takes effect with the next csf_feed().  The runs stay the same; only csf_stats() may already
 * count what is reported later.  Feed much at once: the pieces that threads decode begin at A-syncs
 * and are found only within one csf_feed().
 *
 * The decoders that share @threads also share what they learn of addresses, which saves time and
 * memory.
 *
 * All decoders that share these threads or an image must be used by one thread, and the same thread
 * must make all changes to that image.  Other threads never call the functions that the caller gave
 * to the image.
 *
 * Return: 0, CSF_ERR_MEMORY.
 */
CSF_API int csf_set_threads(struct csf_decoder *dec, struct csf_threads *threads);

/**
 * csf_feed_ahead() - announce what csf_feed() will be given next
 * @trace: borrowed until that call, or until csf_reset() or csf_free(); must not change
 * @n: number of bytes of that call; 0: withdraw the announcement
 *
 * Threads begin to decode these bytes before the bytes fed are used up.  If other bytes are fed
 * next, that work is lost, and the runs are still correct.
 */
CSF_API void csf_feed_ahead(struct csf_decoder *dec, const void *trace, size_t n);

#endif /* CSFLOW_THREADS_H */
