/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The packets in a window of bytes. */
#ifndef CSF_ETM4_STREAM_H
#define CSF_ETM4_STREAM_H

#include "../window.h"
#include "packet.h"

#define ETM4_SYNC_ZEROS	11
#define ETM4_SYNC_SIZE	12

/**
 * etm4_read() - the packet at @win->pos, only when window_ready()
 *
 * As packet_read(), but a packet that the cut or the end cuts off is CSF_BAD_CUT.
 *
 * Return: bytes to take: never past the next cut, except an A-sync itself.
 */
static inline int etm4_read(const struct window *win, const struct config *c,
			    struct csf_packet *pkt)
{
	int size = packet_read(c, win->pos, pkt);

	if (unlikely(size > win->cut - win->pos) && win->pos != win->cut)
		size = packet_cut(win->pos, win->cut - win->pos, pkt);
	return size;
}

/* The slow half of etm4_whole(). */
bool etm4_flushes(const struct window *win, const struct csf_packet *pkt, int size);

/* May the packet of @size bytes that etm4_read() returned be taken?  If not: window_keep(). */
static inline bool etm4_whole(const struct window *win, const struct csf_packet *pkt, int size)
{
	return likely(!win->flush) || etm4_flushes(win, pkt, size);
}

/*
 * Where @win->pos has come too near to the cut for @safe: reads on, up to the packet that would
 * reach past the cut.  All before that are safe, too.  Not while @flush.
 */
void etm4_look(struct window *win, const struct config *c);

/* The longest packet of atoms, or of an address without context. */
#define ETM4_NEAR	9

/* As @win->safe, but of packets up to ETM4_NEAR bytes long only: so it is nearer to the cut. */
static inline const uint8_t *etm4_near(const struct window *win)
{
	const uint8_t *near = win->cut - win->pos >= ETM4_NEAR ?
		win->cut - (ETM4_NEAR - 1) : win->pos;

	/* at the end of what was fed an A-sync may begin that is not a cut yet */
	if (unlikely(win->flush))
		return win->safe;
	return near < win->limit ? near : win->limit;
}

#endif /* CSF_ETM4_STREAM_H */
