/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets: from bytes to one struct csf_packet.
 *
 * packet_read() is a pure function of the bytes and the configuration: it keeps
 * no state, resolves no compressed address and knows nothing of instructions.
 */
#ifndef CSF_PACKET_H
#define CSF_PACKET_H

#include "../config.h"

/* Versions in packet-table.h, besides those of config.h. */
enum { LAST_4 = 0x4f, LATEST = 0xff };

/* The features that a unit must have for a packet to exist. */
enum packet_gate {
	GATE_NONE,
	GATE_M,		/* M profile */
	GATE_DATA,	/* data trace */
	GATE_COND,	/* conditional instruction trace */
	GATE_Q,
	GATE_ITE,
};

/* The layout of the payload. */
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
 * struct packet_row - the packet that a header byte starts
 * @type: enum csf_packet_type; CSF_PKT_BAD: none
 * @shape: enum packet_shape
 * @first: first header of the row
 * @gate: enum packet_gate
 * @since: first version
 * @until: last version
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

/* Indexed by header; by the second byte of an extension. */
extern const struct packet_row packet_row[256] __hidden;
extern const struct packet_row packet_extension[8] __hidden;

/* Atom packets, indexed by header: @n atoms, the oldest in bit 0 of @bits.  Others: 0. */
struct packet_atoms {
	uint32_t bits;
	uint32_t n;
};

extern const struct packet_atoms packet_atom[256] __hidden;

/* The same as packets, indexed by header - 0xc0. */
extern const struct csf_packet packet_of_atom[64] __hidden;

/**
 * struct packet_back - the effects of a Cancel or Mispredict packet, in this order
 * @n: number of atoms that it adds
 * @atoms: these atoms, oldest in bit 0
 * @cancel: number of newest P0 elements that it cancels; 0 also if the payload gives it
 * @wrong: the newest atom is then inverted
 */
struct packet_back {
	uint8_t n;
	uint8_t atoms;
	uint8_t cancel;
	bool wrong;
};

/* Exception types that ETE gives details of. */
#define TYPE_PE_RESET			0x00
#define TYPE_TRANSACTION_FAILURE	0x18

#define PACKET_BACK	0x2e	/* first of their headers, which end at 0x3f */

/* Indexed by header - PACKET_BACK. */
extern const struct packet_back packet_back[18] __hidden;

/* Indexed by header: 1: a target address without context; reserved headers among them are 0. */
extern const uint8_t packet_is_address[256] __hidden;

/* The name in listings and cases; "bad" for other values. */
const char *packet_name(enum csf_packet_type type);

/*
 * Does sync end with this packet, until the next A-sync?  Not after a Cancel of nothing: it cannot
 * be right, but what follows it may be.
 */
static inline bool packet_loses_sync(const struct csf_packet *pkt)
{
	return pkt->type == CSF_PKT_BAD &&
	       (pkt->n != CSF_BAD_SEQUENCE || pkt->info != CSF_PKT_CANCEL1);
}

int packet_read_payload(const struct config *c, const uint8_t *p, struct csf_packet *pkt);

/**
 * packet_cut() - turn a packet into one that was cut off
 * @p: its header byte; CSF_PACKET_MAX bytes are readable
 * @n: number of bytes it has, fewer than it should have
 * @pkt: the result of packet_read()
 *
 * Return: @n.
 */
int packet_cut(const uint8_t *p, size_t n, struct csf_packet *pkt);

/* As csf_packet_read(), for at least one byte. */
int packet_read_within(const struct config *c, const uint8_t *p, size_t n,
		       struct csf_packet *packet);

/**
 * packet_write() - write the bytes of a packet
 * @p: room for CSF_PACKET_MAX bytes
 * @pkt: the packet; fields that its type does not use must be 0; @size is ignored, except for
 *       CSF_PKT_BAD, which holds up to 8 of its bytes
 *
 * Return: number of bytes written; 0 if no bytes read as this packet in this configuration.
 */
int packet_write(const struct config *c, uint8_t *p, const struct csf_packet *pkt);

/*
 * Reads a base-128 number of at most @max bytes.  The last of them ends it whatever its bit 7 is: a
 * unit never sets that bit, and one damaged byte should not cost the trace up to the next A-sync.
 */
static __always_inline int packet_leb(const uint8_t *p, int n, int max, uint64_t *v)
{
	*v = 0;
	for (int i = 0; i < max; i++) {
		*v |= (uint64_t)(p[n] & 0x7f) << 7 * i;
		if (!(p[n++] & 0x80))
			break;
	}
	return n;
}

/* Reads a cycle count: three bytes at @p + @n, limited to the width of the counter. */
static __always_inline int packet_cycles(const struct config *c, const uint8_t *p, int n,
					 uint32_t *count)
{
	uint64_t wide;

	n = packet_leb(p, n, 3, &wide);
	*count = wide & low_bits(c->etm4.cc_bits);
	return n;
}

/**
 * struct packet_time - a Timestamp packet
 * @val: the low bits of the time
 * @count: cycles, if @has_count
 * @bits: number of these; the other bits do not change
 * @size: size of the packet in bytes
 */
struct packet_time {
	uint64_t val;
	uint32_t count;
	uint8_t bits;
	uint8_t size;
	bool has_count;
};

/* Eight bytes of seven bits, and a ninth of eight; then perhaps a cycle count. */
static __always_inline struct packet_time packet_time(const struct config *c, const uint8_t *p)
{
	struct packet_time t = { .has_count = p[0] & 1 };
	int n = 1;

	do {
		t.val |= (uint64_t)(p[n] & 0x7f) << 7 * (n - 1);
	} while (p[n++] & 0x80 && n < 9);
	t.bits = 7 * (n - 1);
	if (n == 9 && p[n - 1] & 0x80) {
		t.val |= (uint64_t)p[n++] << 56;
		t.bits = 64;
	}
	t.size = t.has_count ? packet_cycles(c, p, n, &t.count) : n;
	return t;
}

/*
 * Reads an address: @is is 0, or 1 for the form that has address bit 1.  A short address has 9 -
 * @is bits in 2 bytes, or 17 - @is in 3.
 */
static __always_inline int packet_short(const uint8_t *p, unsigned int is, uint64_t *val)
{
	*val = (p[1] & 0x7fu) << (2 - is);
	if (!(p[1] & 0x80))
		return 2;
	*val |= (unsigned int)p[2] << (9 - is);
	return 3;
}

/* The first two bytes of the payload: bits 8:2 and 15:9, or 7:1 and 15:8. */
static __always_inline uint32_t packet_long_low(const uint8_t *p, unsigned int is)
{
	return is ? (p[1] & 0x7fu) << 1 | p[2] << 8 : (p[1] & 0x7fu) << 2 | (p[2] & 0x7fu) << 9;
}

static __always_inline uint64_t packet_long32(const uint8_t *p, unsigned int is)
{
	return (get_le32(p + 1) & ~0xffffu) | packet_long_low(p, is);
}

static __always_inline uint64_t packet_long64(const uint8_t *p, unsigned int is)
{
	return (get_le64(p + 1) & ~0xffffull) | packet_long_low(p, is);
}

static __always_inline const uint8_t *packet_read_short(const uint8_t *p, unsigned int is,
							struct csf_packet *pkt)
{
	uint64_t val;

	if (packet_short(p, is, &val) == 2) {
		*pkt = (struct csf_packet){ .type = CSF_PKT_ADDR_SHORT, .size = 2, .n = 9 - is,
					    .flags = is, .val = val };
		return p + 2;
	}
	*pkt = (struct csf_packet){ .type = CSF_PKT_ADDR_SHORT, .size = 3, .n = 17 - is,
				    .flags = is, .val = val };
	return p + 3;
}

static __always_inline const uint8_t *packet_read_long32(const uint8_t *p, unsigned int is,
							 struct csf_packet *pkt)
{
	*pkt = (struct csf_packet){ .type = CSF_PKT_ADDR32, .size = 5, .n = 32, .flags = is,
				    .val = packet_long32(p, is) };
	return p + 5;
}

static __always_inline const uint8_t *packet_read_long64(const uint8_t *p, unsigned int is,
							 struct csf_packet *pkt)
{
	*pkt = (struct csf_packet){ .type = CSF_PKT_ADDR64, .size = 9, .n = 64, .flags = is,
				    .val = packet_long64(p, is) };
	return p + 9;
}

/*
 * Reads a target address without context.  Branches find its length: they are usually predicted,
 * and then the next packet is begun before this header has been looked at, while a size from a
 * table would come later than all the rest takes.
 *
 * Return: the end of the packet; NULL: it is another packet.
 */
static __always_inline const uint8_t *packet_read_address(const uint8_t *p, struct csf_packet *pkt)
{
	if (*p == 0x95)
		return packet_read_short(p, 0, pkt);
	if (*p == 0x9a)
		return packet_read_long32(p, 0, pkt);
	if (*p == 0x9d)
		return packet_read_long64(p, 0, pkt);
	if (*p - 0x90u < 3) {
		*pkt = (struct csf_packet){ .type = CSF_PKT_ADDR_MATCH, .size = 1, .val = *p & 3 };
		return p + 1;
	}
	if (*p == 0x96)
		return packet_read_short(p, 1, pkt);
	if (*p == 0x9b)
		return packet_read_long32(p, 1, pkt);
	return *p == 0x9e ? packet_read_long64(p, 1, pkt) : NULL;
}

/* As packet_address_at(), for a short address. */
static __always_inline unsigned int packet_short_at(const uint8_t *p, unsigned int is,
						    uint64_t last, uint64_t *at)
{
	uint64_t val;

	if (packet_short(p, is, &val) == 2) {
		*at = (last & -1ull << (9 - is)) | val | is;
		return 2;
	}
	*at = (last & -1ull << (17 - is)) | val | is;
	return 3;
}

/**
 * packet_address_at() - read as packet_read_address(), and complete the address, in one call
 * @p: header
 * @last: the last three addresses, newest first, with the instruction set bit in bit 0
 * @at: set to the address, likewise
 *
 * Return: size of the packet; 0: it is another packet.
 */
static __always_inline unsigned int packet_address_at(const uint8_t *p, const uint64_t last[3],
						      uint64_t *at)
{
	/* Compared one by one: a jump through a table is often mispredicted. */
	if (*p == 0x95)
		return packet_short_at(p, 0, last[0], at);
	if (*p == 0x9a) {
		*at = (last[0] & -1ull << 32) | packet_long32(p, 0);
		return 5;
	}
	if (*p - 0x90u < 3) {
		*at = last[*p & 3];
		return 1;
	}
	switch (*p) {
	case 0x96:
		return packet_short_at(p, 1, last[0], at);
	case 0x9b:
		*at = (last[0] & -1ull << 32) | packet_long32(p, 1) | 1;
		return 5;
	case 0x9d:
		*at = packet_long64(p, 0);
		return 9;
	case 0x9e:
		*at = packet_long64(p, 1) | 1;
		return 9;
	default:
		return 0;
	}
}

/* Adds @at to the last three addresses, as the newest. */
static __always_inline void packet_keep_address(uint64_t last[3], uint64_t at)
{
	last[2] = last[1];
	last[1] = last[0];
	last[0] = at;
}

/**
 * packet_read() - unpack the packet at @p
 * @c: configuration
 * @p: header byte; CSF_PACKET_MAX bytes must be readable, whatever they hold
 * @pkt: set to the packet; @pkt->type is CSF_PKT_BAD if the header or payload is reserved
 *
 * For an atom packet only @type, @size, @n and @val are filled in.
 *
 * Return: size in bytes, 1..CSF_PACKET_MAX.  The caller compares it with the rest of the trace: a
 * packet that reaches past the end is cut off, not bad.
 */
static __always_inline int packet_read(const struct config *c, const uint8_t *p,
				       struct csf_packet *pkt)
{
	uint8_t header = *p;

	/* Nine packets in ten. */
	if (likely(header >= 0xc0)) {
		const struct packet_atoms *atoms = &packet_atom[header];

		pkt->type = CSF_PKT_ATOM;
		pkt->n = atoms->n;
		pkt->val = atoms->bits;
		pkt->size = 1;
		return 1;
	}

	return packet_read_payload(c, p, pkt);
}

#endif /* CSF_PACKET_H */
