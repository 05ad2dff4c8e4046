// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Timestamps to come: reads packets ahead of the decoder, and only for timestamps.
 *
 * A caller that must know the code of some time needs the end of what is decoded next, not its
 * beginning: code is mapped, then executed, and the next timestamp comes even later.
 */
#include "../read-ahead.h"
#include "parts.h"
#include "stream.h"

/**
 * struct next_time - a look ahead
 * @win: a copy of the decoder's window
 * @time: state for packets that leave out what did not change
 * @sync: as etm4.sync
 * @pos: timestamps before this offset do not count
 * @bound: look for a timestamp above this
 * @last: the last timestamp not above @bound; @above: the first one above; 0: none yet
 */
struct next_time {
	struct window win;
	const struct config *config;
	uint64_t time;
	uint8_t sync;
	uint64_t pos;
	uint64_t bound;
	uint64_t last, above;
};

/* Time 0 means that the trace unit did not know the time. */
static void see(struct next_time *next, uint64_t offset, uint64_t time)
{
	if (offset < next->pos)
		return;
	if (time > next->bound)
		next->above = time;
	else if (time)
		next->last = time;
}

/* Elements that the decoder holds: the current one, and those that are not committed. */
static void see_held(struct next_time *next, const struct csf_decoder *d)
{
	const struct element_queue *q = &d->queue;

	if (d->el_ready && d->el.type == EL_TIME)
		see(next, d->el.offset, d->el.val);
	for (uint32_t i = 0; i < q->n && !next->above; i++) {
		const struct element *el = &q->ring[(q->oldest + i) & (q->size - 1)];

		if (el->type == EL_TIME)
			see(next, el->offset, el->val);
	}
}

static void see_packet(struct next_time *next, const struct csf_packet *pkt, uint64_t offset)
{
	if (next->sync == SYNC_INFO && pkt->type != CSF_PKT_INFO && !packet_loses_sync(pkt))
		return;
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_TIME:
		next->time = (next->time & ~low_bits(pkt->n)) | pkt->val;
		see(next, offset, next->time);
		break;
	case CSF_PKT_INFO:
		next->time = 0;
		next->sync = SYNC_FULL;
		break;
	case CSF_PKT_BAD:
		if (packet_loses_sync(pkt))
			next->sync = SYNC_NONE;
		break;
	case CSF_PKT_DISCARD:
	case CSF_PKT_OVERFLOW:
		next->sync = SYNC_NONE;
		break;
	default:
		break;
	}
}

/* Returns true if there is an A-sync, or may be one later on. */
static bool find_sync(struct next_time *next)
{
	size_t n = window_skip(&next->win);

	if (window_at_sync(&next->win))
		next->sync = SYNC_INFO;
	return n || next->sync != SYNC_NONE;
}

static void see_fed(struct next_time *next)
{
	struct window *win = &next->win;
	struct csf_packet pkt;
	uint64_t offset;
	int size;

	while (!next->above && window_ready(win)) {
		if (next->sync == SYNC_NONE) {
			if (!find_sync(next))
				return;
			continue;
		}
		size = etm4_read(win, next->config, &pkt);
		if (!etm4_whole(win, &pkt, size))
			return;
		offset = window_offset(win, win->pos);
		window_take(win, size);
		see_packet(next, &pkt, offset);
	}
}

int etm4_next_time(struct csf_decoder *d, uint64_t bound, uint64_t *last, uint64_t *above)
{
	struct next_time next = {
		.config = &d->config, .time = d->etm4.expand.time, .bound = bound,
		.sync = d->etm4.sync, .pos = read_ahead_pos(d),
	};

	see_held(&next, d);
	if (!next.above) {
		window_copy(&next.win, &d->in.win);
		see_fed(&next);
	}
	*last = next.last;
	*above = next.above;
	return next.above != 0;
}
