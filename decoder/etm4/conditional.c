// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "conditional.h"

#define TOKEN_BITS	12	/* of a Result packet of format 3 */
#define TOKEN_NULL	0xff

/* A packet whose elements are being made. */
struct making {
	struct conditional *x;
	const struct config *c;
	uint64_t offset;
	struct element *el;
	unsigned int n;
};

static struct element *add(struct making *m, enum element_type type, uint32_t key)
{
	const uint32_t keys = m->c->etm4.cond_keys;
	struct element *el = &m->el[m->n++];

	*el = (struct element){ .type = type, .offset = m->offset, .val = key };
	if (keys && key >= keys)
		el->flags = EL_BAD_KEY;
	return el;
}

/* Keys from 0 up to but not including this are counted; 0: all.  The rest are special. */
static uint32_t counted(const struct making *m)
{
	return m->c->etm4.cond_counted;
}

static bool is_special(const struct making *m, uint32_t key)
{
	return counted(m) && key >= counted(m);
}

static uint32_t next(const struct making *m, uint32_t key, uint32_t n)
{
	const uint64_t sum = (uint64_t)key + n;

	return counted(m) ? sum % counted(m) : sum;
}

/* The number of steps from key @from to key @to. */
static uint32_t distance(const struct making *m, uint32_t from, uint32_t to)
{
	if (!counted(m) || to >= from)
		return to - from;
	return counted(m) - from + to;
}

/* @n conditional instructions, each with the next key. */
static void instructions(struct making *m, uint32_t n)
{
	struct element *el;

	if (!n)
		return;
	el = add(m, EL_COND, next(m, m->x->c_key, 1));
	el->count = n;
	el->addr = counted(m);
	m->x->c_key = next(m, m->x->c_key, n);
}

/* One more, with the same key as the last. */
static void again(struct making *m)
{
	add(m, EL_COND, m->x->c_key)->count = 1;
}

static void instruction_with_key(struct making *m, uint32_t key)
{
	add(m, EL_COND, key)->count = 1;
	m->x->c_key = is_special(m, key) ? next(m, m->x->c_key, 1) : key;
}

/* @value: 4 bits: TRCIDR0.CONDTYPE says whether they are the flags, or bit 0 is "passed". */
static void result(struct making *m, uint32_t key, unsigned int value)
{
	struct element *el = add(m, EL_COND_RESULT, key);

	if (m->c->etm4.condtype == 1) {
		el->flags |= EL_APSR;
		el->n = value & 15;
	} else {
		el->flags |= value & 1 ? EL_PASSED : EL_FAILED;
	}
}

static void unknown_result(struct making *m, uint32_t key)
{
	add(m, EL_COND_RESULT, key);
}

/*
 * Takes a token from @*bits, of which there are @*n.  Of two bits, or, with flags, of four if those
 * are 3.
 */
static unsigned int take_token(const struct making *m, uint32_t *bits, unsigned int *n)
{
	unsigned int token = *bits & 3, size = 2;

	if (m->c->etm4.condtype == 1 && token == 3) {
		token = *n < 4 ? TOKEN_NULL : *bits & 15;
		size = 4;
	}
	*bits >>= size;
	*n -= size < *n ? size : *n;
	return token;
}

/* Returns false if the token stands for no result. */
static bool token_result(struct making *m, uint32_t key, unsigned int token)
{
	/* C, N, Z and C; then N and C, none, Z */
	static const uint8_t flags[16] = {
		[0] = 0x2, [1] = 0x8, [2] = 0x6, [3] = 0xa, [7] = 0x0, [11] = 0x4,
	};

	if (m->c->etm4.condtype == 1) {
		if (token >= 15)
			return false;
		result(m, key, flags[token]);
	} else if (token < 2) {
		result(m, key, token);
	} else if (token == 2) {
		unknown_result(m, key);
	} else {
		return false;
	}
	return true;
}

/* RESULT in bits 3:0, KEY above; @implies: the instructions up to it have no packet. */
static void result_1(struct making *m, uint64_t val, bool implies)
{
	const uint32_t key = val >> 4;
	const bool special = is_special(m, key);
	uint32_t n;

	m->x->r_key = special ? next(m, m->x->r_key, 1) : key;
	n = implies ? distance(m, m->x->c_key, m->x->r_key) : 0;
	if (n && special) {
		instructions(m, n - 1);
		instruction_with_key(m, key);
	} else {
		instructions(m, n);
	}
	result(m, key, val & 15);
}

/* The instructions up to this one, at most two, have no packet, unless they had one. */
static void result_2(struct making *m, unsigned int bits)
{
	const uint32_t by = 1 + (bits >> 2 & 1);
	uint32_t n;

	m->x->r_key = next(m, m->x->r_key, by);
	n = distance(m, m->x->c_key, m->x->r_key);
	if (n <= by)
		instructions(m, n);
	token_result(m, m->x->r_key, bits & 3);
}

static void result_3(struct making *m, uint32_t bits)
{
	for (unsigned int n = TOKEN_BITS; n; ) {
		const uint32_t key = next(m, m->x->r_key, 1);

		if (!token_result(m, key, take_token(m, &bits, &n)))
			break;
		m->x->r_key = key;
	}
}

/* The key before. */
static void result_4(struct making *m, unsigned int token)
{
	m->x->r_key = next(m, m->x->r_key, counted(m) - 1);
	token_result(m, m->x->r_key, token);
}

/* Instructions that wait get no result; the next result is that of the next instruction. */
static void flush(struct making *m)
{
	m->x->r_key = m->x->c_key;
	add(m, EL_COND_FLUSH, 0);
}

/* Long because it is a flat switch over the types. */
unsigned int conditional_expand(struct conditional *x, const struct config *c,
				const struct csf_packet *pkt, uint64_t offset, struct element *el)
{
	struct making m = { .x = x, .c = c, .offset = offset, .el = el };

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_COND_I1:
		instruction_with_key(&m, pkt->val);
		break;
	case CSF_PKT_COND_I2:
		if (pkt->val != 1)
			instructions(&m, 1);
		if (pkt->val)
			again(&m);
		break;
	case CSF_PKT_COND_I3:
		instructions(&m, pkt->val & 0x3f);
		if (pkt->val & 0x40)
			again(&m);
		break;
	case CSF_PKT_COND_R1:
		result_1(&m, pkt->val, pkt->info & 1);
		if (pkt->n == 2)
			result_1(&m, pkt->val2, pkt->info & 2);
		break;
	case CSF_PKT_COND_R2:
		result_2(&m, pkt->val);
		break;
	case CSF_PKT_COND_R3:
		result_3(&m, pkt->val);
		break;
	case CSF_PKT_COND_R4:
		result_4(&m, pkt->val);
		break;
	case CSF_PKT_CANCEL1:
		if (pkt->flags & CSF_PKT_MISP)
			flush(&m);
		break;
	case CSF_PKT_CANCEL2:
	case CSF_PKT_CANCEL3:
	case CSF_PKT_EXCEPTION:
	case CSF_PKT_COND_FLUSH:
		flush(&m);
		break;
	case CSF_PKT_INFO:
		*x = (struct conditional){ 0 };
		flush(&m);
		break;
	default:
		break;
	}
	return m.n;
}
