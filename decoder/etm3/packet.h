/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets: from bytes to one struct csf_packet.  The result depends only on bytes and
 * configuration: compressed addresses stay compressed.
 */
#ifndef CSF_ETM3_PACKET_H
#define CSF_ETM3_PACKET_H

#include "../classic/packet.h"

/* The headers that only ETMv3 has. */
#define ETM3_CYCLES		0x04
#define ETM3_DATA_FAILED	0x50
#define ETM3_DATA_LOST		0x62
#define ETM3_DATA_UNTRACED	0x6a	/* 0x7a: with an address */
#define ETM3_ISYNC_CYCLES	0x70
#define ETM3_EXC_ENTRY		0x7e

/*
 * struct csf_packet.info of ISYNC, besides those of classic/packet.h: INFO_LSIP; of BRANCH: the
 * other bits below.
 */
#define ETM3_INFO_LSIP		0x80	/* a load or store multiple is in progress */
#define ETM3_BRANCH_LONG	0x01	/* it has the second exception byte */
#define ETM3_BRANCH_CANCEL	0x20	/* the instruction before it was not completed */
#define ETM3_BRANCH_RESUME	0x40	/* it has the third exception byte: @count */
#define ETM3_BRANCH_OLD		0x80	/* the exception is in the fifth byte of the address */

/* struct csf_packet.info of data packets */
#define ETM3_DATA_A		0x01	/* the header says that there is an address */
#define ETM3_DATA_BIG		0x02	/* big-endian */
#define ETM3_DATA_TAG(info)	((info) >> 4 & 3)

classic_reader etm3_read;

/* The packets of atoms, without and with cycles, by bits 6:1 of their one byte. */
extern const struct csf_packet etm3_atom[2][64] __hidden;

/* That at @p, of one with bit 7 set and bit 0 clear; CSF_PKT_BAD: it is reserved. */
static __always_inline const struct csf_packet *etm3_atom_at(bool cycles, const uint8_t *p)
{
	return &etm3_atom[cycles][*p >> 1 & 0x3f];
}

/*
 * As classic_read_window(), but zeros before those of an A-sync are CSF_PKT_IGNORE if they do not
 * end with it.
 */
static inline int etm3_read_window(const struct window *win, const struct config *c,
				   struct csf_packet *pkt)
{
	const int size = classic_read_window(win, c, pkt, etm3_read), left = win->cut - win->pos;

	if (likely(size <= left) || win->pos == win->cut)
		return size;
	*pkt = (struct csf_packet){ .type = CSF_PKT_IGNORE, .size = left };
	return left;
}

/* As csf_packet_read(), csf_packet_write() and so on. */
int etm3_read_packet(const struct config *c, const uint8_t *p, size_t n, struct csf_packet *pkt);
int etm3_write_packet(const struct config *c, uint8_t *p, const struct csf_packet *pkt);
int etm3_print_packet(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n);
int etm3_parse_packet(const struct config *c, const char *text, struct csf_packet *pkt,
		      const char **where);

#endif /* CSF_ETM3_PACKET_H */
