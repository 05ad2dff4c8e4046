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
#define PTM_EXC_RESET		8

classic_reader ptm_read;

/**
 * struct ptm_atoms - the atoms of a packet without cycles
 * @n: their number; 0: it has none
 * @bits: 1: E, oldest in bit 0
 */
struct ptm_atoms {
	uint8_t n;
	uint8_t bits;
};

extern const struct ptm_atoms ptm_atoms[256] __hidden;

/* Those of the packet at @p; of a branch, one E. */
static inline struct ptm_atoms ptm_atoms_at(const uint8_t *p)
{
	return ptm_atoms[*p];
}

/* For struct protocol. */
int ptm_read_packet(const struct config *c, const uint8_t *p, size_t n, struct csf_packet *pkt);
int ptm_write_packet(const struct config *c, uint8_t *p, const struct csf_packet *pkt);
int ptm_print_packet(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n);
int ptm_parse_packet(const struct config *c, const char *text, struct csf_packet *pkt,
		     const char **where);

#endif /* CSF_PTM_PACKET_H */
