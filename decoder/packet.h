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

/* Versions in packet-table.h, besides those of config.h. */
enum { LAST_4 = 0x4f, LATEST = 0xff };

/* What a unit must have for a packet to exist. */
enum packet_gate {
	GATE_NONE,
	GATE_M,		/* M profile */
	GATE_DATA,	/* data trace */
	GATE_COND,	/* conditional instruction trace */
	GATE_Q,
	GATE_ITE,
};

/* How the payload is laid out. */
enum packet_shape {
	SHAPE_BAD,	/* no such header */
	SHAPE_NONE,	/* no payload */
	SHAPE_BITS2,	/* the low bits of the header */
	SHAPE_BITS3,
	SHAPE_BITS4,
	SHAPE_EXTENSION,
	SHAPE_INFO,
	SHAPE_TIME,
	SHAPE_EXCEPTION,
	SHAPE_ITE,
	SHAPE_CC1,
	SHAPE_CC2,
	SHAPE_CC3,
	SHAPE_COMMIT,
	SHAPE_CANCEL1,
	SHAPE_MISPREDICT,
	SHAPE_CANCEL3,
	SHAPE_COND_I1,
	SHAPE_COND_I3,
	SHAPE_COND_R1,
	SHAPE_COND_R3,
	SHAPE_CONTEXT,
	SHAPE_CTXT32,
	SHAPE_CTXT64,
	SHAPE_SHORT,
	SHAPE_LONG32,
	SHAPE_LONG64,
	SHAPE_Q_MATCH,
	SHAPE_Q_SHORT,
	SHAPE_Q_LONG32,
	SHAPE_Q_COUNT,
	SHAPE_ATOM,
};

/**
 * struct packet_row - what a header byte starts
 * @type: enum csf_packet_type; CSF_PKT_BAD: nothing
 * @shape: enum packet_shape
 * @first: first header of the row
 * @gate: enum packet_gate
 * @since: versions
 * @until: versions
 * @gated: not every version and configuration has it
 */
struct packet_row {
	uint8_t type;
	uint8_t shape;
	uint8_t first;
	uint8_t gate;
	uint8_t since;
	uint8_t until;
	bool gated;
};

/* By header; by second byte of an extension. */
extern const struct packet_row packet_row[256] __hidden;
extern const struct packet_row packet_extension[8] __hidden;

/* Atom packets, by header - 0xc0: number of atoms << 24 | outcomes, oldest in bit 0. */
extern const uint32_t packet_atom[64] __hidden;

/**
 * struct packet_address - how to read the headers 90 to 9f without a branch
 * @keep: what stays of the last address: [1] if it is a short one with a second byte
 * @keep1: of the last but one
 * @keep2: of the one before
 * @high: payload bits that are address bits of the same number
 * @val: exact match: the entry; reserved: the header
 * @type: enum csf_packet_type
 * @size: bytes, without the second of a short address
 * @n: address bits, likewise
 * @brief: 1: a short address, bit 7 of its first byte says that a second follows
 * @low: bits of the first byte, which go to bit 2, or 1 with CSF_PKT_IS1
 * @mid: bits of the second byte, which go to bit 9, or 8; likewise [1] if there is one
 * @flags: 0 or CSF_PKT_IS1
 */
struct packet_address {
	uint64_t keep[2];
	uint64_t keep1, keep2;
	uint64_t high;
	uint8_t val;
	uint8_t type;
	uint8_t size;
	uint8_t n;
	uint8_t brief;
	uint8_t low;
	uint8_t mid[2];
	uint8_t flags;
} __attribute__((aligned(64)));

/* By header - 0x90. */
extern const struct packet_address packet_address[16] __hidden;

/* The name in listings and cases; "bad" for what is none. */
const char *packet_name(enum csf_packet_type type);

int packet_read_payload(const struct config *c, const uint8_t *p, struct csf_packet *pkt);

/**
 * packet_cut() - make of a packet one that was cut off
 * @p: header byte, CSF_PACKET_MAX bytes are readable
 * @n: bytes there are of it, fewer than it should have
 * @pkt: what packet_read() made of it
 *
 * Return: @n.
 */
int packet_cut(const uint8_t *p, size_t n, struct csf_packet *pkt);

/**
 * packet_write() - the bytes of a packet
 * @p: CSF_PACKET_MAX bytes
 * @pkt: fields that are not its type's must be 0; @size does not matter, but for CSF_PKT_BAD,
 *       whose first 8 bytes are in it
 *
 * Return: bytes written; 0 if no bytes read as this packet in this configuration.
 */
int packet_write(const struct config *c, uint8_t *p, const struct csf_packet *pkt);

/*
 * A target address without context, or a reserved header among them.  Which it is
 * no processor can guess, so nothing here depends on it but data.
 */
static __always_inline int packet_read_address(const uint8_t *p, struct csf_packet *pkt)
{
	const struct packet_address *a = &packet_address[*p & 0xf];
	uint64_t payload = get_le64(p + 1);
	unsigned int more = payload >> 7 & a->brief;
	uint64_t addr = (payload & a->low) << 2 | (payload >> 8 & a->mid[more]) << 9;

	*pkt = (struct csf_packet){
		.type = a->type,
		.flags = a->flags,
		.n = a->n + 8 * more,
		.val = (payload & a->high) | addr >> a->flags | a->val,
		.size = a->size + more,
	};
	return a->size + more;
}

/**
 * packet_address_at() - what packet_read_address() reads, and what it takes over, in one
 * @p: header, 90 to 9f
 * @last: the last three addresses, newest first, with the instruction set bit in bit 0
 * @at: the address, likewise
 * @size: bytes to take
 *
 * Return: false if the header is reserved.
 */
static __always_inline bool packet_address_at(const uint8_t *p, const uint64_t last[3],
					      uint64_t *at, unsigned int *size)
{
	const struct packet_address *a = &packet_address[*p & 0xf];
	uint64_t payload = get_le64(p + 1);
	unsigned int more = payload >> 7 & a->brief;
	uint64_t addr = (payload & a->low) << 2 | (payload >> 8 & a->mid[more]) << 9;

	*at = (last[0] & a->keep[more]) | (last[1] & a->keep1) | (last[2] & a->keep2) |
	      (payload & a->high) | addr >> a->flags | a->flags;
	*size = a->size + more;
	return a->type != CSF_PKT_BAD;
}

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

	if ((header & 0xf0) == 0x90)
		return packet_read_address(p, pkt);
	return packet_read_payload(c, p, pkt);
}

#endif /* CSF_PACKET_H */
