/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Window: chunks of trace in, places where a packet can be read out.
 *
 * Two rules make a packet stream the same for every split into chunks:
 *
 * - a packet is read only when WINDOW_AHEAD bytes from its start are there, or
 *   the trace is known to end before: that many bytes hold any packet, and any
 *   A-sync that starts inside it;
 * - the trace is cut at every A-sync before packets are read: a packet that
 *   would reach past the next cut, or the end, is cut off and ends there.
 *
 * What is too short to be read stays in @carry until the next chunk comes, so
 * a chunk is borrowed only until window_ready() says no.  window_flush() makes it
 * readable before that, but then window_flushes() must be asked.
 *
 *	window_feed(win, chunk, n);
 *	while (window_ready(win)) {
 *		int size = ... the packet at win->pos, which ends at win->cut at the latest
 *
 *		... window_offset(win, win->pos) is where it was
 *		window_take(win, size);
 *		... out of sync: window_skip() until it stands at an A-sync
 *	}
 *
 * A hot loop may keep the position in a local as long as it is below @safe:
 *
 *	const uint8_t *pos = win->pos, *safe = win->safe;
 *
 *	while (pos < safe)
 *		pos += ... the packet at pos
 *	win->pos = pos;
 */
#ifndef CSF_WINDOW_H
#define CSF_WINDOW_H

#include "bytes.h"
#include "csflow.h"
#include "sync.h"

/* From the start of a packet to the end of an A-sync that starts in it or right behind. */
#define WINDOW_AHEAD	(CSF_PACKET_MAX + SYNC_MAX)

/* What may be read although too few bytes are behind it. */
enum window_flush {
	WINDOW_KEEP,	/* nothing */
	WINDOW_SURE,	/* whole packets, if no A-sync to come can have begun in them */
	WINDOW_WHOLE,	/* whole packets */
};

/**
 * struct window - the bytes at hand
 * @pos: the next byte
 * @safe: a packet that starts before this can be read and taken without any check: there are
 *        CSF_PACKET_MAX bytes, and no cut in them; may be below @pos
 * @cut: the next A-sync, >= @pos; @end if none is known
 * @limit: a packet that starts before this can be read
 * @end: behind the last byte at hand
 * @start: a byte, and
 * @offset: its offset in the stream
 * @next: the chunk that goes on at @limit, while @pos is in @carry; or NULL
 * @n_next: bytes of it
 * @ended: nothing follows @end
 * @zeros: of an A-sync
 * @flush: enum window_flush
 * @carry: what was left of chunks, and the head of @next
 *
 * It points into itself: only window_copy() copies one.
 */
struct window {
	const uint8_t *pos;
	const uint8_t *safe;
	const uint8_t *cut;
	const uint8_t *limit;
	const uint8_t *end;
	const uint8_t *start;
	uint64_t offset;
	const uint8_t *next;
	size_t n_next;
	bool ended;
	uint8_t zeros;
	uint8_t flush;
	uint8_t carry[2 * WINDOW_AHEAD + CSF_PACKET_MAX];
};

/* As new: nothing at hand, offset 0; an A-sync has @zeros zeros. */
void window_reset(struct window *win, unsigned int zeros);

/* To look ahead: what is taken from the copy is not taken from @from. */
void window_copy(struct window *to, const struct window *from);

/**
 * window_feed() - the next bytes
 * @p: borrowed until window_ready() is false
 *
 * Return: 0, or CSF_ERR_ARG if window_ready() was not yet false, and nothing is done.
 */
int window_feed(struct window *win, const uint8_t *p, size_t n);

/* Nothing follows what was fed; after that has been taken window_feed() may start again. */
void window_end(struct window *win);

/* What is at hand, or left of it, may be read if window_flushes(), until the next chunk is fed. */
static inline void window_flush(struct window *win, enum window_flush flush)
{
	win->flush = flush;
}

/* Nothing more can be read before the next chunk. */
static inline void window_keep(struct window *win)
{
	win->flush = WINDOW_KEEP;
	win->limit = win->pos;
	win->safe = win->pos;
}

/* Are there so few bytes at hand, with more to come, that a packet need not be as it looks? */
bool window_is_open(const struct window *win);

/*
 * While window_is_open(): is a packet of @size bytes sure to be one?  If not, window_keep().
 * Nothing but zeros may be the head of an A-sync.
 */
bool window_flushes(const struct window *win, int size);

/* The slow half of window_ready(). */
bool window_refill(struct window *win);

/* The slow half of window_take(): looks for the next cut. */
void window_find_cut(struct window *win);

/**
 * window_skip() - pass over bytes up to the next A-sync
 *
 * Return: bytes passed over.  If window_at_sync() is then false there is no A-sync
 * in what is at hand, and window_ready() is worth asking.
 */
size_t window_skip(struct window *win);

/* Can a packet be read at @win->pos?  If not: feed more, or it was the end. */
static inline bool window_ready(struct window *win)
{
	return likely(win->pos < win->limit) || window_refill(win);
}

/* Does an A-sync start at @win->pos?  Only when window_ready(). */
static inline bool window_at_sync(const struct window *win)
{
	return win->pos == win->cut && win->pos < win->end;
}

/* Offset in the stream of a byte at hand. */
static inline uint64_t window_offset(const struct window *win, const uint8_t *p)
{
	return win->offset + (uint64_t)(p - win->start);
}

/* Bytes fed and not taken. */
static inline size_t window_left(const struct window *win)
{
	return win->next ? win->n_next - (size_t)(win->pos - win->limit) :
			   (size_t)(win->end - win->pos);
}

/* Goes on after @size bytes, which are not past the cut unless they are an A-sync. */
static inline void window_take(struct window *win, size_t size)
{
	win->pos += size;
	if (unlikely(win->pos > win->cut))
		window_find_cut(win);
}

#endif /* CSF_WINDOW_H */
