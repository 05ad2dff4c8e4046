// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writing packets.  The writers below write what the fields ask for, in range or not.  Then the
 * bytes are read back, and if the result is another packet, there is no such packet.  So only the
 * reader needs to know which packets exist.
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

static int put_leb(uint8_t *p, int n, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		p[n++] = v | 0x80;
	p[n++] = v;
	return n;
}

static int write_extension(uint8_t *p, const struct csf_packet *pkt)
{
	unsigned int second = 0;

	while (packet_extension[second].type != pkt->type)
		second++;

	p[1] = second;
	if (pkt->type != CSF_PKT_ASYNC)
		return 2;
	p[11] = 0x80;
	return 12;
}

static int write_info(uint8_t *p, const struct csf_packet *pkt)
{
	const uint64_t field[5] = { pkt->val, pkt->val2, pkt->commit, pkt->count };
	int n = 2;

	p[1] = pkt->info;
	for (size_t i = 0; i < ARRAY_SIZE(field); i++)
		if (pkt->info & BIT(i))
			n = put_leb(p, n, field[i]);
	return n;
}

static int write_time(uint8_t *p, const struct csf_packet *pkt)
{
	unsigned int bytes = pkt->n == 64 ? 9 : pkt->n / 7;
	int n = 1;

	if (!bytes || bytes > 9)
		return 0;
	for (unsigned int i = 0; i < bytes - 1; i++)
		p[n++] = (pkt->val >> 7 * i & 0x7f) | 0x80;
	p[n++] = pkt->val >> 7 * (bytes - 1);

	if (!(pkt->flags & CSF_PKT_COUNT))
		return n;
	p[0] |= 1;
	return put_leb(p, n, pkt->count);
}

static int write_exception(uint8_t *p, const struct csf_packet *pkt)
{
	int n = 2;

	p[1] = (pkt->n & 2) << 5 | (pkt->exception & 0x1f) << 1 | (pkt->n & 1);
	if (pkt->exception > 0x1f || pkt->info) {
		p[1] |= 0x80;
		p[n++] = (pkt->exception >> 5 & 0x1f) | (pkt->info & 0x20);
	}
	if (pkt->flags & CSF_PKT_UNKNOWN)
		p[n++] = 0x70;
	return n;
}

static int write_cc1(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	int n = 1;

	if (!c->etm4.commopt)
		n = put_leb(p, n, pkt->commit);
	if (pkt->flags & CSF_PKT_COUNT)
		return put_leb(p, n, pkt->count);
	p[0] |= 1;
	return n;
}

static int write_cc2(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	p[0] |= pkt->info & 1;
	p[1] = pkt->count & 0xf;
	if (c->etm4.commopt)
		p[1] |= 0xf0;
	else
		p[1] |= (pkt->commit + (pkt->info & 1 ? 15 : -1)) << 4;
	return 2;
}

static int write_cond_r1(uint8_t *p, const struct csf_packet *pkt)
{
	const uint64_t result[2] = { pkt->val, pkt->val2 };
	int n = 1;

	p[0] = (pkt->n == 2 ? 0x68 : 0x6e) | (pkt->info & 3);
	for (unsigned int i = 0; i < pkt->n && i < 2; i++)
		n = put_leb(p, n, result[i]);
	return n;
}

/* Atoms as the two low bits of a mispredict; atoms that it cannot add read back differently. */
static unsigned int atoms_before(const struct csf_packet *pkt)
{
	if (pkt->n == 1 && !pkt->val)
		return 3;
	return pkt->n & 3;
}

static int write_atom(uint8_t *p, const struct csf_packet *pkt)
{
	const uint32_t bits = pkt->val & 0xffffff;

	for (unsigned int i = 0xc0; i < ARRAY_SIZE(packet_atom); i++)
		if (packet_atom[i].n == pkt->n && packet_atom[i].bits == bits)
			p[0] = i;
	return 1;
}

static int write_short(uint8_t *p, const struct csf_packet *pkt)
{
	unsigned int is = pkt->flags & CSF_PKT_IS1;
	uint64_t v = pkt->val >> (2 - is);

	p[1] = v & 0x7f;
	if (pkt->n + is == 9)
		return 2;
	p[1] |= 0x80;
	p[2] = v >> 7;
	return 3;
}

static int write_long(uint8_t *p, const struct csf_packet *pkt)
{
	unsigned int is = pkt->flags & CSF_PKT_IS1;

	put_le(p, 1, pkt->val, pkt->n / 8);
	p[1] = pkt->val >> (2 - is) & 0x7f;
	if (!is)
		p[2] = pkt->val >> 9 & 0x7f;
	return 1 + pkt->n / 8;
}

static int write_context(const struct config *c, uint8_t *p, int n, const struct csf_packet *pkt)
{
	p[n++] = pkt->info;
	if (pkt->info & 0x40)
		n = put_le(p, n, pkt->vmid, c->etm4.vmid_size);
	if (pkt->info & 0x80)
		n = put_le(p, n, pkt->contextid, c->etm4.cid_size);
	return n;
}

static int write_q(uint8_t *p, const struct csf_packet *pkt)
{
	unsigned int is = pkt->flags & CSF_PKT_IS1;
	int n = 1;

	if (!(pkt->flags & CSF_PKT_COUNT)) {
		p[0] = 0xaf;
		return n;
	}

	if (pkt->flags & CSF_PKT_MATCH) {
		p[0] = 0xa0 | (pkt->val & 3);
	} else if (!(pkt->flags & CSF_PKT_ADDR)) {
		p[0] = 0xac;
	} else if (pkt->n == 32) {
		p[0] = 0xaa + is;
		n = write_long(p, pkt);
	} else {
		p[0] = 0xa5 + is;
		n = write_short(p, pkt);
	}
	return put_leb(p, n, pkt->count);
}

/* The first header of a type, without data bits. */
static unsigned int header(enum csf_packet_type type)
{
	unsigned int h = 0;

	while (h < 0xff && packet_row[h].type != type)
		h++;
	return type == CSF_PKT_EVENT ? 0x70 : h;
}

/* Long because it is a flat switch over the types.  @p is zero, except for the header. */
static int draft(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	unsigned int is = pkt->flags & CSF_PKT_IS1;

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ASYNC:
	case CSF_PKT_DISCARD:
	case CSF_PKT_OVERFLOW:
	case CSF_PKT_BF_FLUSH:
		p[0] = 0;
		return write_extension(p, pkt);
	case CSF_PKT_INFO:
		return write_info(p, pkt);
	case CSF_PKT_TIME:
		return write_time(p, pkt);
	case CSF_PKT_EXCEPTION:
		return write_exception(p, pkt);
	case CSF_PKT_ITE:
		p[1] = pkt->n;
		return put_le(p, 2, pkt->val, 8);
	case CSF_PKT_ON:
	case CSF_PKT_RETURN:
	case CSF_PKT_ERET:
	case CSF_PKT_TM_START:
	case CSF_PKT_TM_COMMIT:
	case CSF_PKT_COND_FLUSH:
	case CSF_PKT_IGNORE:
	case CSF_PKT_MARKER:
		return 1;
	case CSF_PKT_CC1:
		return write_cc1(c, p, pkt);
	case CSF_PKT_CC2:
		return write_cc2(c, p, pkt);
	case CSF_PKT_CC3:
		p[0] |= pkt->count & 3;
		if (!c->etm4.commopt)
			p[0] |= ((pkt->commit - 1) & 3) << 2;
		return 1;
	case CSF_PKT_COMMIT:
		return put_leb(p, 1, pkt->count);
	case CSF_PKT_CANCEL1:
		p[0] |= !!(pkt->flags & CSF_PKT_MISP);
		return put_leb(p, 1, pkt->count);
	case CSF_PKT_MISPREDICT:
	case CSF_PKT_CANCEL2:
		p[0] |= atoms_before(pkt);
		return 1;
	case CSF_PKT_CANCEL3:
		p[0] |= ((pkt->count - 2) & 3) << 1 | (pkt->n & 1);
		return 1;
	case CSF_PKT_COND_I1:
		return put_leb(p, 1, pkt->val);
	case CSF_PKT_COND_I3:
		p[1] = (pkt->val & 0x3f) << 1 | (pkt->val >> 6 & 1);
		return 2;
	case CSF_PKT_COND_R1:
		return write_cond_r1(p, pkt);
	case CSF_PKT_COND_R3:
		p[0] |= pkt->val >> 8 & 15;
		p[1] = pkt->val;
		return 2;
	case CSF_PKT_DSYNC_N:
	case CSF_PKT_DSYNC_U:
	case CSF_PKT_COND_R2:
		p[0] |= pkt->val & 7;
		return 1;
	case CSF_PKT_COND_I2:
	case CSF_PKT_COND_R4:
	case CSF_PKT_ADDR_MATCH:
	case CSF_PKT_SRC_MATCH:
		p[0] |= pkt->val & 3;
		return 1;
	case CSF_PKT_EVENT:
		p[0] |= pkt->val & 15;
		return 1;
	case CSF_PKT_CONTEXT:
		if (!(pkt->flags & CSF_PKT_CTXT))
			return 1;
		p[0] |= 1;
		return write_context(c, p, 1, pkt);
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_ADDR_CTXT64:
		p[0] += is;
		return write_context(c, p, write_long(p, pkt), pkt);
	case CSF_PKT_ADDR_SHORT:
	case CSF_PKT_SRC_SHORT:
		p[0] += is;
		return write_short(p, pkt);
	case CSF_PKT_ADDR32:
	case CSF_PKT_ADDR64:
	case CSF_PKT_SRC32:
	case CSF_PKT_SRC64:
		p[0] += is;
		return write_long(p, pkt);
	case CSF_PKT_Q:
		return write_q(p, pkt);
	case CSF_PKT_ATOM:
		return write_atom(p, pkt);
	default:	/* of other protocols */
		return 0;
	}
}

static bool same(const struct csf_packet *a, const struct csf_packet *b)
{
	if (a->type != b->type || a->n != b->n || a->val != b->val)
		return false;
	if (a->type == CSF_PKT_ATOM)
		return true;
	return a->val2 == b->val2 && a->count == b->count && a->commit == b->commit &&
	       a->contextid == b->contextid && a->vmid == b->vmid &&
	       a->exception == b->exception && a->info == b->info && a->flags == b->flags;
}

/* Writes a bad packet as it was, as far as @pkt holds its bytes. */
static int write_bad(uint8_t *p, const struct csf_packet *pkt)
{
	if (pkt->size > sizeof(pkt->val))
		return 0;
	return put_le(p, 0, pkt->val, pkt->size);
}

int packet_write(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	uint8_t bytes[DRAFT_MAX] = { 0 };
	struct csf_packet back;
	int n;

	if (pkt->type == CSF_PKT_BAD)
		return write_bad(p, pkt);

	bytes[0] = header(pkt->type);
	n = draft(c, bytes, pkt);
	if (n <= 0 || n > CSF_PACKET_MAX)
		return 0;
	if (packet_read_payload(c, bytes, &back) != n || !same(&back, pkt))
		return 0;
	memcpy(p, bytes, n);
	return n;
}
