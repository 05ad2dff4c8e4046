// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writing packets.  The writers below write what the fields ask for, in range or not.  Then the
 * bytes are read back, and if the result is another packet, there is no such packet.
 */
#include "packet.h"

/* Maximum bytes that the fields of a packet can ask for, with none of them in range. */
#define DRAFT_MAX	64

static int put_le(uint8_t *p, int n, uint64_t v, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		p[n++] = i < sizeof(v) ? v >> 8 * i : 0;
	return n;
}

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
	return c->ptm.cycles ? put_count(p, n, n + 1, pkt->count) : n;
}

/* Real units set bit 7 of the cycle count. */
static int write_isync(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	int n = put_le(p, 1, pkt->val | !!(pkt->flags & CSF_PKT_IS1), 4);

	p[n++] = pkt->info | 1;
	if (c->ptm.cycles && PTM_INFO_REASON(pkt->info) != PTM_PERIODIC) {
		p[n] = 0x80;
		n = put_cycles(c, p, n, pkt);
	}
	return put_le(p, n, pkt->contextid, c->ptm.cid_size);
}

/* The fifth byte, for an address of 32 bits. */
static uint8_t fifth(const struct csf_packet *pkt)
{
	if (pkt->info & PTM_INFO_JAZELLE)
		return 0x20 | (pkt->val >> 27 & 31);
	if (pkt->flags & CSF_PKT_IS1)
		return 0x10 | (pkt->val >> 28 & 15);
	return 0x08 | (pkt->val >> 29 & 7);
}

/* @more: the bit of the last byte that says that more follows. */
static int put_address(uint8_t *p, int n, const struct csf_packet *pkt, uint8_t more)
{
	const bool jazelle = pkt->info & PTM_INFO_JAZELLE;
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
	const bool hyp = pkt->info & PTM_INFO_HYP;

	p[n] = (pkt->info & PTM_INFO_ALT ? 0x40 : 0) | (pkt->exception & 15) << 1 |
	       !!(pkt->info & PTM_INFO_NS);
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
		p[n++] = pkt->info & PTM_INFO_ALT ? 0x40 : 0;
	return n;
}

static int write_time(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	const unsigned int bytes = pkt->n == 64 ? 9 : (pkt->n + 6) / 7;
	int n = 1;

	if (!bytes || bytes > 9)
		return 0;
	p[0] = pkt->info ? PTM_TIME_CHANGE : PTM_TIME;
	for (unsigned int i = 0; i < bytes - 1; i++)
		p[n++] = (pkt->val >> 7 * i & 0x7f) | 0x80;
	p[n++] = pkt->val >> 7 * (bytes - 1);
	return put_cycles(c, p, n, pkt);
}

static int write_atoms(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	p[0] = 0x80;
	if (c->ptm.cycles) {
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

/* @p is zero. */
static int draft(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ASYNC:
		p[PTM_SYNC_ZEROS] = 0x80;
		return PTM_SYNC_SIZE;
	case CSF_PKT_ISYNC:
		p[0] = PTM_ISYNC;
		return write_isync(c, p, pkt);
	case CSF_PKT_BRANCH:
		return write_branch(c, p, pkt);
	case CSF_PKT_WAYPOINT:
		p[0] = PTM_WAYPOINT;
		return write_waypoint(p, pkt);
	case CSF_PKT_ATOM:
		return write_atoms(c, p, pkt);
	case CSF_PKT_TIME:
		return write_time(c, p, pkt);
	case CSF_PKT_CTXTID:
		p[0] = PTM_CTXTID;
		return put_le(p, 1, pkt->contextid, c->ptm.cid_size);
	case CSF_PKT_VMID:
		p[0] = PTM_VMID;
		p[1] = pkt->vmid;
		return 2;
	case CSF_PKT_TRIGGER:
		p[0] = PTM_TRIGGER;
		return 1;
	case CSF_PKT_IGNORE:
		p[0] = PTM_IGNORE;
		return 1;
	case CSF_PKT_ERET:
		p[0] = PTM_ERET;
		return 1;
	default:
		return 0;
	}
}

static bool same(const struct csf_packet *a, const struct csf_packet *b)
{
	return a->type == b->type && a->n == b->n && a->val == b->val && a->val2 == b->val2 &&
	       a->count == b->count && a->commit == b->commit && a->contextid == b->contextid &&
	       a->vmid == b->vmid && a->exception == b->exception && a->info == b->info &&
	       a->flags == b->flags;
}

int ptm_write_packet(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	uint8_t bytes[DRAFT_MAX] = { 0 };
	struct csf_packet back;
	int n;

	if (pkt->type == CSF_PKT_BAD)
		return pkt->size > sizeof(pkt->val) ? 0 : put_le(p, 0, pkt->val, pkt->size);
	n = draft(c, bytes, pkt);
	if (n <= 0 || n > CSF_PACKET_MAX)
		return 0;
	if (ptm_read(c, bytes, &back) != n || !same(&back, pkt))
		return 0;
	memcpy(p, bytes, n);
	return n;
}
