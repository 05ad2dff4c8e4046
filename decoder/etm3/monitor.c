// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the available packets, good or bad. */
#include "../monitor.h"
#include "parts.h"

/* Up to CSF_PACKET_MAX bytes, all before the next A-sync. */
static int read_unsynced(const struct window *win, struct csf_packet *packet)
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

size_t etm3_read_packets(struct csf_monitor *mon, struct csf_packet *packets, size_t max)
{
	struct csf_packet *out = packets;
	struct window *win = &mon->win;

	do {
		int size;

		mon->synced = mon->synced || window_at_sync(win);
		if (mon->synced)
			size = etm3_read_window(win, &mon->config, out);
		else
			size = read_unsynced(win, out);
		mon->synced = out->type != CSF_PKT_BAD;
		out++;
		window_take(win, size);
	} while (out < packets + max && win->pos < win->limit);
	return out - packets;
}
