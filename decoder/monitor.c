// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The packet monitor: every byte of a stream is in one packet, good or bad. */
#include <stdlib.h>

#include "flow.h"
#include "frames.h"
#include "monitor.h"

int csf_monitor_new(struct csf_monitor **mon, const struct csf_config *config)
{
	struct csf_monitor *own;
	struct config c;

	if (!mon)
		return CSF_ERR_ARG;
	*mon = NULL;
	if (config_read(&c, config) || !protocol_of(&c)->read_packets)
		return CSF_ERR_CONFIG;

	own = calloc(1, sizeof(*own));
	if (!own)
		return CSF_ERR_MEMORY;
	own->config = c;
	own->protocol = protocol_of(&c);
	window_reset(&own->win, own->protocol->sync_zeros);
	*mon = own;
	return 0;
}

void csf_monitor_free(struct csf_monitor *mon)
{
	if (mon)
		csf_free(mon->committing);
	free(mon);
}

/* A decoder without an image: nothing follows its elements. */
int csf_monitor_commit(struct csf_monitor *mon)
{
	struct csf_decoder *d;

	if (!mon || !mon->protocol->read_committed || window_offset(&mon->win, mon->win.end))
		return CSF_ERR_ARG;
	if (mon->committing)
		return 0;
	d = calloc(1, sizeof(*d));
	if (!d)
		return CSF_ERR_MEMORY;
	d->config = mon->config;
	d->config.without |= CSF_WITHOUT_FAST;
	d->protocol = mon->protocol;
	csf_reset(d);
	mon->committing = d;
	return 0;
}

void csf_monitor_reset(struct csf_monitor *mon)
{
	if (!mon)
		return;
	window_reset(&mon->win, mon->protocol->sync_zeros);
	mon->synced = false;
	if (mon->committing)
		csf_reset(mon->committing);
}

int csf_monitor_feed(struct csf_monitor *mon, const void *trace, size_t n)
{
	if (!mon || (!trace && n))
		return CSF_ERR_ARG;
	if (mon->committing)
		return csf_feed(mon->committing, trace, n);
	return window_feed(&mon->win, trace, n);
}

int csf_monitor_end(struct csf_monitor *mon)
{
	if (!mon)
		return CSF_ERR_ARG;
	if (mon->committing)
		return csf_end(mon->committing);
	window_end(&mon->win);
	return 0;
}

long csf_monitor_read(struct csf_monitor *mon, struct csf_packet *packets, size_t max,
		      uint64_t *offset, const uint8_t **bytes)
{
	struct window *win;

	if (!mon || !packets || !max || mon->committing)
		return CSF_ERR_ARG;

	win = &mon->win;
	if (!window_ready(win)) {
		mon->synced = mon->synced && !win->ended;
		return 0;
	}
	if (offset)
		*offset = window_offset(win, win->pos);
	if (bytes)
		*bytes = win->pos;
	return mon->protocol->read_packets(mon, packets, max);
}

int csf_monitor_next(struct csf_monitor *mon, struct csf_packet *packet, uint64_t *offset,
		     const uint8_t **bytes)
{
	return csf_monitor_read(mon, packet, 1, offset, bytes);
}

long csf_monitor_read_committed(struct csf_monitor *mon, struct csf_packet *packets,
				uint64_t *offsets, size_t max, uint64_t *used)
{
	struct csf_decoder *d;
	size_t n;

	if (!mon || !mon->committing || !packets || !offsets || max < 2)
		return CSF_ERR_ARG;
	d = mon->committing;
	n = mon->protocol->read_committed(d, packets, offsets, max);
	if (used)
		*used = window_offset(&d->in.win, d->in.win.pos);
	return n;
}

/* -------- a client of frames */

static int feed(void *mon, const void *bytes, size_t n)
{
	return csf_monitor_feed(mon, bytes, n);
}

static int end(void *mon, bool last)
{
	return csf_monitor_end(mon);
}

static void reset(void *mon)
{
	csf_monitor_reset(mon);
}

static const struct frame_taker monitor_taker = { .feed = feed, .end = end, .reset = reset };

int csf_attach_monitor(struct csf_frames *frames, uint8_t id, struct csf_monitor *mon)
{
	return frames_attach(frames, id, mon, &monitor_taker);
}
