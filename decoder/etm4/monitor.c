// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the available packets, good or bad. */
#include "parts.h"
#include "stream.h"

/* Up to CSF_PACKET_MAX bytes, all before the next A-sync. */
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
	size = etm4_read(&mon->win, &mon->config, packet);
	mon->synced = !packet_loses_sync(packet);
	return size;
}

/* Reads any packet, cut or not. */
static void read_any(struct csf_monitor *mon, struct csf_packet *packet)
{
	struct window *win = &mon->win;
	int size;

	mon->synced = mon->synced || window_at_sync(win);
	size = mon->synced ? read_synced(mon, packet) : read_unsynced(win, packet);
	window_take(win, size);
}

/* Reads whole packets before the next cut, up to the first bad one.  Returns the end. */
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
	/* Only the last can reach past the cut: it is left to read_any(). */
	if (unlikely(p > cut)) {
		p -= (--out)->size;
		mon->synced = true;
	}
	mon->win.pos = p;
	return out;
}

/* After a refill of the window the bytes are elsewhere: they are for the next call. */
size_t etm4_read_packets(struct csf_monitor *mon, struct csf_packet *packets, size_t max)
{
	struct csf_packet *out = packets;
	struct window *win = &mon->win;

	do {
		if (likely(mon->synced))
			out = read_whole(mon, out, packets + max);
		if (out < packets + max && win->pos < win->limit)
			read_any(mon, out++);
	} while (out < packets + max && win->pos < win->limit);
	return out - packets;
}
