// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Packets to bytes: the inverse of packet.c. */
#include "packet.h"

/* Bits 3:0 of the count go into the byte at @p + @at, the others to @n and after. */
static int put_count(uint8_t *p, int at, int n, uint32_t count)
{
	uint32_t rest = count >> 4;

	p[at] |= (count & 15) << 2;
	if (!rest)
		return n;
	p[at] |= 0x40;
	for (int i = 0; i < 3 && rest >= 0x80; i++, rest >>= 7)
		p[n++] = rest | 0x80;
	p[n++] = rest & 0x7f;
	return n;
}

static int put_cycles(const struct config *c, uint8_t *p, int n, const struct csf_packet *pkt)
{
	return c->classic.cycles ? put_count(p, n, n + 1, pkt->count) : n;
}

/* Real units set bit 7 of the cycle count. */
static int write_isync(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	int n = classic_put_le(p, 1, pkt->val | !!(pkt->flags & CSF_PKT_IS1), 4);

	p[n++] = pkt->info | 1;
	if (c->classic.cycles && CLASSIC_INFO_REASON(pkt->info) != CLASSIC_PERIODIC) {
		p[n] = 0x80;
		n = put_cycles(c, p, n, pkt);
	}
	return classic_put_le(p, n, pkt->contextid, c->classic.cid_size);
}

/* The fifth byte, for an address of 32 bits. */
static uint8_t fifth(const struct csf_packet *pkt)
{
	if (pkt->info & CLASSIC_INFO_JAZELLE)
		return 0x20 | (pkt->val >> 27 & 31);
	if (pkt->flags & CSF_PKT_IS1)
		return 0x10 | (pkt->val >> 28 & 15);
	return 0x08 | (pkt->val >> 29 & 7);
}

/* @more: the bit of the last byte that says that more follows. */
static int put_address(uint8_t *p, int n, const struct csf_packet *pkt, uint8_t more)
{
	const bool jazelle = pkt->info & CLASSIC_INFO_JAZELLE;
	const int shift = pkt->n < 32 || jazelle ? 0 : pkt->flags & CSF_PKT_IS1 ? 1 : 2;
	const int bytes = pkt->n < 32 ? 1 + pkt->n / 7 : 5;
	uint64_t v = pkt->val >> shift;

	p[n] |= (v & 0x3f) << 1;
	v >>= 6;
	for (int i = 1; i < bytes; i++, v >>= 7) {
		p[n++] |= 0x80;
		p[n] = i == 4 ? fifth(pkt) : v & 0x7f;
	}
	if (bytes > 1)
		p[n] |= more;
	return n + 1;
}

static int put_exception(uint8_t *p, int n, const struct csf_packet *pkt)
{
	const bool hyp = pkt->info & CLASSIC_INFO_HYP;

	p[n] = (pkt->info & CLASSIC_INFO_ALT ? 0x40 : 0) | (pkt->exception & 15) << 1 |
	       !!(pkt->info & CLASSIC_INFO_NS);
	if (pkt->exception < 16 && !hyp)
		return n + 1;
	p[n++] |= 0x80;
	p[n++] = hyp << 5 | (pkt->exception >> 4 & 31);
	return n;
}

static int write_branch(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	const bool more = pkt->flags & CSF_PKT_CTXT;
	int n = put_address(p, 0, pkt, more << 6);

	p[0] |= 1;
	if (more)
		n = put_exception(p, n, pkt);
	return put_cycles(c, p, n, pkt);
}

static int write_waypoint(uint8_t *p, const struct csf_packet *pkt)
{
	const bool more = pkt->flags & CSF_PKT_CTXT;
	int n = put_address(p, 1, pkt, more << 6);

	if (more)
		p[n++] = pkt->info & CLASSIC_INFO_ALT ? 0x40 : 0;
	return n;
}

static int write_atoms(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	p[0] = 0x80;
	if (c->classic.cycles) {
		p[0] |= pkt->val & 1 ? 0 : 2;
		return put_count(p, 0, 1, pkt->count);
	}
	if (!pkt->n || pkt->n > 5)
		return 0;
	p[0] |= 2 << pkt->n;
	for (unsigned int i = 0; i < pkt->n; i++)
		p[0] |= (~pkt->val >> i & 1) << (pkt->n - i);
	return 1;
}

static int draft(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	int n;

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ISYNC:
		p[0] = CLASSIC_ISYNC;
		return write_isync(c, p, pkt);
	case CSF_PKT_BRANCH:
		return write_branch(c, p, pkt);
	case CSF_PKT_WAYPOINT:
		p[0] = PTM_WAYPOINT;
		return write_waypoint(p, pkt);
	case CSF_PKT_ATOM:
		return write_atoms(c, p, pkt);
	case CSF_PKT_TIME:
		n = classic_draft(c, p, pkt);
		return n ? put_cycles(c, p, n, pkt) : 0;
	default:
		return classic_draft(c, p, pkt);
	}
}

int ptm_write_packet(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	return classic_write_packet(c, p, pkt, draft, ptm_read);
}
