// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Timestamps to come: reads packets ahead of the decoder, and only for timestamps. */
#include "parts.h"

/**
 * struct next_time - a look ahead
 * @win: a copy of the decoder's window
 * @time: last timestamp, as in struct etm3
 * @sync: as etm3.sync
 * @bound: look for a timestamp above this
 * @last: the last timestamp not above @bound; @above: the first one above; 0: none yet
 */
struct next_time {
	struct window win;
	const struct config *config;
	uint64_t time;
	uint8_t sync;
	uint64_t bound;
	uint64_t last, above;
};

/* Time 0 means that the trace unit did not know the time. */
static void see(struct next_time *next, uint64_t time)
{
	if (time > next->bound)
		next->above = time;
	else if (time)
		next->last = time;
}

static void see_element(struct next_time *next, const struct element *el)
{
	if (el->type == EL_TIME && !next->above)
		see(next, el->val);
}

/* Elements that the decoder holds. */
static void see_held(struct next_time *next, const struct csf_decoder *d)
{
	const struct element_queue *q = &d->queue;

	if (d->el_ready)
		see_element(next, &d->el);
	for (uint32_t i = 0; i < q->n; i++)
		see_element(next, &q->ring[(q->oldest + i) & (q->size - 1)]);
}

static void see_packet(struct next_time *next, const struct csf_packet *pkt)
{
	if (pkt->type == CSF_PKT_TIME)
		see(next, etm3_time(next->config, &next->time, pkt));
	if (pkt->type != CSF_PKT_BAD)
		return;
	next->time = 0;
	next->sync = ETM3_SYNC_NONE;
}

/* Returns true if there is an A-sync, or may be one later on. */
static bool find_async(struct next_time *next)
{
	const size_t n = window_skip(&next->win);

	if (window_at_sync(&next->win))
		next->sync = ETM3_SYNC_ISYNC;
	return n || next->sync != ETM3_SYNC_NONE;
}

static void see_fed(struct next_time *next)
{
	struct window *win = &next->win;
	struct csf_packet pkt;
	int size;

	while (!next->above && window_ready(win)) {
		if (next->sync == ETM3_SYNC_NONE) {
			if (!find_async(next))
				return;
			continue;
		}
		size = etm3_read_window(win, next->config, &pkt);
		if (!etm3_whole(win, &pkt, size))
			return;
		window_take(win, size);
		see_packet(next, &pkt);
	}
}

int etm3_next_time(struct csf_decoder *d, uint64_t bound, uint64_t *last, uint64_t *above)
{
	struct next_time next = {
		.config = &d->config, .time = d->etm3.time, .sync = d->etm3.sync, .bound = bound,
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
