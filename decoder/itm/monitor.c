// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the available packets, good or bad.  After a bad one the next begins. */
#include "parts.h"

size_t itm_read_packets(struct csf_monitor *mon, struct csf_packet *packets, size_t max)
{
	struct window *win = &mon->win;
	size_t n = 0;

	do
		window_take(win, itm_read(win, &packets[n++]));
	while (n < max && win->pos < win->limit);
	return n;
}
