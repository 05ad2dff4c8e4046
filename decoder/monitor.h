/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CSF_MONITOR_H
#define CSF_MONITOR_H

#include "protocol.h"
#include "window.h"

/**
 * struct csf_monitor - a stream of packets
 * @win: the bytes
 * @config: how to read them
 * @protocol: protocol of @config
 * @committing: makes elements of the bytes, for committed packets; owned; NULL: all packets are
 *              read
 * @synced: the next packet starts at @win.pos; otherwise an A-sync must be found first
 */
struct csf_monitor {
	struct window win;
	struct config config;
	const struct protocol *protocol;
	struct csf_decoder *committing;
	bool synced;
};

/* -------- for struct protocol: @read_packets */

/**
 * struct monitor_rules - how a protocol reads packets; a constant, so that nothing is called
 *			  through it
 * @quick: the same as @read for good packets that are frequent, but returns the end; NULL: it is
 *         another
 * @read: unpacks the packet at @p, as csf_packet_read(), but it may reach past the end
 * @read_window: unpacks that at @win->pos; one that reaches past the cut is cut off
 * @loses_sync: must an A-sync be found after @packet?
 */
struct monitor_rules {
	const uint8_t *(*quick)(const struct config *c, const uint8_t *p,
				struct csf_packet *packet);
	int (*read)(const struct config *c, const uint8_t *p, struct csf_packet *packet);
	int (*read_window)(const struct window *win, const struct config *c,
			   struct csf_packet *packet);
	bool (*loses_sync)(const struct csf_packet *packet);
};

/* Up to CSF_PACKET_MAX bytes, all before the next A-sync. */
static inline int monitor_read_unsynced(const struct window *win, struct csf_packet *packet)
{
	size_t n = win->cut - win->pos;

	if (n > CSF_PACKET_MAX)
		n = CSF_PACKET_MAX;
	*packet = (struct csf_packet){
		.type = CSF_PKT_BAD, .n = CSF_BAD_UNSYNC, .size = n,
		.val = get_le64(win->pos) & low_bits(8 * n),
	};
	return n;
}

/* Reads any packet, cut or not. */
static __always_inline void monitor_read_any(struct csf_monitor *mon, struct csf_packet *packet,
					     const struct monitor_rules *r)
{
	struct window *win = &mon->win;
	int size;

	mon->synced = mon->synced || window_at_sync(win);
	if (mon->synced) {
		*packet = (struct csf_packet){ 0 };
		size = r->read_window(win, &mon->config, packet);
		mon->synced = !r->loses_sync(packet);
	} else {
		size = monitor_read_unsynced(win, packet);
	}
	window_take(win, size);
}

/* Reads whole packets before the next cut, up to the first bad one.  Returns the end. */
static __always_inline struct csf_packet *monitor_read_whole(struct csf_monitor *mon,
							     struct csf_packet *out,
							     const struct csf_packet *end,
							     const struct monitor_rules *r)
{
	const uint8_t *p = mon->win.pos, *const cut = mon->win.cut;
	const uint8_t *const limit = cut < mon->win.limit ? cut : mon->win.limit;

	while (p < limit && out < end) {
		const uint8_t *const next = r->quick(&mon->config, p, out);

		if (likely(next)) {
			p = next;
			out++;
			continue;
		}
		p += r->read(&mon->config, p, out);
		if (unlikely(r->loses_sync(out++))) {
			mon->synced = false;
			break;
		}
	}
	/* Only the last can reach past the cut: it is left to monitor_read_any(). */
	if (unlikely(p > cut)) {
		p -= (--out)->size;
		mon->synced = true;
	}
	mon->win.pos = p;
	return out;
}

/* After a refill of the window the bytes are elsewhere: they are for the next call. */
static __always_inline size_t monitor_read(struct csf_monitor *mon, struct csf_packet *packets,
					   size_t max, const struct monitor_rules *r)
{
	struct csf_packet *out = packets;
	struct window *win = &mon->win;

	do {
		if (likely(mon->synced))
			out = monitor_read_whole(mon, out, packets + max, r);
		if (out < packets + max && win->pos < win->limit)
			monitor_read_any(mon, out++, r);
	} while (out < packets + max && win->pos < win->limit);
	return out - packets;
}

#endif /* CSF_MONITOR_H */
