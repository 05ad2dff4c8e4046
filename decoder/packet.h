/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets: bytes in, one struct csf_packet out.
 *
 * packet_read() is a pure function of the bytes and the configuration: it keeps
 * no state, resolves no compressed address and knows nothing of instructions.
 */
#ifndef CSF_PACKET_H
#define CSF_PACKET_H

#include "config.h"

/* Atom packets, by header - 0xc0: number of atoms << 24 | outcomes, oldest in bit 0. */
extern const uint32_t packet_atom[64];

int packet_read_payload(const struct config *c, const uint8_t *p, struct csf_packet *pkt);

/**
 * packet_read() - unpack the packet at @p
 * @c: configuration
 * @p: header byte; CSF_PACKET_MAX bytes must be readable, whatever they hold
 * @pkt: the packet; @pkt->type is CSF_PKT_BAD if the header or payload is reserved
 *
 * For an atom packet only @type, @size, @n and @val are filled in.
 *
 * Return: bytes taken, 1..CSF_PACKET_MAX.  The caller compares it with what is left
 * of the trace: a packet that reaches past the end is cut off, not bad.
 */
static __always_inline int packet_read(const struct config *c, const uint8_t *p,
				       struct csf_packet *pkt)
{
	uint8_t header = *p;

	/* Nine packets in ten. */
	if (likely(header >= 0xc0)) {
		uint32_t atom = packet_atom[header - 0xc0];

		pkt->type = CSF_PKT_ATOM;
		pkt->n = atom >> 24;
		pkt->val = atom & 0xffffff;
		pkt->size = 1;
		return 1;
	}

	return packet_read_payload(c, p, pkt);
}

#endif /* CSF_PACKET_H */
