/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets of ITM and DWT: bytes to struct, and back.  Fields: see struct csf_packet. */
#ifndef CSF_ITM_PACKET_H
#define CSF_ITM_PACKET_H

#include "../bytes.h"
#include "../window.h"

#define ITM_SYNC_ZEROS	5
/* Of a longer run of zeros before the 0x80, so many can be in one packet. */
#define ITM_ZEROS_MAX	(CSF_PACKET_MAX - 1)

/* Bits of csf_packet.info of a CSF_PKT_GLOBAL_TIME1. */
#define ITM_CLOCK	0x01
#define ITM_WRAP	0x02

enum itm_shape {
	SHAPE_SYNC,
	SHAPE_NONE,
	SHAPE_SOURCE,		/* 1, 2 or 4 bytes */
	SHAPE_HEADER,		/* the value is in the header */
	SHAPE_LOCAL,		/* 7 bits a byte, up to 28 */
	SHAPE_GLOBAL1,		/* likewise, up to 26, and two flags */
	SHAPE_GLOBAL2,		/* 22 or 38 bits */
	SHAPE_EXTENSION,	/* 3 bits in the header, and up to 4 bytes */
};

struct itm_row {
	uint8_t mask, bits, type, shape;
	const char *name;
};

#define ITM_ROWS	13
extern const struct itm_row itm_row[ITM_ROWS] __hidden;

/**
 * itm_packet_read() - read a packet
 * @p: CSF_PACKET_MAX bytes, whatever they are
 * @pkt: zeroed
 *
 * Return: its size.
 */
int itm_packet_read(const uint8_t *p, struct csf_packet *pkt);

/* Turns @pkt into one that was cut off after @n bytes, unless it is bad anyway.  Return: @n. */
int itm_cut(const uint8_t *p, size_t n, struct csf_packet *pkt);

/* Reads the packet at @win->pos, up to the next cut or the end; call when window_ready(). */
int itm_read(const struct window *win, struct csf_packet *pkt);

#endif /* CSF_ITM_PACKET_H */
