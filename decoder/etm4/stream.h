/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The packets in a window of bytes. */
#ifndef CSF_ETM4_STREAM_H
#define CSF_ETM4_STREAM_H

#include "../window.h"
#include "packet.h"

#define ETM4_SYNC_ZEROS	11
#define ETM4_SYNC_SIZE	12

/**
 * etm4_read() - read the packet at @win->pos; call only when window_ready()
 *
 * As packet_read(), but a packet that reaches past the cut or the end is CSF_BAD_CUT.
 *
 * Return: number of bytes to take: never past the next cut, except for an A-sync itself.
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

/*
 * May the packet of @size bytes that etm4_read() returned be taken?  If not, calls window_keep().
 */
static inline bool etm4_whole(const struct window *win, const struct csf_packet *pkt, int size)
{
	return likely(!win->flush) || etm4_flushes(win, pkt, size);
}

/*
 * Call when @win->pos has come too near to the cut for @safe: reads on to the packet that would
 * reach past the cut.  All packets before that are safe, too.  Not while @flush.
 */
void etm4_look(struct window *win, const struct config *c);

/* Maximum size of a packet of atoms, or of an address without context. */
#define ETM4_NEAR	9

static inline const uint8_t *etm4_near(const struct window *win)
{
	return window_near(win, ETM4_NEAR);
}

#endif /* CSF_ETM4_STREAM_H */
