/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets of ETMv3 and PTM as OpenCSD reads them, passes them to clients and prints them.
 *
 *	packet-older-read.c	bytes to packets
 *	packet-etm3.c, packet-ptm.c
 *				the structure of a packet that clients get, and its words
 *	packet-older.c		what both have
 */
#ifndef OPENCSD_PACKET_OLDER_H
#define OPENCSD_PACKET_OLDER_H

#include "abi-older.h"
#include "packet.h"

/*
 * Takes up to @n bytes; the first has the index @idx, and so on.  ocsd_reader.ptm says which
 * protocol it is; of the bytes that are not in a packet yet, so many were looked at: @seen.
 *
 * Return: number of bytes taken.
 */
size_t ocsd_read_older(struct ocsd_reader *r, const uint8_t *p, size_t n, uint64_t idx);

/* Finds the next packet, or two, in the bytes taken.  Returns false if there is none. */
bool ocsd_read_older_next(struct ocsd_reader *r);

/* The next byte is of another frame, or comes later: bytes out of sync are packets of their own. */
void ocsd_read_older_pause(struct ocsd_reader *r);

/* No bytes follow: an unfinished packet is incomplete. */
void ocsd_read_older_end(struct ocsd_reader *r);

/*
 * Makes the next packet of a stream.  Before the first, @p is as ocsd_etm3_start() makes it.
 * @header: its first byte
 */
void ocsd_etm3_start(struct abi_etm3_packet *p);
void ocsd_etm3_make(struct abi_etm3_packet *p, const struct csf_config *config,
		    const struct csf_packet *pkt, uint8_t header);

void ocsd_ptm_start(struct abi_ptm_packet *p);
void ocsd_ptm_make(struct abi_ptm_packet *p, const struct csf_config *config,
		   const struct csf_packet *pkt);

/* Writes "NAME : description" and the details, without the end of the line. */
void ocsd_etm3_text(struct out *o, const struct abi_etm3_packet *p);
void ocsd_ptm_text(struct out *o, const struct abi_ptm_packet *p);

/* ---------------------------------------------------------------- what both have */

/* struct csf_packet.info */
#define OLDER_LONG	0x01	/* BRANCH of ETMv3: says whether Hyp */
#define OLDER_HYP	0x02
#define OLDER_ALT	0x04
#define OLDER_NS	0x08
#define OLDER_JAZELLE	0x10
#define OLDER_CANCEL	0x20	/* BRANCH of ETMv3 */
#define OLDER_RESUME	0x40	/* likewise, with csf_packet.count */
#define OLDER_OLD	0x80	/* likewise: of the older form */
#define OLDER_LSIP	0x80	/* ISYNC of ETMv3 */
#define OLDER_REASON(i)	((i) >> 5 & 3)

/* Instruction sets are enum abi_isa and ABI_TEE, ABI_JAZELLE: see abi_element.isa. */
uint32_t ocsd_older_isa(const struct csf_packet *pkt);

/* Completes an address by one of @pkt, and takes over the instruction set of a full one. */
void ocsd_older_address(struct abi_older_address *a, uint32_t *isa, const struct csf_packet *pkt);

/* Takes over the state that @pkt names.  @hyp: also whether it is Hyp mode. */
void ocsd_older_state(struct abi_older_context *c, const struct csf_packet *pkt, bool hyp);

/* Prints "Addr=0x.. ~[0x..]"; @name: in place of "Addr". */
void ocsd_older_put_address(struct out *o, const char *name, const struct abi_older_address *a);

/* "ISA=Thumb2; " */
void ocsd_older_put_isa(struct out *o, uint32_t isa);

/* "NS; Hyp; " */
void ocsd_older_put_state(struct out *o, const struct abi_older_context *c);

/* "(Trace Enable); " */
void ocsd_older_put_reason(struct out *o, uint32_t reason);

/* "IRQ" */
const char *ocsd_older_exception(uint32_t kind);

/* @width: digits at least */
void ocsd_older_put_capitals(struct out *o, uint64_t v, int width);

#endif /* OPENCSD_PACKET_OLDER_H */
