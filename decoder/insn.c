// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* csf_insn(): finds the row of an opcode and its meaning at this address. */
#include "insn-a64.h"

#define ALWAYS	INSN_ALWAYS

/* The rules that make a kind take an atom; any one of them is enough. */
static const uint8_t atom_rule[] = {
	[CSF_INSN_BRANCH]	= ALWAYS,
	[CSF_INSN_INDIRECT]	= ALWAYS,
	[CSF_INSN_ISB]		= ALWAYS,
	[CSF_INSN_TSTART]	= ALWAYS,
	[CSF_INSN_WFX]		= CSF_RULE_WFX,
	[CSF_INSN_LOAD]		= CSF_RULE_LOAD,
	[CSF_INSN_STORE]	= CSF_RULE_STORE,
	[CSF_INSN_BARRIER]	= CSF_RULE_BARRIER,
	[INSN_MODIFY]		= CSF_RULE_LOAD | CSF_RULE_STORE,
	[INSN_ENTERX]		= CSF_RULE_THUMBEE,
	[INSN_LEAVEX]		= CSF_RULE_THUMBEE,
};

/* Of a row in a table: what others are told. */
static void set_kind(struct csf_insn *insn, const struct insn_row *row, uint32_t rule)
{
	switch (row->kind) {
	case INSN_MODIFY:
		insn->kind = CSF_INSN_LOAD;
		break;
	case INSN_ENTERX:
		insn->kind = rule & CSF_RULE_THUMBEE ? CSF_INSN_INDIRECT : CSF_INSN_OTHER;
		insn->flags |= rule & CSF_RULE_THUMBEE ? CSF_FLAG_THUMBEE : 0;
		break;
	case INSN_LEAVEX:
		insn->kind = CSF_INSN_OTHER;
		break;
	default:
		insn->kind = row->kind;
		break;
	}
}

static void fill(struct csf_insn *insn, const struct insn_row *row, uint32_t rule)
{
	set_kind(insn, row, rule);
	insn->flags |= row->flags & ~ROW_M;
	if (row->kind == CSF_INSN_ISB && rule & CSF_RULE_TAKEN)
		return;
	if (atom_rule[row->kind] & (rule | ALWAYS))
		insn->flags |= CSF_FLAG_P0;
}

/* Is its target when taken known, if only because execution goes on after it? */
static bool is_direct(const struct insn_row *row)
{
	switch (row->kind) {
	case CSF_INSN_BRANCH:
	case CSF_INSN_ISB:
	case CSF_INSN_WFX:
	case CSF_INSN_TSTART:
		return true;
	}
	return false;
}

static void a64_insn(struct csf_insn *insn, uint32_t op, uint64_t pc, uint32_t rule)
{
	const struct insn_row *row = a64_rows[op >> 24];

	if (!row)
		return;

	row = insn_match(row, op, 0);
	fill(insn, row, rule);
	if (is_direct(row))
		insn->target = pc + (row->form ? a64_displacement(op, row->form) : 4);
}

static void a32_insn(struct csf_insn *insn, uint32_t op, uint64_t pc, uint32_t rule)
{
	const uint32_t cond = op >> 28;
	const struct insn_row *row = cond < 0xf ? a32_rows[op >> 20 & 0xff] : a32_always;

	if (row) {
		row = insn_match(row, op, 0);
		fill(insn, row, rule);
	}
	if (cond < 0xe && (insn->flags & CSF_FLAG_P0))
		insn->flags |= CSF_FLAG_COND;
	if (!row)
		return;

	if (is_direct(row))
		insn->target = (uint32_t)(pc + (row->form ? a32_displacement(op, row->form) : 4));
	if (row->form == A32_BLX)
		insn->target_isa = CSF_T32;
}

static void t32_insn(struct csf_insn *insn, uint32_t op, uint64_t pc, uint32_t rule)
{
	const uint8_t drop = rule & CSF_RULE_M ? 0 : ROW_M;
	const struct insn_row *row;

	/* A halfword that begins a longer instruction gives only its size. */
	if (op < 0xe800)
		row = t16_rows[op >> 8];
	else
		row = op >= 0xe8000000 ? t32_rows[op >> 21 & 0xff] : NULL;
	insn->size = op < 0xe800 ? 2 : 4;
	if (!row)
		return;

	row = insn_match(row, op, drop);
	fill(insn, row, rule);
	if (row->form == T32_BLX) {
		insn->target_isa = CSF_A32;
		pc &= ~3ull;
	}
	if (is_direct(row))
		insn->target = (uint32_t)(pc + (row->form ? t32_displacement(op, row->form) :
							    insn->size));
}

void csf_insn(struct csf_insn *insn, uint32_t opcode, uint64_t pc, enum csf_isa isa,
	      uint32_t rule)
{
	*insn = (struct csf_insn) {
		.flags = rule & CSF_RULE_EACH ? CSF_FLAG_P0 : 0, .size = 4, .target_isa = isa,
	};

	switch (isa) {
	case CSF_A64:
		a64_insn(insn, opcode, pc, rule);
		break;
	case CSF_A32:
		a32_insn(insn, opcode, pc, rule);
		break;
	case CSF_T32:
		t32_insn(insn, opcode, pc, rule);
		break;
	}
}

struct csf_insn insn_a64_any(uint32_t op, uint64_t pc, uint32_t rule)
{
	struct csf_insn insn;

	csf_insn(&insn, op, pc, CSF_A64, rule);
	return insn;
}

/* The rules under which a row of a list takes an atom. */
static uint8_t rules_of(const struct insn_row *row)
{
	uint8_t rules = 0;

	if (!row)
		return 0;
	for (; row->mask || row->flags & ROW_M; row++)
		rules |= atom_rule[row->kind];
	return rules | atom_rule[row->kind];
}

static struct insn_direct direct_branch(const struct insn_row *row)
{
	const struct insn_field *field = &a64_field[row->form];

	if (row->kind != CSF_INSN_BRANCH)
		return (struct insn_direct){ .kind = CSF_INSN_OTHER };
	return (struct insn_direct){
		.kind = CSF_INSN_BRANCH, .flags = row->flags | CSF_FLAG_P0,
		.left = 32 - field->low - field->n, .right = 32 - field->n,
	};
}

/* The branches of the list for @top, the bits [31:24], if @top alone distinguishes them. */
static struct insn_direct direct_of(uint8_t top)
{
	const uint32_t op = (uint32_t)top << 24;
	const struct insn_row *row = a64_rows[top];

	while (row && !(row->mask & 0xffffff)) {
		if ((op & row->mask) == row->value)
			return direct_branch(row);
		row++;
	}
	return (struct insn_direct){ .kind = CSF_INSN_OTHER };
}

void insn_filter_init(struct insn_filter *filter)
{
	for (unsigned int i = 0; i < 256; i++) {
		filter->direct[i] = direct_of(i);
		filter->a64[i] = rules_of(a64_rows[i]);
		filter->a32[i] = rules_of(a32_rows[i]);
		filter->t16[i] = rules_of(t16_rows[i]);
		filter->t32[i] = rules_of(t32_rows[i]);
	}
}

static unsigned int skip_t32(const struct insn_filter *filter, const uint8_t *p, size_t n,
			     uint8_t rules, unsigned int max, uint32_t *size)
{
	unsigned int count = 0;
	uint32_t done = 0;

	while (count < max) {
		uint16_t op = get_le16(p + done);
		bool wide = op >= 0xe800;

		if (n - done < (wide ? 8 : 6) ||
		    (wide ? filter->t32[op >> 5 & 0xff] : filter->t16[op >> 8]) & rules)
			break;
		done += wide ? 4 : 2;
		count++;
	}
	*size = done;
	return count;
}

unsigned int insn_skip(const struct insn_filter *filter, const uint8_t *p, size_t n,
		       enum csf_isa isa, uint32_t rule, unsigned int max, uint32_t *size)
{
	const uint8_t rules = rule | ALWAYS;
	unsigned int count = 0;

	*size = 0;
	if (n < 8 || rule & CSF_RULE_EACH)
		return 0;
	if (isa == CSF_T32)
		return skip_t32(filter, p, n, rules, max, size);
	if (max > n / 4 - 1)
		max = n / 4 - 1;
	if (isa == CSF_A64)
		while (count < max && !(filter->a64[p[4 * count + 3]] & rules))
			count++;
	else
		while (count < max && p[4 * count + 3] < 0xf0 &&
		       !(filter->a32[get_le16(p + 4 * count + 2) >> 4 & 0xff] & rules))
			count++;
	*size = 4 * count;
	return count;
}
