// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Timestamps to come: reads packets ahead of the decoder, and only for timestamps.
 *
 * A caller that must know the code of some time needs the end of what is decoded next, not its
 * beginning: code is mapped, then executed, and the next timestamp comes even later.
 */
#include "../next-time.h"
#include "../read-ahead.h"
#include "parts.h"
#include "stream.h"

/**
 * struct look - a look ahead
 * @win: a copy of the decoder's window
 * @time: state for packets that leave out what did not change
 * @sync: as etm4.sync
 */
struct look {
	struct next_time next;
	struct window win;
	const struct config *config;
	uint64_t time;
	uint8_t sync;
};

static void see_packet(struct look *look, const struct csf_packet *pkt, uint64_t offset)
{
	if (look->sync == SYNC_INFO && pkt->type != CSF_PKT_INFO && !packet_loses_sync(pkt))
		return;
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_TIME:
		look->time = (look->time & ~low_bits(pkt->n)) | pkt->val;
		next_time_see(&look->next, offset, look->time);
		break;
	case CSF_PKT_INFO:
		look->time = 0;
		look->sync = SYNC_FULL;
		break;
	case CSF_PKT_BAD:
		if (packet_loses_sync(pkt))
			look->sync = SYNC_NONE;
		break;
	case CSF_PKT_DISCARD:
	case CSF_PKT_OVERFLOW:
		look->sync = SYNC_NONE;
		break;
	default:
		break;
	}
}

/* Returns true if there is an A-sync, or may be one later on. */
static bool find_sync(struct look *look)
{
	size_t n = window_skip(&look->win);

	if (window_at_sync(&look->win))
		look->sync = SYNC_INFO;
	return n || look->sync != SYNC_NONE;
}

static void see_fed(struct look *look)
{
	struct window *win = &look->win;
	struct csf_packet pkt;
	uint64_t offset;
	int size;

	while (!look->next.above && window_ready(win)) {
		if (look->sync == SYNC_NONE) {
			if (!find_sync(look))
				return;
			continue;
		}
		size = etm4_read(win, look->config, &pkt);
		if (!etm4_whole(win, &pkt, size))
			return;
		offset = window_offset(win, win->pos);
		window_take(win, size);
		see_packet(look, &pkt, offset);
	}
}

int etm4_next_time(struct csf_decoder *d, uint64_t bound, uint64_t *last, uint64_t *above)
{
	struct look look = {
		.next = { .bound = bound, .pos = read_ahead_pos(d) },
		.config = &d->config, .time = d->etm4.expand.time, .sync = d->etm4.sync,
	};

	next_time_see_held(&look.next, d);
	if (!look.next.above) {
		window_copy(&look.win, &d->in.win);
		see_fed(&look);
	}
	*last = look.next.last;
	*above = look.next.above;
	return look.next.above != 0;
}
