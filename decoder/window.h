/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Window: takes chunks of trace, and gives places where a packet can be read.
 *
 * Two rules make a packet stream the same for every split into chunks:
 *
 * - a packet is read only when WINDOW_AHEAD bytes from its start are available, or the trace is
 *   known to end before: that many bytes hold any packet, and any A-sync that starts inside it;
 * - the trace is cut at every A-sync before packets are read: a packet that
 *   would reach past the next cut, or the end, is cut off and ends there.
 *
 * Bytes that are too few to be read stay in @carry until the next chunk comes, so a chunk is
 * borrowed only until window_ready() returns false.  window_flush() makes them readable before
 * that, but then window_flushes() must be called for each packet.
 *
 *	window_feed(win, chunk, n);
 *	while (window_ready(win)) {
 *		int size = ... the packet at win->pos, which ends at win->cut at the latest
 *
 *		... window_offset(win, win->pos) is its offset
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

/* From the start of a packet to the end of an A-sync that starts in it or right after it. */
#define WINDOW_AHEAD	(CSF_PACKET_MAX + SYNC_MAX)

/* Bytes that may be read although too few follow them. */
enum window_flush {
	WINDOW_KEEP,	/* nothing */
	WINDOW_SURE,	/* whole packets in which no A-sync still to come can have begun */
	WINDOW_WHOLE,	/* whole packets */
};

/**
 * struct window - the bytes that are available
 * @pos: the next byte
 * @safe: a packet that starts before this can be read and taken without any check: CSF_PACKET_MAX
 *        bytes follow, with no cut in them; may be below @pos
 * @cut: the next A-sync, >= @pos; @end if none is known
 * @limit: a packet that starts before this can be read
 * @end: end of the available bytes
 * @start: a byte
 * @offset: offset of @start in the stream
 * @next: the chunk that continues at @limit, while @pos is in @carry; or NULL
 * @n_next: bytes of @next
 * @ended: nothing follows @end
 * @zeros: number of zeros of an A-sync
 * @flush: enum window_flush
 * @carry: the rest of earlier chunks, and the head of @next
 *
 * A window points into itself: copy it only with window_copy().
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

/* Makes @win as new: no bytes, offset 0; an A-sync has @zeros zeros. */
void window_reset(struct window *win, unsigned int zeros);

/* For looking ahead: bytes taken from the copy are not taken from @from. */
void window_copy(struct window *to, const struct window *from);

/**
 * window_feed() - add the next bytes
 * @p: borrowed until window_ready() is false
 *
 * Return: 0; CSF_ERR_ARG, with nothing done, if window_ready() was not yet false.
 */
int window_feed(struct window *win, const uint8_t *p, size_t n);

/* No bytes follow; when all have been taken window_feed() may start again. */
void window_end(struct window *win);

/* The bytes that are left may be read if window_flushes(), until the next chunk is fed. */
static inline void window_flush(struct window *win, enum window_flush flush)
{
	win->flush = flush;
}

/* Nothing more may be read before the next chunk. */
static inline void window_keep(struct window *win)
{
	win->flush = WINDOW_KEEP;
	win->limit = win->pos;
	win->safe = win->pos;
}

/* Are there so few bytes, with more to come, that the next packet may turn out to be another? */
bool window_is_open(const struct window *win);

/*
 * While window_is_open(): is the packet of @size bytes certain?  If not, window_keep().  Only zeros
 * can be the head of an A-sync.
 */
bool window_flushes(const struct window *win, int size);

/* The slow half of window_ready(). */
bool window_refill(struct window *win);

/* The slow half of window_take(): looks for the next cut. */
void window_find_cut(struct window *win);

/**
 * window_skip() - skip the bytes up to the next A-sync
 *
 * Return: number of bytes skipped.  If window_at_sync() is then false, the available bytes have no
 * A-sync; call window_ready() next.
 */
size_t window_skip(struct window *win);

/* Can a packet be read at @win->pos?  If not, more bytes are needed, or the trace has ended. */
static inline bool window_ready(struct window *win)
{
	return likely(win->pos < win->limit) || window_refill(win);
}

/* Does an A-sync start at @win->pos?  Call only when window_ready(). */
static inline bool window_at_sync(const struct window *win)
{
	return win->pos == win->cut && win->pos < win->end;
}

/* Offset in the stream of an available byte. */
static inline uint64_t window_offset(const struct window *win, const uint8_t *p)
{
	return win->offset + (uint64_t)(p - win->start);
}

/* Number of bytes fed and not taken. */
static inline size_t window_left(const struct window *win)
{
	return win->next ? win->n_next - (size_t)(win->pos - win->limit) :
			   (size_t)(win->end - win->pos);
}

/* Takes @size bytes, which must not reach past the cut unless they are an A-sync. */
static inline void window_take(struct window *win, size_t size)
{
	win->pos += size;
	if (unlikely(win->pos > win->cut))
		window_find_cut(win);
}

/* As @win->safe, for packets of up to @max bytes only: so it is nearer to the cut. */
static inline const uint8_t *window_near(const struct window *win, unsigned int max)
{
	const uint8_t *near = win->cut - win->pos >= max ? win->cut - (max - 1) : win->pos;

	/* an A-sync that is not a cut yet may begin at the end of what was fed */
	if (unlikely(win->flush))
		return win->safe;
	return near < win->limit ? near : win->limit;
}

#endif /* CSF_WINDOW_H */
