// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The packet monitor: every byte of a stream is in one packet, good or bad. */
#include <stdlib.h>

#include "window.h"

/**
 * struct csf_monitor - a stream of packets
 * @win: the bytes
 * @config: what they mean
 * @synced: the next packet starts at @win.pos; else an A-sync must be found
 */
struct csf_monitor {
	struct window win;
	struct config config;
	bool synced;
};

int csf_monitor_new(struct csf_monitor **mon, const struct csf_config *config)
{
	struct csf_monitor *own;
	struct config c;

	if (!mon)
		return CSF_ERR_ARG;
	*mon = NULL;
	if (config_read(&c, config))
		return CSF_ERR_CONFIG;

	own = calloc(1, sizeof(*own));
	if (!own)
		return CSF_ERR_MEMORY;
	own->config = c;
	window_reset(&own->win);
	*mon = own;
	return 0;
}

void csf_monitor_free(struct csf_monitor *mon)
{
	free(mon);
}

int csf_monitor_feed(struct csf_monitor *mon, const void *trace, size_t n)
{
	if (!mon || (!trace && n))
		return CSF_ERR_ARG;
	return window_feed(&mon->win, trace, n);
}

int csf_monitor_end(struct csf_monitor *mon)
{
	if (!mon)
		return CSF_ERR_ARG;
	window_end(&mon->win);
	return 0;
}

/* Up to CSF_PACKET_MAX bytes, all of them before the next A-sync. */
static int read_unsynced(const struct window *win, struct csf_packet *packet)
{
	size_t n = win->cut - win->pos;

	if (n > CSF_PACKET_MAX)
		n = CSF_PACKET_MAX;
	*packet = (struct csf_packet){
		.type = CSF_PKT_BAD,
		.n = CSF_BAD_UNSYNC,
		.size = n,
		.val = get_le64(win->pos) & low_bits(8 * n),
	};
	return n;
}

static int read_synced(struct csf_monitor *mon, struct csf_packet *packet)
{
	int size;

	*packet = (struct csf_packet){ 0 };
	size = window_read(&mon->win, &mon->config, packet);
	mon->synced = packet->type != CSF_PKT_BAD;
	return size;
}

/* Any packet, cut or not; out of line, so that the usual ones need no registers saved. */
static noinline int next_any(struct csf_monitor *mon, struct csf_packet *packet,
			     uint64_t *offset, const uint8_t **bytes)
{
	struct window *win = &mon->win;
	int size;

	if (!window_ready(win)) {
		mon->synced = mon->synced && !win->ended;
		return 0;
	}

	mon->synced = mon->synced || window_at_sync(win);
	size = mon->synced ? read_synced(mon, packet) : read_unsynced(win, packet);
	if (offset)
		*offset = window_offset(win, win->pos);
	if (bytes)
		*bytes = win->pos;
	window_take(win, size);
	return 1;
}

int csf_monitor_next(struct csf_monitor *mon, struct csf_packet *packet, uint64_t *offset,
		     const uint8_t **bytes)
{
	const uint8_t *p;
	int size = 1;

	if (!mon || !packet)
		return CSF_ERR_ARG;

	p = mon->win.pos;
	if (unlikely(!mon->synced || p >= mon->win.safe))
		return next_any(mon, packet, offset, bytes);

	if (*p >= 0xc0) {
		uint32_t atom = packet_atom[*p - 0xc0];

		*packet = (struct csf_packet){
			.type = CSF_PKT_ATOM, .size = 1, .n = atom >> 24, .val = atom & 0xffffff,
		};
	} else if ((*p & 0xf0) == 0x90) {
		size = packet_read_address(p, packet);
		mon->synced = packet->type != CSF_PKT_BAD;
	} else {
		return next_any(mon, packet, offset, bytes);
	}

	mon->win.pos = p + size;
	if (offset)
		*offset = window_offset(&mon->win, p);
	if (bytes)
		*bytes = p;
	return 1;
}
