// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stream.h"

/* The end of a packet, if it is one that is frequent with speculation; otherwise NULL. */
static const uint8_t *behind_frequent(const uint8_t *p)
{
	struct csf_packet pkt;

	if (*p >= 0xc0)
		return p + 1;
	if (*p == 0x2d && p[1] < 0x80)
		return p + 2;
	return packet_read_address(p, &pkt);
}

void etm4_look(struct window *win, const struct config *c)
{
	const uint8_t *p = win->pos;
	struct csf_packet pkt;
	int size;

	while (p < win->limit && p < win->cut) {
		const uint8_t *behind = behind_frequent(p);

		pkt.type = CSF_PKT_ATOM;
		size = behind ? behind - p : packet_read(c, p, &pkt);
		if (pkt.type == CSF_PKT_BAD || size > win->cut - p)
			break;
		p += size;
	}
	win->safe = p < win->limit ? p : win->limit;
}

/* Does the byte after an exception still have to say whether its address is unknown? */
static bool goes_on(const struct window *win, const struct csf_packet *pkt, int size)
{
	return pkt->type == CSF_PKT_EXCEPTION && !(pkt->flags & CSF_PKT_UNKNOWN) &&
	       size == win->end - win->pos;
}

bool etm4_flushes(const struct window *win, const struct csf_packet *pkt, int size)
{
	if (!window_is_open(win))
		return true;
	if (pkt->type == CSF_PKT_BAD && pkt->n == CSF_BAD_CUT)
		return false;
	return !goes_on(win, pkt, size) && window_flushes(win, size);
}
