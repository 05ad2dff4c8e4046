// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Timestamps to come: packets are read ahead of the decoder, and only for these.
 *
 * Whoever must know which code was in force needs the end of what is about to be
 * decoded, not its beginning: code is mapped, and then executed, and the next
 * timestamp comes later still.
 */
#include "read-ahead.h"

/**
 * struct peek - a look ahead
 * @win: a copy of the decoder's
 * @time: for the packets that leave out what did not change
 * @sync: as the decoder's
 * @pos: what stands before this is no more to come
 * @bound: look as far as this
 * @last: the last one not above @bound; @above: the first one above; 0: none yet
 */
struct peek {
	struct window win;
	const struct config *config;
	uint64_t time;
	enum sync sync;
	uint64_t pos;
	uint64_t bound;
	uint64_t last, above;
};

/* Time 0 means that the trace unit did not know it. */
static void see(struct peek *peek, uint64_t offset, uint64_t time)
{
	if (offset < peek->pos)
		return;
	if (time > peek->bound)
		peek->above = time;
	else if (time)
		peek->last = time;
}

/* Elements that the decoder holds: one at hand, and those that are not committed. */
static void see_held(struct peek *peek, const struct csf_decoder *d)
{
	const struct element_queue *q = &d->queue;

	if (d->el_ready && d->el.type == EL_TIME)
		see(peek, d->el.offset, d->el.val);
	for (uint32_t i = 0; i < q->n && !peek->above; i++) {
		const struct element *el = &q->ring[(q->oldest + i) & (q->size - 1)];

		if (el->type == EL_TIME)
			see(peek, el->offset, el->val);
	}
}

static void see_packet(struct peek *peek, const struct csf_packet *pkt, uint64_t offset)
{
	if (peek->sync == SYNC_INFO && pkt->type != CSF_PKT_INFO && !packet_loses_sync(pkt))
		return;
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_TIME:
		peek->time = (peek->time & ~low_bits(pkt->n)) | pkt->val;
		see(peek, offset, peek->time);
		break;
	case CSF_PKT_INFO:
		peek->time = 0;
		peek->sync = SYNC_FULL;
		break;
	case CSF_PKT_BAD:
		if (packet_loses_sync(pkt))
			peek->sync = SYNC_NONE;
		break;
	case CSF_PKT_DISCARD:
	case CSF_PKT_OVERFLOW:
		peek->sync = SYNC_NONE;
		break;
	default:
		break;
	}
}

/* Returns whether there is an A-sync, or there may be one further on. */
static bool find_sync(struct peek *peek)
{
	size_t n = window_skip(&peek->win);

	if (window_at_sync(&peek->win))
		peek->sync = SYNC_INFO;
	return n || peek->sync != SYNC_NONE;
}

static void see_fed(struct peek *peek)
{
	struct window *win = &peek->win;
	struct csf_packet pkt;
	uint64_t offset;
	int size;

	while (!peek->above && window_ready(win)) {
		if (peek->sync == SYNC_NONE) {
			if (!find_sync(peek))
				return;
			continue;
		}
		size = window_read(win, peek->config, &pkt);
		if (!window_whole(win, &pkt, size))
			return;
		offset = window_offset(win, win->pos);
		window_take(win, size);
		see_packet(peek, &pkt, offset);
	}
}

CSF_API int csf_peek_time(struct csf_decoder *d, uint64_t bound, uint64_t *last,
			  uint64_t *above)
{
	/* what is not committed cannot be told from what never will be */
	int err = d->config.max_spec ? read_ahead_settle(d) : 0;
	struct peek peek = {
		.config = &d->config, .time = d->expand.time, .bound = bound,
		.sync = d->sync, .pos = read_ahead_pos(d),
	};

	if (err)
		return err;
	see_held(&peek, d);
	if (!peek.above) {
		window_copy(&peek.win, &d->win);
		see_fed(&peek);
	}
	*last = peek.last;
	*above = peek.above;
	return peek.above != 0;
}
