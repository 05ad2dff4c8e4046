/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets of an MTB: two words, little-endian, the source and the destination of a branch.
 *
 * Bit 0 of the source: it is an exception, or a change of the PC in debug state.  Bit 0 of the
 * destination: trace started there.  Any eight bytes are a packet.
 *
 * Source: ARM DDI 0486, "MTB execution trace packet format".
 */
#ifndef CSF_MTB_PACKET_H
#define CSF_MTB_PACKET_H

#include "../config.h"

#define MTB_SIZE	8	/* bytes of a packet */

/* csf_packet.info */
#define MTB_EXCEPTION	0x01
#define MTB_START	0x02

/* These are functions of mtb_protocol: see ../protocol.h. */
int mtb_read_packet(const struct config *c, const uint8_t *p, size_t n, struct csf_packet *pkt);
int mtb_write_packet(const struct config *c, uint8_t *p, const struct csf_packet *pkt);
int mtb_print_packet(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n);
int mtb_parse_packet(const struct config *c, const char *text, struct csf_packet *pkt,
		     const char **where);

#endif /* CSF_MTB_PACKET_H */
