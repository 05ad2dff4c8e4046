// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "packet.h"

#define GATED(since, until, gate) ((since) != ETM40 || (until) != LATEST || (gate) != GATE_NONE)

#define EXTENSION(second, since, until, gate, type, name)
#define PACKET(first, last, since, until, gate, type, name, shape) \
	[first ... last] = { type, shape, first, gate, since, until, GATED(since, until, gate) },
const struct packet_row packet_row[256] = {
	[0x00] = { CSF_PKT_ASYNC, SHAPE_EXTENSION, 0, GATE_NONE, ETM40, LATEST, false },
#include "packet-table.h"
};

#define PACKET(first, last, since, until, gate, type, name, shape)
#define EXTENSION(second, since, until, gate, type, name) \
	[second] = { type, SHAPE_NONE, second, gate, since, until, GATED(since, until, gate) },
const struct packet_row packet_extension[8] = {
#include "packet-table.h"
};

#define EXTENSION(second, since, until, gate, type, name)	{ type, name },
#define PACKET(first, last, since, until, gate, type, name, shape) { type, name },
static const struct {
	uint8_t type;
	const char *name;
} names[] = {
#include "packet-table.h"
};

const char *packet_name(enum csf_packet_type type)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].type == type)
			return names[i].name;
	return "bad";
}

/*
 * Atom formats 1 to 6.  Formats 4 and 5 are fixed patterns; format 6 is a run of 3 to 23 E and then
 * one more atom, N if bit 5 of the header is set.
 */
#define RUN(A, n)	A((n) + 4, BIT((n) + 4) - 1), /* all E */
#define RUNN(A, n)	A((n) + 4, BIT((n) + 3) - 1), /* then N */
#define X21(M, A)	M(A, 0) M(A, 1) M(A, 2) M(A, 3) M(A, 4) M(A, 5) M(A, 6) M(A, 7) M(A, 8) \
			M(A, 9) M(A, 10) M(A, 11) M(A, 12) M(A, 13) M(A, 14) M(A, 15) M(A, 16) \
			M(A, 17) M(A, 18) M(A, 19) M(A, 20)
#define ATOMS(A) \
	X21(RUN, A)					/* c0..d4: format 6 */ \
	A(5, 0x00), A(5, 0x0a), A(5, 0x15),		/* d5..d7: format 5 */ \
	A(2, 0), A(2, 1), A(2, 2), A(2, 3),		/* d8..db: format 2 */ \
	A(4, 0xe), A(4, 0x0), A(4, 0xa), A(4, 0x5),	/* dc..df: format 4 */ \
	X21(RUNN, A)					/* e0..f4: format 6 */ \
	A(5, 0x1e),					/* f5: format 5 */ \
	A(1, 0), A(1, 1),				/* f6..f7: format 1 */ \
	A(3, 0), A(3, 1), A(3, 2), A(3, 3), A(3, 4), A(3, 5), A(3, 6), A(3, 7)

#define BITS(n, bits)	{ bits, n }
const struct packet_atoms packet_atom[256] = { [0xc0] = ATOMS(BITS) };

#define WHOLE(atoms, bits)	{ .type = CSF_PKT_ATOM, .size = 1, .n = atoms, .val = bits }
const struct csf_packet packet_of_atom[64] = { ATOMS(WHOLE) };

/* Mispredict, or Cancel 2: no atom, E, EE, N. */
#define WRONG(n)	{ 0, 0, n, true }, { 1, 1, n, true }, { 2, 3, n, true }, { 1, 0, n, true }
const struct packet_back packet_back[18] = {
	{ 0, 0, 0, false }, { 0, 0, 0, true },			/* 2e, 2f: Cancel 1 */
	WRONG(0), WRONG(1),					/* 30..37 */
	{ 0, 0, 2, true }, { 1, 1, 2, true },			/* 38..3f: Cancel 3 */
	{ 0, 0, 3, true }, { 1, 1, 3, true },
	{ 0, 0, 4, true }, { 1, 1, 4, true },
	{ 0, 0, 5, true }, { 1, 1, 5, true },
};

const uint8_t packet_is_address[256] = {
	[0x90] = 1, 1, 1, [0x95] = 1, 1, [0x9a] = 1, 1, [0x9d] = 1, 1,
};

/* @n: number of bytes up to and including the one that proves it bad. */
static int bad(const uint8_t *p, int n, enum csf_bad why, struct csf_packet *pkt)
{
	uint8_t type = why == CSF_BAD_RESERVED ? CSF_PKT_BAD : pkt->type;

	if (pkt->type == CSF_PKT_BAD)
		type = pkt->info;
	*pkt = (struct csf_packet){
		.type = CSF_PKT_BAD,
		.n = why,
		.info = type,
		.size = n,
		.val = get_le64(p) & low_bits(8 * n),
	};
	return n;
}

int packet_cut(const uint8_t *p, size_t n, struct csf_packet *pkt)
{
	return bad(p, n, CSF_BAD_CUT, pkt);
}

static bool gate_open(const struct config *c, enum packet_gate gate)
{
	switch (gate) {
	case GATE_NONE:
		return true;
	case GATE_M:
		return c->profile == CSF_PROFILE_M;
	case GATE_DATA:
		return c->etm4.data;
	case GATE_COND:
		return c->etm4.cond;
	case GATE_Q:
		return c->etm4.q;
	case GATE_ITE:
		return c->etm4.ite;
	}
	return false;
}

static noinline bool exists(const struct config *c, const struct packet_row *row)
{
	return c->etm4.version >= row->since && c->etm4.version <= row->until &&
	       gate_open(c, row->gate);
}

/*
 * Payload readers.  @n is the number of bytes of the packet so far, header included.  They return
 * the new number, or minus the number of bytes up to the one that proves the packet malformed.
 */

static int leb32(const uint8_t *p, int n, uint32_t *v)
{
	uint64_t wide;

	n = packet_leb(p, n, 5, &wide);
	*v = wide;
	return n;
}

static int cycles(const struct config *c, const uint8_t *p, int n, struct csf_packet *pkt)
{
	n = packet_cycles(c, p, n, &pkt->count);
	pkt->flags |= CSF_PKT_COUNT;
	return n;
}

/* 00: the second byte says which packet it is.  Only A-sync is longer. */
static int read_extension(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	const struct packet_row *row = &packet_extension[p[1] & 7];
	int n = 2;

	pkt->type = p[1] < ARRAY_SIZE(packet_extension) ? row->type : CSF_PKT_BAD;
	if (pkt->type == CSF_PKT_BAD)
		return bad(p, n, CSF_BAD_RESERVED, pkt);
	if (!exists(c, row))
		return bad(p, n, CSF_BAD_CONFIG, pkt);
	if (pkt->type != CSF_PKT_ASYNC)
		return n;

	for (; n < 12; n++)
		if (p[n] != (n < 11 ? 0x00 : 0x80))
			return -(n + 1);
	return n;
}

/* PLCTL selects the sections that follow, in order: INFO, KEY, SPEC, CYCT, WNDW. */
static int read_info(const uint8_t *p, struct csf_packet *pkt)
{
	uint32_t field[5] = { 0 };
	uint64_t plctl;
	int n = packet_leb(p, 1, 4, &plctl);

	for (size_t i = 0; i < ARRAY_SIZE(field); i++)
		if (p[1] & BIT(i))
			n = leb32(p, n, &field[i]);

	pkt->info = p[1] & 0x1f;
	pkt->val = field[0];
	pkt->val2 = field[1];
	pkt->commit = field[2];
	pkt->count = field[3];
	return n;
}

static int read_time(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	const struct packet_time t = packet_time(c, p);

	pkt->val = t.val;
	pkt->n = t.bits;
	pkt->count = t.count;
	if (t.has_count)
		pkt->flags |= CSF_PKT_COUNT;
	return t.size;
}

/*
 * The address of the exception is a packet of its own.  In ETE the byte 0x70 in its place means
 * that there is none.  A transaction failure never has one, whatever damage made of that byte; a PE
 * reset may have one.
 */
static int read_exception(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	int n = 2;

	pkt->n = (p[1] >> 5 & 2) | (p[1] & 1);
	pkt->exception = p[1] >> 1 & 0x1f;
	if (p[1] & 0x80) {
		pkt->exception |= (p[2] & 0x1f) << 5;
		pkt->info = p[2] & 0x20;
		n++;
	}

	if (!etm4_is_ete(&c->etm4))
		return n;
	if (pkt->exception != TYPE_TRANSACTION_FAILURE &&
	    (pkt->exception != TYPE_PE_RESET || p[n] != 0x70))
		return n;
	pkt->flags = CSF_PKT_UNKNOWN;
	return n + 1;
}

static int read_cc1(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	int n = 1;

	if (!c->etm4.commopt)
		n = leb32(p, n, &pkt->commit);
	return p[0] & 1 ? n : cycles(c, p, n, pkt);
}

static int read_cc2(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	pkt->flags = CSF_PKT_COUNT;
	pkt->count = p[1] & 0xf;
	pkt->info = p[0] & 1;
	if (!c->etm4.commopt)
		pkt->commit = p[0] & 1 ? (p[1] >> 4) - 15u : (p[1] >> 4) + 1u;
	return 2;
}

static int read_cc3(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	pkt->flags = CSF_PKT_COUNT;
	pkt->count = p[0] & 3;
	if (!c->etm4.commopt)
		pkt->commit = (p[0] >> 2 & 3) + 1;
	return 1;
}

/* Atoms to add before the mispredict: none, E, EE, N. */
static int read_mispredict(const uint8_t *p, struct csf_packet *pkt)
{
	static const uint8_t atoms[4] = { 0, 1, 2, 1 };
	static const uint8_t outcome[4] = { 0, 1, 3, 0 };

	pkt->n = atoms[p[0] & 3];
	pkt->val = outcome[p[0] & 3];
	if (pkt->type == CSF_PKT_CANCEL2) {
		pkt->count = 1;
		pkt->flags = CSF_PKT_MISP;
	}
	return 1;
}

static int read_cancel1(const uint8_t *p, struct csf_packet *pkt)
{
	int n = leb32(p, 1, &pkt->count);

	pkt->flags = p[0] & 1 ? CSF_PKT_MISP : 0;
	return pkt->count ? n : -n;
}

static int read_cancel3(const uint8_t *p, struct csf_packet *pkt)
{
	pkt->n = p[0] & 1;
	pkt->val = p[0] & 1;
	pkt->count = (p[0] >> 1 & 3) + 2;
	pkt->flags = CSF_PKT_MISP;
	return 1;
}

/* One or two results: RESULT in bits 3:0, KEY from bit 4 on. */
static int read_cond_r1(const uint8_t *p, struct csf_packet *pkt)
{
	uint64_t result[2] = { 0 };
	int n = 1;

	pkt->n = p[0] < 0x6c ? 2 : 1;
	pkt->info = p[0] & (pkt->n == 2 ? 3 : 1);
	for (unsigned int i = 0; i < pkt->n; i++) {
		uint64_t low = p[n] & 0x7f;
		uint64_t high = 0;

		n = p[n] & 0x80 ? packet_leb(p, n + 1, 5, &high) : n + 1;
		result[i] = low | high << 7;
	}

	pkt->val = result[0];
	pkt->val2 = result[1];
	return n;
}

static int read_context(const struct config *c, const uint8_t *p, int n, struct csf_packet *pkt)
{
	pkt->flags |= CSF_PKT_CTXT;
	pkt->info = p[n++] & ~0x04;
	if (pkt->info & 0x40) {
		pkt->vmid = get_le32(p + n) & low_bits(8 * c->etm4.vmid_size);
		n += c->etm4.vmid_size;
	}
	if (pkt->info & 0x80) {
		pkt->contextid = get_le32(p + n) & low_bits(8 * c->etm4.cid_size);
		n += c->etm4.cid_size;
	}
	return n;
}

/* Addresses in packets with more fields. */
static int read_short(const uint8_t *p, unsigned int is, struct csf_packet *pkt)
{
	int n = packet_short(p, is, &pkt->val);

	pkt->flags |= is;
	pkt->n = (n == 2 ? 9 : 17) - is;
	return n;
}

static int read_long32(const uint8_t *p, unsigned int is, struct csf_packet *pkt)
{
	pkt->flags |= is;
	pkt->val = packet_long32(p, is);
	pkt->n = 32;
	return 5;
}

static int read_long64(const uint8_t *p, unsigned int is, struct csf_packet *pkt)
{
	pkt->flags |= is;
	pkt->val = packet_long64(p, is);
	pkt->n = 64;
	return 9;
}

static int read_count(const uint8_t *p, int n, struct csf_packet *pkt)
{
	pkt->flags |= CSF_PKT_COUNT;
	return leb32(p, n, &pkt->count);
}

/* Long because it is a flat switch over the shapes. */
static inline int read_shape(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	const struct packet_row *row = &packet_row[p[0]];
	unsigned int is = p[0] - row->first;

	switch ((enum packet_shape)row->shape) {
	case SHAPE_BAD:
		return bad(p, 1, CSF_BAD_RESERVED, pkt);
	case SHAPE_NONE:
		return 1;
	case SHAPE_BITS2:
		pkt->val = p[0] & 3;
		return 1;
	case SHAPE_BITS3:
		pkt->val = p[0] & 7;
		return 1;
	case SHAPE_BITS4:
		pkt->val = p[0] & 15;
		return 1;
	case SHAPE_EXTENSION:
		return read_extension(c, p, pkt);
	case SHAPE_INFO:
		return read_info(p, pkt);
	case SHAPE_TIME:
		return read_time(c, p, pkt);
	case SHAPE_EXCEPTION:
		return read_exception(c, p, pkt);
	case SHAPE_ITE:
		pkt->n = p[1] & 3;
		pkt->val = get_le64(p + 2);
		return 10;
	case SHAPE_CC1:
		return read_cc1(c, p, pkt);
	case SHAPE_CC2:
		return read_cc2(c, p, pkt);
	case SHAPE_CC3:
		return read_cc3(c, p, pkt);
	case SHAPE_COMMIT:
		return leb32(p, 1, &pkt->count);
	case SHAPE_CANCEL1:
		return read_cancel1(p, pkt);
	case SHAPE_MISPREDICT:
		return read_mispredict(p, pkt);
	case SHAPE_CANCEL3:
		return read_cancel3(p, pkt);
	case SHAPE_COND_I1:
		return packet_leb(p, 1, 5, &pkt->val);
	case SHAPE_COND_I3:
		pkt->val = (p[1] >> 1 & 0x3f) | (p[1] & 1) << 6;
		return 2;
	case SHAPE_COND_R1:
		return read_cond_r1(p, pkt);
	case SHAPE_COND_R3:
		pkt->val = (p[0] & 15) << 8 | p[1];
		return 2;
	case SHAPE_CONTEXT:
		return is ? read_context(c, p, 1, pkt) : 1;
	case SHAPE_CTXT32:
		return read_context(c, p, read_long32(p, is, pkt), pkt);
	case SHAPE_CTXT64:
		return read_context(c, p, read_long64(p, is, pkt), pkt);
	case SHAPE_SHORT:
		return read_short(p, is, pkt);
	case SHAPE_LONG32:
		return read_long32(p, is, pkt);
	case SHAPE_LONG64:
		return read_long64(p, is, pkt);
	case SHAPE_Q_MATCH:
		pkt->flags = CSF_PKT_ADDR | CSF_PKT_MATCH;
		pkt->val = p[0] & 3;
		return read_count(p, 1, pkt);
	case SHAPE_Q_SHORT:
		pkt->flags = CSF_PKT_ADDR;
		return read_count(p, read_short(p, is, pkt), pkt);
	case SHAPE_Q_LONG32:
		pkt->flags = CSF_PKT_ADDR;
		return read_count(p, read_long32(p, is, pkt), pkt);
	case SHAPE_Q_COUNT:
		return read_count(p, 1, pkt);
	case SHAPE_ATOM:
		pkt->n = packet_atom[p[0]].n;
		pkt->val = packet_atom[p[0]].bits;
		return 1;
	}
	return bad(p, 1, CSF_BAD_RESERVED, pkt);
}

int packet_read_payload(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	const struct packet_row *row = &packet_row[p[0]];
	int n;

	*pkt = (struct csf_packet){ .type = row->type };
	if (unlikely(row->gated) && !exists(c, row))
		return bad(p, 1, CSF_BAD_CONFIG, pkt);

	n = read_shape(c, p, pkt);
	if (unlikely(n < 0))
		return bad(p, -n, CSF_BAD_SEQUENCE, pkt);
	pkt->size = n;
	return n;
}

int packet_read_within(const struct config *c, const uint8_t *p, size_t n,
		       struct csf_packet *packet)
{
	uint8_t bytes[CSF_PACKET_MAX] = { 0 };
	int size;

	memcpy(bytes, p, n < sizeof(bytes) ? n : sizeof(bytes));
	size = packet_read_payload(c, bytes, packet);
	return size > n ? packet_cut(bytes, n, packet) : size;
}
