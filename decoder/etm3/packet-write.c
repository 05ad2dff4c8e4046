// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Packets to bytes: the inverse of packet.c, which checks the result. */
#include "packet.h"

/* Writes @v in groups of seven bits, as many as @bits are; the last has no continuation bit. */
static int write_groups(uint8_t *p, int n, uint64_t v, unsigned int bits)
{
	for (; bits > 7; bits -= 7, v >>= 7)
		p[n++] = 0x80 | (v & 0x7f);
	p[n++] = v & low_bits(bits);
	return n;
}

static int write_count(uint8_t *p, int n, uint32_t count)
{
	unsigned int bits = 7;

	while (bits < 32 && count >> bits)
		bits += 7;
	return write_groups(p, n, count, bits);
}

static bool is_target(uint32_t n)
{
	return n == 32 || (n >= 6 && n <= 27);
}

/* As struct csf_packet has it.  @more: what bit 6 of the last byte says. */
static int write_target(const struct config *c, uint8_t *p, int n, const struct csf_packet *pkt,
			uint8_t more)
{
	static const uint8_t lead[3] = { 0x08, 0x10, 0x20 };
	const enum classic_isa isa = classic_isa(pkt);
	uint64_t v = pkt->n == 32 ? pkt->val >> (2 - isa) : pkt->val;
	unsigned int left = pkt->n == 32 ? 27 : pkt->n;

	p[n++] = 1 | (v & 0x3f) << 1 | (pkt->n > 6 ? 0x80 : 0);
	v >>= 6;
	left -= 6;
	for (; left > 7 || (left && pkt->n == 32); left -= 7, v >>= 7)
		p[n++] = 0x80 | (v & 0x7f);
	if (pkt->n == 32)
		p[n++] = lead[isa] | (v & low_bits(3 + isa)) | more;
	else if (left)
		p[n++] = (v & 0x7f) | (c->etm3.alt ? more : 0);
	return n;
}

static int write_branch(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	const bool resume = pkt->info & ETM3_BRANCH_RESUME, more = pkt->info & ETM3_BRANCH_LONG;
	int n;

	if (!is_target(pkt->n))
		return 0;
	if (pkt->info & ETM3_BRANCH_OLD) {
		n = write_target(c, p, 0, pkt, 0);
		p[n - 1] = 0x80 | (pkt->info & ETM3_BRANCH_CANCEL ? 0x40 : 0) |
			   (pkt->exception & 7) << 3 | (p[n - 1] & 7);
		return n;
	}
	n = write_target(c, p, 0, pkt, pkt->flags & CSF_PKT_CTXT ? 0x40 : 0);
	if (!(pkt->flags & CSF_PKT_CTXT))
		return n;
	p[n++] = (more || resume ? 0x80 : 0) | (pkt->info & CLASSIC_INFO_ALT ? 0x40 : 0) |
		 (pkt->info & ETM3_BRANCH_CANCEL ? 0x20 : 0) | (pkt->exception & 15) << 1 |
		 (pkt->info & CLASSIC_INFO_NS ? 1 : 0);
	if (more)
		p[n++] = (resume ? 0x80 : 0) | (pkt->info & CLASSIC_INFO_HYP ? 0x20 : 0) |
			 (pkt->exception >> 4 & 0x1f);
	if (resume)
		p[n++] = 0x40 | (pkt->count & 15);
	return n;
}

static int write_isync(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	const struct csf_packet second = {
		.val = pkt->val2, .n = pkt->commit, .info = pkt->info, .flags = pkt->flags,
	};
	const uint64_t addr = pkt->val | (pkt->flags & CSF_PKT_IS1);
	int n = 1;

	p[0] = pkt->flags & CSF_PKT_COUNT ? ETM3_ISYNC_CYCLES : CLASSIC_ISYNC;
	if (pkt->flags & CSF_PKT_COUNT)
		n = write_count(p, n, pkt->count);
	n = classic_put_le(p, n, pkt->contextid, c->classic.cid_size);
	p[n++] = pkt->info | 1;
	if (c->etm3.no_insn)
		return n;
	n = classic_put_le(p, n, addr, 4);
	if (!(pkt->info & ETM3_INFO_LSIP))
		return n;
	return is_target(pkt->commit) ? write_target(c, p, n, &second, 0) : 0;
}

static int write_data_address(uint8_t *p, int n, const struct csf_packet *pkt)
{
	if (!(pkt->flags & CSF_PKT_ADDR) || pkt->commit > 32)
		return n;
	n = write_groups(p, n, pkt->val2, pkt->commit);
	if (pkt->info & ETM3_DATA_BIG)
		p[n - 1] |= 0x10;
	return n;
}

static int write_value(uint8_t *p, int n, const struct csf_packet *pkt)
{
	return classic_put_le(p, n, pkt->val, pkt->n);
}

/* The size of a value, in bits 3:2. */
static uint8_t size_code(const struct csf_packet *pkt)
{
	return (pkt->n == 4 ? 3 : pkt->n) << 2;
}

static int write_data(uint8_t *p, const struct csf_packet *pkt)
{
	p[0] = 0x02 | (pkt->info & ETM3_DATA_A ? 0x20 : 0) | size_code(pkt);
	return write_value(p, write_data_address(p, 1, pkt), pkt);
}

static uint8_t cycle_atoms(const struct csf_packet *pkt)
{
	const uint32_t e = __builtin_popcountll(pkt->val);

	if (pkt->n <= 1 && pkt->count > pkt->n)
		return 0xa0 | pkt->n << 6 | ((pkt->count - 1) & 7) << 2;
	if (pkt->n == 1 && !pkt->count)
		return 0x92 | (pkt->val ? 0 : 4);
	if (pkt->n == 2 && pkt->count == 1)
		return 0x82 | (pkt->val & 1 ? 0 : 8) | (pkt->val & 2 ? 0 : 4);
	return 0x80 | (pkt->n > e ? 0x40 : 0) | (e & 7) << 2;
}

static uint8_t atoms(const struct csf_packet *pkt)
{
	const uint32_t e = __builtin_popcountll(pkt->val);

	if (pkt->n == 2 && pkt->val != 1)
		return 0x82 | (pkt->val & 1 ? 0 : 8) | (pkt->val & 2 ? 0 : 4);
	return 0x80 | (pkt->n > e ? 0x40 : 0) | (e & 15) << 2;
}

static int write_atoms(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	p[0] = c->classic.cycles ? cycle_atoms(pkt) : atoms(pkt);
	return 1;
}

static int plain(uint8_t *p, uint8_t header)
{
	p[0] = header;
	return 1;
}

/* Long because it is a flat switch over the types. */
static int draft(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_BRANCH:
		return write_branch(c, p, pkt);
	case CSF_PKT_ATOM:
		return write_atoms(c, p, pkt);
	case CSF_PKT_CYCLES:
		return write_count(p, plain(p, ETM3_CYCLES), pkt->count);
	case CSF_PKT_ISYNC:
		return write_isync(c, p, pkt);
	case CSF_PKT_EXC_ENTRY:
		return plain(p, ETM3_EXC_ENTRY);
	case CSF_PKT_DATA:
		return write_data(p, pkt);
	case CSF_PKT_DATA_LATE:
		plain(p, ETM3_DATA_TAG(pkt->info) << 5 | size_code(pkt));
		return write_value(p, 1, pkt);
	case CSF_PKT_DATA_PLACE:
		plain(p, 0x50 | ETM3_DATA_TAG(pkt->info) << 2 | (pkt->info & ETM3_DATA_A) << 5);
		return write_data_address(p, 1, pkt);
	case CSF_PKT_DATA_UNTRACED:
		plain(p, ETM3_DATA_UNTRACED | (pkt->info & ETM3_DATA_A) << 4);
		return write_data_address(p, 1, pkt);
	case CSF_PKT_DATA_FAILED:
		return plain(p, ETM3_DATA_FAILED);
	case CSF_PKT_DATA_LOST:
		return plain(p, ETM3_DATA_LOST);
	default:
		return classic_draft(c, p, pkt);
	}
}

int etm3_write_packet(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	return classic_write_packet(c, p, pkt, draft, etm3_read);
}
