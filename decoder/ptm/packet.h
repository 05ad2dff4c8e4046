/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets of PTM: from bytes to one struct csf_packet.  The unit of a short address depends on the
 * instruction set, which is not known here.
 *
 * Source: ARM IHI 0035, "Program flow trace packets".
 */
#ifndef CSF_PTM_PACKET_H
#define CSF_PTM_PACKET_H

#include "../classic/packet.h"

#define PTM_WAYPOINT		0x72	/* the header that only PTM has */

/* Numbers of exceptions that need care. */
#define PTM_EXC_HALT		1
#define PTM_EXC_RESET		8

classic_reader ptm_read;

/* The packets of atoms without cycles, by bits 6:1 of their one byte. */
extern const struct csf_packet ptm_atom[64] __hidden;

/* That at @p, of one with bit 7 set and bit 0 clear; CSF_PKT_BAD: it is reserved. */
static __always_inline const struct csf_packet *ptm_atom_at(const uint8_t *p)
{
	return &ptm_atom[*p >> 1 & 0x3f];
}

#define PTM_COUNT_MAX	5	/* bytes of a cycle count */

/*
 * A cycle count.  The byte at @p + @at has bits 3:0 at 5:2, and at 6 whether the rest is at @n: up
 * to four bytes of seven bits.  Return: the bytes of the packet so far.
 */
static __always_inline unsigned int ptm_read_count(const uint8_t *p, unsigned int at,
						   unsigned int n, uint32_t *count)
{
	*count = p[at] >> 2 & 15;
	if (likely(!(p[at] & 0x40)))
		return n;
	for (unsigned int shift = 4; shift < 32; shift += 7) {
		*count |= (uint32_t)(p[n] & 0x7f) << shift;
		if (!(p[n++] & 0x80))
			break;
	}
	return n;
}

/* For struct protocol. */
int ptm_read_packet(const struct config *c, const uint8_t *p, size_t n, struct csf_packet *pkt);
int ptm_write_packet(const struct config *c, uint8_t *p, const struct csf_packet *pkt);
int ptm_print_packet(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n);
int ptm_parse_packet(const struct config *c, const char *text, struct csf_packet *pkt,
		     const char **where);

#endif /* CSF_PTM_PACKET_H */
