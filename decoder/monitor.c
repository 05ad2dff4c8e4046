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

void csf_monitor_reset(struct csf_monitor *mon)
{
	if (!mon)
		return;
	window_reset(&mon->win);
	mon->synced = false;
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
	mon->synced = !packet_loses_sync(packet);
	return size;
}

/* Any packet, cut or not. */
static void read_any(struct csf_monitor *mon, struct csf_packet *packet)
{
	struct window *win = &mon->win;
	int size;

	mon->synced = mon->synced || window_at_sync(win);
	size = mon->synced ? read_synced(mon, packet) : read_unsynced(win, packet);
	window_take(win, size);
}

/* Whole packets before the next cut, up to the first bad one.  Returns behind the last. */
static struct csf_packet *read_whole(struct csf_monitor *mon, struct csf_packet *out,
				     const struct csf_packet *end)
{
	const uint8_t *p = mon->win.pos, *const cut = mon->win.cut, *next;
	const uint8_t *const limit = cut < mon->win.limit ? cut : mon->win.limit;

	while (p < limit && out < end) {
		if (likely(*p >= 0xc0)) {
			*out++ = packet_of_atom[*p++ & 0x3f];
			continue;
		}
		next = packet_read_address(p, out);
		if (next) {
			p = next;
			out++;
			continue;
		}
		p += packet_read_payload(&mon->config, p, out);
		if (unlikely(packet_loses_sync(out++))) {
			mon->synced = false;
			break;
		}
	}
	/* Only the last can reach past the cut: then it is for read_any(). */
	if (unlikely(p > cut)) {
		p -= (--out)->size;
		mon->synced = true;
	}
	mon->win.pos = p;
	return out;
}

long csf_monitor_read(struct csf_monitor *mon, struct csf_packet *packets, size_t max,
		      uint64_t *offset, const uint8_t **bytes)
{
	struct csf_packet *out = packets;
	struct window *win;

	if (!mon || !packets || !max)
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
	/* What the window has to be refilled for lies elsewhere: that is for the next call. */
	do {
		if (likely(mon->synced))
			out = read_whole(mon, out, packets + max);
		if (out < packets + max && win->pos < win->limit)
			read_any(mon, out++);
	} while (out < packets + max && win->pos < win->limit);
	return out - packets;
}

int csf_monitor_next(struct csf_monitor *mon, struct csf_packet *packet, uint64_t *offset,
		     const uint8_t **bytes)
{
	return csf_monitor_read(mon, packet, 1, offset, bytes);
}
