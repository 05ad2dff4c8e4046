/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The loops over packets, which ETMv3 and PTM have in common.  What differs is an argument that is
 * a constant: each is compiled into its protocol, and nothing is called through a pointer.
 */
#ifndef CSF_CLASSIC_LOOPS_H
#define CSF_CLASSIC_LOOPS_H

#include "../next-time.h"
#include "../read-ahead.h"
#include "parts.h"

/**
 * struct classic_rules - what a protocol does in its own way
 * @read: as classic_read_window()
 * @expand: adds the elements of a packet in sync, at @offset, to @d->queue
 * @fast: takes ordinary packets, many at a time, in sync.  Returns false if there were none
 * @pop: makes the next element that is sure the current one.  Returns false if none is
 * @lose: adds what is left when sync is lost at @offset, or the trace ends there; NULL: nothing is
 */
struct classic_rules {
	int (*read)(const struct window *win, const struct config *c, struct csf_packet *pkt);
	void (*expand)(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset);
	bool (*fast)(struct csf_decoder *d);
	bool (*pop)(struct csf_decoder *d);
	void (*lose)(struct csf_decoder *d, uint64_t offset);
};

/* Reads a packet.  Returns false if more bytes are needed. */
static __always_inline bool classic_read_one(struct csf_decoder *d, const struct classic_rules *r)
{
	const uint64_t offset = window_offset(&d->in.win, d->in.win.pos);
	const bool early = d->classic.sync != CLASSIC_SYNC_FULL;
	struct csf_packet pkt;
	int size;

	size = r->read(&d->in.win, &d->config, &pkt);
	if (!classic_whole(&d->in.win, &pkt, size))
		return false;
	if (early && classic_is_element(&pkt) && classic_say_skipped(d))
		return true;
	window_take(&d->in.win, size);
	if (early ? !classic_is_early(d, &pkt, offset) : pkt.type == CSF_PKT_BAD) {
		if (!early && r->lose)
			r->lose(d, offset);
		if (!early)
			classic_lose_sync(d, &pkt, offset);
		return true;
	}
	d->stats.packets++;
	d->stats.async += pkt.type == CSF_PKT_ASYNC;
	r->expand(d, &pkt, offset);
	return true;
}

/* Makes the next element, @d->el.  Returns false when the run ended, or more bytes are needed. */
static __always_inline bool classic_next_element(struct csf_decoder *d,
						 const struct classic_rules *r)
{
	while (!d->el_ready && !d->flow.err) {
		if (r->pop(d))
			continue;
		if (!window_ready(&d->in.win)) {
			if (r->lose && d->in.end == END_ASKED)
				r->lose(d, window_offset(&d->in.win, d->in.win.pos));
			if (!d->in.end || !classic_finish(d))
				return false;
		} else if (d->classic.sync == CLASSIC_SYNC_NONE) {
			classic_find_async(d);
		} else if (d->fast && d->classic.sync == CLASSIC_SYNC_FULL && r->fast(d)) {
			if (d->out.ended)
				return false;
		} else if (!classic_read_one(d, r)) {
			return false;
		}
	}
	return !d->flow.err;
}

/* -------- timestamps to come */

/* Reads packets ahead of the decoder, and only for timestamps; @win is a copy of its window. */
static __always_inline void classic_look(const struct csf_decoder *d, struct window *win,
					 struct next_time *next, const struct classic_rules *r)
{
	uint64_t time = d->classic.time;
	uint8_t sync = d->classic.sync;
	struct csf_packet pkt;
	int size;

	while (!next->above && window_ready(win)) {
		if (sync == CLASSIC_SYNC_NONE) {
			const size_t n = window_skip(win);

			if (window_at_sync(win))
				sync = CLASSIC_SYNC_ISYNC;
			else if (!n)
				return;
			continue;
		}
		size = r->read(win, &d->config, &pkt);
		if (!classic_whole(win, &pkt, size))
			return;
		if (pkt.type == CSF_PKT_TIME)
			next_time_see(next, window_offset(win, win->pos),
				      classic_time(&d->config, &time, &pkt));
		window_take(win, size);
		if (pkt.type != CSF_PKT_BAD)
			continue;
		time = 0;
		sync = CLASSIC_SYNC_NONE;
	}
}

/* For struct protocol: @next_time. */
static __always_inline int classic_next_time(struct csf_decoder *d, uint64_t bound, uint64_t *last,
					     uint64_t *above, const struct classic_rules *r)
{
	struct next_time next = { .bound = bound, .pos = read_ahead_pos(d) };
	struct window win;

	next_time_see_held(&next, d);
	if (!next.above) {
		window_copy(&win, &d->in.win);
		classic_look(d, &win, &next, r);
	}
	*last = next.last;
	*above = next.above;
	return next.above != 0;
}

#endif /* CSF_CLASSIC_LOOPS_H */
