// SPDX-License-Identifier: GPL-2.0-only
/* Are two records the same thing, and in which fields do they differ? */
#include <string.h>

#include "match.h"

/* ---------------------------------------------------------------- values */

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Digit @i from the right: -1: unknown, or not written. */
static int digit(struct tarmac_text t, size_t i)
{
	return i < t.n ? nibble(t.p[t.n - 1 - i]) : 0;
}

/* The lowest 64 bits; unknown digits are 0. */
static uint64_t low(struct tarmac_text t)
{
	uint64_t v = 0;

	for (size_t i = 0; i < 16; i++)
		if (digit(t, i) > 0)
			v |= (uint64_t)digit(t, i) << 4 * i;
	return v;
}

/* Compares the bits of @mask in the lowest @n digits; @mask has 64 bits. */
static bool digits_same(struct tarmac_text a, struct tarmac_text b, size_t n, const uint64_t *mask)
{
	for (size_t i = 0; i < n; i++) {
		int x = digit(a, i), y = digit(b, i), bits = 15;

		if (mask)
			bits = i < 16 ? *mask >> 4 * i & 15 : 0;
		if (x >= 0 && y >= 0 && (x ^ y) & bits)
			return false;
	}
	return true;
}

/* A byte of memory that was not accessed is none that is unknown. */
static bool accessed_same(struct tarmac_text a, struct tarmac_text b)
{
	for (size_t i = 0; i < a.n && i < b.n; i++)
		if ((a.p[a.n - 1 - i] == '-') != (b.p[b.n - 1 - i] == '-'))
			return false;
	return true;
}

static bool value_same(struct match *m, const struct match_kept *a, const struct match_kept *b)
{
	const struct match_rules *rules = &m->options->rules;
	struct tarmac_text x = a->item.digits, y = b->item.digits;
	const struct match_rule *mask = NULL, *tolerance = NULL;
	size_t n = x.n > y.n ? x.n : y.n;

	if (a->item.kind == SOURCE_MEM && !accessed_same(x, y))
		return false;
	if (a->half || b->half)
		n = 8;
	if (digits_same(x, y, n, NULL))
		return true;
	if (a->item.kind != SOURCE_REG)
		return false;
	mask = match_rules_reg(rules, MATCH_MASK, a->name);
	if (mask && digits_same(x, y, n, &mask->value))
		return true;
	tolerance = match_rules_reg(rules, MATCH_TOLERANCE, a->name);
	if (tolerance) {
		uint64_t v = low(x), w = low(y);

		return (v > w ? v - w : w - v) <= tolerance->value;
	}
	return false;
}

static bool text_same(struct tarmac_text a, struct tarmac_text b)
{
	return a.n == b.n && (!a.n || !memcmp(a.p, b.p, a.n));
}

/* A missing time equals any time. */
bool match_time_same(const struct match *m, const struct source_item *a,
		     const struct source_item *b)
{
	uint64_t x = a->time - m->side[0].time0, y = b->time - m->side[1].time0;
	int64_t apart = x - y;

	if (!a->has_time || !b->has_time)
		return true;
	return (uint64_t)(apart < 0 ? -apart : apart) <= m->options->rules.time;
}

/* Fields that any record may have. */
static uint32_t common(struct match *m, const struct source_item *a, const struct source_item *b,
		       uint32_t wanted)
{
	uint32_t fields = 0;

	if (wanted & MATCH_TIME && !match_time_same(m, a, b))
		fields |= MATCH_TIME;
	if (wanted & MATCH_PADDR && a->has_pa && b->has_pa && a->pa != b->pa)
		fields |= MATCH_PADDR;
	return fields;
}

/* ---------------------------------------------------------------- records */

static bool opcode_same(const struct source_item *a, const struct source_item *b)
{
	uint32_t x = match_bytes(a, 1), y = match_bytes(b, 1);

	if (a->no_code || b->no_code)
		return true;
	return x == y && !memcmp(source_code(a), source_code(b), x);
}

/* Is the last instruction of @item a compare-and-branch, without condition codes? */
static bool compares(const struct source_item *item)
{
	uint32_t from = item->n_insn > 1 ? match_bytes(item, item->n_insn - 1) : 0;
	const uint8_t *p = source_code(item) + from;
	const uint32_t size = item->size - from;
	struct csf_insn insn;
	uint32_t op;

	if (item->no_code || item->isa == CSF_A32 || item->isa > CSF_T32 || size < 2)
		return false;
	op = p[0] | p[1] << 8;
	if (item->isa == CSF_T32 && size == 2)
		return (op & 0xf500) == 0xb100;				/* CBZ, CBNZ */
	if (size < 4)
		return false;
	if (item->isa == CSF_T32)					/* WLS, LE */
		return ((op << 16 | p[2] | p[3] << 8) & 0xf800d001) == 0xf000c001;
	op |= (uint32_t)(p[2] | p[3] << 8) << 16;
	csf_insn(&insn, op, 0, CSF_A64, 0);
	return insn.kind == CSF_INSN_BRANCH && insn.flags & CSF_FLAG_COND && op >> 24 != 0x54;
}

/* Logs have an untaken CBZ as IT or as IS: only the next address tells. */
bool match_how(const struct match *m, const struct source_item *a, const struct source_item *b)
{
	if (!a->how || !b->how || a->how == b->how)
		return true;
	return m->logs && (compares(a) || compares(b));
}

uint32_t match_insn_fields(struct match *m, const struct source_item *a,
			   const struct source_item *b)
{
	uint32_t wanted = match_rules_fields(&m->options->rules, a, NULL);
	uint32_t fields = common(m, a, b, wanted);

	if (!opcode_same(a, b))
		fields |= MATCH_OPCODE;
	if (a->isa != b->isa && a->isa != SOURCE_NO_ISA && b->isa != SOURCE_NO_ISA)
		fields |= MATCH_ISET;
	if (a->n_insn == 1 && b->n_insn == 1 && !match_how(m, a, b))
		fields |= MATCH_HOW;
	if (wanted & MATCH_MODE && a->mode.n && b->mode.n && !text_same(a->mode, b->mode))
		fields |= MATCH_MODE;
	if (wanted & MATCH_DISASM && a->disasm.n && b->disasm.n &&
	    !text_same(a->disasm, b->disasm))
		fields |= MATCH_DISASM;
	return fields & wanted;
}

bool match_record_key(const struct match_kept *a, const struct match_kept *b)
{
	const struct source_item *x = &a->item, *y = &b->item;

	if (x->kind != y->kind)
		return false;
	switch ((enum source_kind)x->kind) {
	case SOURCE_INSN:
		return x->addr == y->addr;
	case SOURCE_REG:
		return !strcmp(a->name, b->name);
	case SOURCE_MEM:
		return x->addr == y->addr && x->n == y->n && x->write == y->write &&
		       text_same(x->name, y->name);
	case SOURCE_EVENT:
		return x->value == y->value;
	case SOURCE_OTHER:
		return text_same(x->name, y->name);
	default:
		return true;
	}
}

uint32_t match_record_fields(struct match *m, const struct match_kept *a,
			     const struct match_kept *b)
{
	const struct source_item *x = &a->item, *y = &b->item;
	uint32_t wanted, fields;

	if (x->kind == SOURCE_INSN)
		return match_insn_fields(m, x, y);
	wanted = match_rules_fields(&m->options->rules, x, a->name);
	fields = common(m, x, y, wanted);
	switch ((enum source_kind)x->kind) {
	case SOURCE_REG:
	case SOURCE_MEM:
		if (!value_same(m, a, b))
			fields |= MATCH_VALUE;
		break;
	case SOURCE_EVENT:
		if (x->addr != y->addr)
			fields |= MATCH_VALUE;
		if (!text_same(x->name, y->name))
			fields |= MATCH_MODE;
		break;
	case SOURCE_EXCEPTION:
		if (x->value != y->value)
			fields |= MATCH_VALUE;
		if (x->has_addr && y->has_addr && x->addr != y->addr)
			fields |= MATCH_RETURN;
		break;
	case SOURCE_TM:
	case SOURCE_TIME:
		if (x->value != y->value)
			fields |= MATCH_VALUE;
		break;
	default:
		break;
	}
	return fields & wanted;
}
