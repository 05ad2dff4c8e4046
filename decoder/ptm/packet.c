// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "packet.h"

/* @n atoms after a leading one, the oldest next to it; in @v 1 is N. */
#define REVERSE(v)	\
	(((v) >> 4 & 1) | ((v) >> 2 & 2) | ((v) & 4) | ((v) << 2 & 8) | ((v) << 4 & 16))
#define ONE(n_, v)	{							\
	.type = CSF_PKT_ATOM, .size = 1, .n = (n_),				\
	.val = REVERSE(~(v) & ((1 << (n_)) - 1)) >> (5 - (n_)),			\
}

#define TWO(n, v)	ONE(n, v), ONE(n, (v) + 1)
#define FOUR(n, v)	TWO(n, v), TWO(n, (v) + 2)
#define EIGHT(n, v)	FOUR(n, v), FOUR(n, (v) + 4)
#define NONE		{ .type = CSF_PKT_BAD }

const struct csf_packet ptm_atom[64] = {
	NONE, NONE, TWO(1, 0), FOUR(2, 0), EIGHT(3, 0), EIGHT(4, 0), EIGHT(4, 8),
	EIGHT(5, 0), EIGHT(5, 8), EIGHT(5, 16), EIGHT(5, 24),
};

/*
 * Payload readers.  @n is the number of bytes of the packet so far, header included.  They return
 * the new number, or minus the number of bytes up to the one that proves the packet malformed.
 */

static int read_count(const uint8_t *p, int at, int n, struct csf_packet *pkt)
{
	pkt->flags |= CSF_PKT_COUNT;
	return ptm_read_count(p, at, n, &pkt->count);
}

/* A count in bytes of its own.  Bit 7 of the first means nothing: real units set it in I-syncs. */
static int read_cycles(const struct config *c, const uint8_t *p, int n, struct csf_packet *pkt)
{
	return c->classic.cycles ? read_count(p, n, n + 1, pkt) : n;
}

static int read_isync(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	const uint32_t addr = get_le32(p + 1);
	int n = 6;

	pkt->val = addr & ~1u;
	pkt->n = 32;
	pkt->flags = addr & 1 ? CSF_PKT_IS1 : 0;
	pkt->info = p[5] & 0x6e;
	if ((p[5] & 0x91) != 1)
		return -n;
	if (CLASSIC_INFO_REASON(pkt->info) != CLASSIC_PERIODIC)
		n = read_cycles(c, p, n, pkt);
	return classic_read_cid(c, p, n, pkt);
}

/*
 * Up to five bytes.  The last of two to four has six bits of the address, and at bit 6 whether
 * *@more follows.  The bits of a short address count from the lowest that an instruction can have.
 */
static int read_address(const uint8_t *p, int n, struct csf_packet *pkt, bool *more)
{
	int isa;

	*more = false;
	pkt->val = p[n] >> 1 & 0x3f;
	pkt->n = 6;
	if (!(p[n++] & 0x80))
		return n;
	for (; pkt->n < 27; n++) {
		const bool last = !(p[n] & 0x80);

		pkt->val |= (uint64_t)(p[n] & (last ? 0x3f : 0x7f)) << pkt->n;
		pkt->n += last ? 6 : 7;
		if (last) {
			*more = p[n] & 0x40;
			return n + 1;
		}
	}
	*more = p[n] & 0x40;
	isa = classic_read_fifth(p[n++], &pkt->val);
	pkt->n = 32;
	pkt->flags |= isa == CLASSIC_T32 ? CSF_PKT_IS1 : 0;
	pkt->info |= isa == CLASSIC_JAZELLE ? CLASSIC_INFO_JAZELLE : 0;
	return isa < 0 ? -n : n;
}

/* One or two bytes: C AltISA 0 Exc[3:0] NS, and 0 0 Hyp Exc[8:4]. */
static int read_exception(const uint8_t *p, int n, struct csf_packet *pkt)
{
	const uint8_t first = p[n++];

	pkt->flags |= CSF_PKT_CTXT;
	pkt->info |= (first & 1 ? CLASSIC_INFO_NS : 0) | (first & 0x40 ? CLASSIC_INFO_ALT : 0);
	pkt->exception = first >> 1 & 15;
	if (!(first & 0x80))
		return n;
	if (p[n] & 0xc0)
		return -(n + 1);
	pkt->info |= p[n] & 0x20 ? CLASSIC_INFO_HYP : 0;
	pkt->exception |= (p[n] & 0x1f) << 4;
	return n + 1;
}

static int read_branch(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	bool more;
	int n = read_address(p, 0, pkt, &more);

	if (n > 0 && more)
		n = read_exception(p, n, pkt);
	return n > 0 ? read_cycles(c, p, n, pkt) : n;
}

/* Only the long form has a byte more, for AltISA. */
static int read_waypoint(const uint8_t *p, struct csf_packet *pkt)
{
	bool more;
	int n = read_address(p, 1, pkt, &more);

	if (n < 0 || pkt->n < 32 || !more)
		return n;
	pkt->flags |= CSF_PKT_CTXT;
	pkt->info |= p[n] & 0x40 ? CLASSIC_INFO_ALT : 0;
	return n + 1;
}

/* One atom and its cycles, in one to five bytes; or one to five atoms in one byte. */
static int read_atoms(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	if (c->classic.cycles) {
		pkt->n = 1;
		pkt->val = !(p[0] & 2);
		return read_count(p, 0, 1, pkt);
	}
	*pkt = *ptm_atom_at(p);
	return pkt->type == CSF_PKT_ATOM ? 1 : -1;
}

static int read_payload(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_BRANCH:
		return read_branch(c, p, pkt);
	case CSF_PKT_ATOM:
		return read_atoms(c, p, pkt);
	case CSF_PKT_ASYNC:
		return classic_read_async(p, pkt);
	case CSF_PKT_ISYNC:
		return read_isync(c, p, pkt);
	case CSF_PKT_TIME:
		return read_cycles(c, p, classic_read_time(c, p, pkt), pkt);
	case CSF_PKT_WAYPOINT:
		return read_waypoint(p, pkt);
	case CSF_PKT_CTXTID:
		return classic_read_cid(c, p, 1, pkt);
	case CSF_PKT_VMID:
		pkt->vmid = p[1];
		return 2;
	default:
		return 1;
	}
}

int ptm_read(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	const enum csf_packet_type type = *p == PTM_WAYPOINT ? CSF_PKT_WAYPOINT :
							       classic_type_of(*p);
	int n;

	if (type == CSF_PKT_BAD)
		return classic_bad(p, 1, CSF_BAD_RESERVED, CSF_PKT_BAD, pkt);
	*pkt = (struct csf_packet){ .type = type };
	n = read_payload(c, p, pkt);
	if (n < 0)
		return classic_bad(p, -n, CSF_BAD_SEQUENCE, type, pkt);
	pkt->size = n;
	return n;
}

int ptm_read_packet(const struct config *c, const uint8_t *p, size_t n, struct csf_packet *pkt)
{
	return classic_read_packet(c, p, n, pkt, ptm_read);
}
