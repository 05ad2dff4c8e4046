// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Source: ARM IHI 0014 "ETMv3 signal protocol". */
#include "packet.h"

/*
 * Payload readers.  @n is the number of bytes of the packet so far.  They return the new number, or
 * minus the number of bytes up to the one that proves the packet malformed.
 */

/* One to five bytes of seven bits; the fifth has only the top four. */
static int read_count(const uint8_t *p, int n, struct csf_packet *pkt)
{
	uint64_t v = 0;

	for (int i = 0; i < 5; i++) {
		v |= (uint64_t)(p[n] & 0x7f) << 7 * i;
		if (!(p[n++] & 0x80))
			break;
	}
	pkt->count = v;
	pkt->flags |= CSF_PKT_COUNT;
	return n;
}

/**
 * struct target - an address in a packet
 * @val: the @n low bits of it, from the lowest that an instruction can have; all if @n is 32
 * @isa: enum classic_isa, if @n is 32
 * @last: its last byte
 */
struct target {
	uint64_t val;
	uint8_t n;
	uint8_t isa;
	uint8_t last;
};

/* An older form, of A32 only, has bit 7 set and an exception in the middle. */
static bool read_fifth(const struct config *c, uint8_t byte, struct target *t)
{
	const bool old = byte & 0x80 && !c->etm3.alt;
	const int isa = classic_read_fifth(old ? 8 | (byte & 7) : byte, &t->val);

	t->n = 32;
	t->isa = isa;
	return isa >= 0;
}

/* The last of two to four bytes has six bits in the alternative encoding, else seven. */
static int read_target(const struct config *c, const uint8_t *p, int n, struct target *t)
{
	*t = (struct target){ .val = p[n] >> 1 & 0x3f, .n = 6, .last = p[n] & 0x3f };
	while (p[n++] & 0x80) {
		const bool ends = !(p[n] & 0x80) && c->etm3.alt;

		t->last = p[n];
		if (t->n == 27)
			return read_fifth(c, p[n], t) ? n + 1 : -(n + 1);
		t->val |= (uint64_t)(p[n] & (ends ? 0x3f : 0x7f)) << t->n;
		t->n += ends ? 6 : 7;
	}
	return n;
}

static void put_target(const struct target *t, struct csf_packet *pkt)
{
	pkt->val = t->val;
	pkt->n = t->n;
	if (t->n < 32)
		return;
	pkt->flags |= t->isa == CLASSIC_T32 ? CSF_PKT_IS1 : 0;
	pkt->info |= t->isa == CLASSIC_JAZELLE ? CLASSIC_INFO_JAZELLE : 0;
}

/* 0 1 0 0 and the number of the instruction to resume with. */
static int read_resume(const uint8_t *p, int n, struct csf_packet *pkt)
{
	pkt->info |= ETM3_BRANCH_RESUME;
	pkt->count = p[n] & 15;
	return (p[n] & 0xf0) == 0x40 ? n + 1 : -(n + 1);
}

/* C AltISA Cancel Exc[3:0] NS; C 0 Hyp Exc[8:4]; 0 1 0 0 and what to resume with. */
static int read_exception(const uint8_t *p, int n, struct csf_packet *pkt)
{
	const uint8_t first = p[n++];

	pkt->flags |= CSF_PKT_CTXT;
	pkt->info |= (first & 1 ? CLASSIC_INFO_NS : 0) | (first & 0x40 ? CLASSIC_INFO_ALT : 0) |
		     (first & 0x20 ? ETM3_BRANCH_CANCEL : 0);
	pkt->exception = first >> 1 & 15;
	if (!(first & 0x80))
		return n;
	if (p[n] & 0x40)
		return read_resume(p, n, pkt);
	pkt->info |= ETM3_BRANCH_LONG | (p[n] & 0x20 ? CLASSIC_INFO_HYP : 0);
	pkt->exception |= (p[n] & 0x1f) << 4;
	return p[n] & 0x80 ? read_resume(p, n + 1, pkt) : n + 1;
}

static int read_branch(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	struct target t;
	int n = read_target(c, p, 0, &t);

	if (n < 0)
		return n;
	put_target(&t, pkt);
	if (t.n == 32 && t.last & 0x80) {
		pkt->info |= ETM3_BRANCH_OLD | (t.last & 0x40 ? ETM3_BRANCH_CANCEL : 0);
		pkt->exception = t.last >> 3 & 7;
		return n;
	}
	if (t.n > 6 && t.last & 0x40 && (t.n == 32 || c->etm3.alt))
		return read_exception(p, n, pkt);
	return n;
}

/* The address of the instruction in progress, after that of the load or store multiple. */
static int read_lsip(const struct config *c, const uint8_t *p, int n, struct csf_packet *pkt)
{
	struct target t;

	n = read_target(c, p, n, &t);
	if (n < 0)
		return n;
	pkt->val2 = t.val;
	pkt->commit = t.n;
	if (t.n == 32 && (t.last & 0xc0 || t.isa != classic_isa(pkt)))
		return -n;
	return t.n > 6 && t.n < 32 && c->etm3.alt && t.last & 0x40 ? -n : n;
}

static int read_isync(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	int n = p[0] == CLASSIC_ISYNC ? 1 : read_count(p, 1, pkt);

	n = classic_read_cid(c, p, n, pkt);
	pkt->info = p[n] & ~1;
	if (!(p[n++] & 1))
		return -n;
	if (c->etm3.no_insn) {
		pkt->info &= ~(CLASSIC_INFO_JAZELLE | ETM3_INFO_LSIP);	/* of no address */
		return n;
	}
	pkt->n = 32;
	pkt->val = get_le32(p + n);
	if (pkt->val & 1 && !(pkt->info & CLASSIC_INFO_JAZELLE)) {
		pkt->flags |= CSF_PKT_IS1;
		pkt->val--;
	}
	return pkt->info & ETM3_INFO_LSIP ? read_lsip(c, p, n + 4, pkt) : n + 4;
}

/* Seven bits in each of four bytes; the fifth has the top four, and bit 4: big-endian. */
static int read_data_address(const struct config *c, const uint8_t *p, int n,
			     struct csf_packet *pkt)
{
	if (!(pkt->info & ETM3_DATA_A) || !c->etm3.addresses)
		return n;
	pkt->flags |= CSF_PKT_ADDR;
	while (pkt->commit < 28) {
		pkt->val2 |= (uint64_t)(p[n] & 0x7f) << pkt->commit;
		pkt->commit += 7;
		if (!(p[n++] & 0x80))
			return n;
	}
	pkt->val2 |= (uint64_t)(p[n] & 15) << 28;
	pkt->commit = 32;
	pkt->info |= p[n] & 0x10 ? ETM3_DATA_BIG : 0;
	return p[n] & 0xe0 ? -(n + 1) : n + 1;
}

/* @ss: 0: the value 0, without a byte. */
static int read_value(const struct config *c, const uint8_t *p, int n, uint8_t ss,
		      struct csf_packet *pkt)
{
	static const uint8_t size[4] = { 0, 1, 2, 4 };

	if (!c->etm3.values)
		return n;
	pkt->n = size[ss];
	pkt->val = get_le32(p + n) & low_bits(8 * pkt->n);
	return n + pkt->n;
}

static int read_data(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	int n;

	pkt->info = p[0] & 0x20 ? ETM3_DATA_A : 0;
	n = read_data_address(c, p, 1, pkt);
	return n < 0 ? n : read_value(c, p, n, p[0] >> 2 & 3, pkt);
}

static int read_place(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	pkt->info = (p[0] & 0x0c) << 2 | (p[0] & 0x20 ? ETM3_DATA_A : 0);
	return read_data_address(c, p, 1, pkt);
}

static int read_late(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	pkt->info = (p[0] & 0x60) >> 1;
	return read_value(c, p, 1, p[0] >> 2 & 3, pkt);
}

static int read_untraced(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	pkt->info = p[0] != ETM3_DATA_UNTRACED ? ETM3_DATA_A : 0;
	return read_data_address(c, p, 1, pkt);
}

/*
 * Atoms, by bits 6:1 of the header.
 *
 *	1 N EEEE 00	some E, then perhaps N; with cycles, E is at most 7, and each has a cycle
 *	1000 F1 F2 10	two, of which 0 is E; the first has a cycle
 *	1 E 1 WWW 00	with cycles: WWW and one more, then perhaps E
 *	1001 0 F 10	with cycles: an atom without a cycle
 */
#define ENDS(h)		((h) >> 5)
#define IS_RUN(h)	(!((h) & 1))
#define IS_TWO(h)	(((h) & 0x39) == 1)
#define IS_WAIT(h)	(((h) & 0x11) == 0x10)
#define IS_ALONE(h)	(((h) & 0x3d) == 9)
#define RUN_E(h)	((h) >> 1 & 15)
#define RUN_N(h)	(IS_RUN(h) ? RUN_E(h) + ENDS(h) : IS_TWO(h) ? 2 : 0)
#define RUN_VAL(h)	(IS_RUN(h) ? (1 << RUN_E(h)) - 1 : \
			 IS_TWO(h) ? ((h) & 4 ? 0 : 1) | ((h) & 2 ? 0 : 2) : 0)
#define CYCLE_N(h)	(IS_WAIT(h) ? ENDS(h) : IS_ALONE(h) ? 1 : RUN_N(h))
#define CYCLE_VAL(h)	(IS_WAIT(h) ? ENDS(h) : IS_ALONE(h) ? !((h) & 2) : RUN_VAL(h))
#define CYCLES(h)	(IS_WAIT(h) ? ((h) >> 1 & 7) + 1 : IS_ALONE(h) ? 0 : \
			 IS_TWO(h) ? 1 : RUN_N(h))
#define ATOM_IF(is)	((is) ? CSF_PKT_ATOM : CSF_PKT_BAD)

#define PLAIN(h)	{							\
	.type = ATOM_IF(RUN_N(h)), .size = 1, .n = RUN_N(h), .val = RUN_VAL(h),	\
}

#define CYCLIC(h)	{							\
	.type = ATOM_IF(IS_WAIT(h) || CYCLE_N(h)), .size = 1, .n = CYCLE_N(h),	\
	.val = CYCLE_VAL(h), .count = CYCLES(h), .flags = CSF_PKT_COUNT,	\
}

#define FOUR(row, h)	row(h), row((h) + 1), row((h) + 2), row((h) + 3)
#define ROWS(row)	FOUR(row, 0), FOUR(row, 4), FOUR(row, 8), FOUR(row, 12),	\
			FOUR(row, 16), FOUR(row, 20), FOUR(row, 24), FOUR(row, 28),	\
			FOUR(row, 32), FOUR(row, 36), FOUR(row, 40), FOUR(row, 44),	\
			FOUR(row, 48), FOUR(row, 52), FOUR(row, 56), FOUR(row, 60)

const struct csf_packet etm3_atom[2][64] = { { ROWS(PLAIN) }, { ROWS(CYCLIC) } };

static int read_atoms(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	*pkt = *etm3_atom_at(c->classic.cycles, p);
	return pkt->type == CSF_PKT_ATOM ? 1 : -1;
}

static enum csf_packet_type type_of_data(uint8_t header)
{
	if ((header & 0xd3) == 0x02)
		return CSF_PKT_DATA;
	if ((header & 0x93) == 0x00 && header & 0x60)
		return CSF_PKT_DATA_LATE;
	if ((header & 0xd3) == 0x50 && header & 0x0c)
		return CSF_PKT_DATA_PLACE;
	if ((header & 0xef) == ETM3_DATA_UNTRACED)
		return CSF_PKT_DATA_UNTRACED;
	if (header == ETM3_DATA_FAILED)
		return CSF_PKT_DATA_FAILED;
	return header == ETM3_DATA_LOST ? CSF_PKT_DATA_LOST : CSF_PKT_BAD;
}

static enum csf_packet_type type_of(uint8_t header)
{
	switch (header) {
	case ETM3_CYCLES:
		return CSF_PKT_CYCLES;
	case ETM3_ISYNC_CYCLES:
		return CSF_PKT_ISYNC;
	case ETM3_EXC_ENTRY:
		return CSF_PKT_EXC_ENTRY;
	default:
		return classic_type_of(header) ?: type_of_data(header);
	}
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
	case CSF_PKT_CYCLES:
		return read_count(p, 1, pkt);
	case CSF_PKT_ISYNC:
		return read_isync(c, p, pkt);
	case CSF_PKT_TIME:
		return classic_read_time(c, p, pkt);
	case CSF_PKT_CTXTID:
		return classic_read_cid(c, p, 1, pkt);
	case CSF_PKT_VMID:
		pkt->vmid = p[1];
		return 2;
	case CSF_PKT_DATA:
		return read_data(c, p, pkt);
	case CSF_PKT_DATA_PLACE:
		return read_place(c, p, pkt);
	case CSF_PKT_DATA_LATE:
		return read_late(c, p, pkt);
	case CSF_PKT_DATA_UNTRACED:
		return read_untraced(c, p, pkt);
	default:
		return 1;
	}
}

static bool is_data(enum csf_packet_type type)
{
	return type >= CSF_PKT_DATA && type <= CSF_PKT_DATA_LOST;
}

int etm3_read(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	const enum csf_packet_type type = type_of(*p);
	int n;

	if (type == CSF_PKT_BAD)
		return classic_bad(p, 1, CSF_BAD_RESERVED, CSF_PKT_BAD, pkt);
	if (is_data(type) && !c->etm3.data)
		return classic_bad(p, 1, CSF_BAD_CONFIG, type, pkt);
	*pkt = (struct csf_packet){ .type = type };
	n = read_payload(c, p, pkt);
	if (n < 0)
		return classic_bad(p, -n, CSF_BAD_SEQUENCE, type, pkt);
	pkt->size = n;
	return n;
}

int etm3_read_packet(const struct config *c, const uint8_t *p, size_t n, struct csf_packet *pkt)
{
	return classic_read_packet(c, p, n, pkt, etm3_read);
}
