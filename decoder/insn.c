// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* csf_insn(): find the row of an opcode and say what it means at this address. */
#include "insn.h"

#define ALWAYS	0x80

/* Which rules make a kind take an atom; any one of them will do. */
static const uint8_t atom_rule[] = {
	[CSF_INSN_BRANCH]	= ALWAYS,
	[CSF_INSN_INDIRECT]	= ALWAYS,
	[CSF_INSN_ISB]		= ALWAYS,
	[CSF_INSN_TSTART]	= ALWAYS,
	[CSF_INSN_WFX]		= CSF_RULE_WFX,
	[CSF_INSN_LOAD]		= CSF_RULE_LOAD,
	[CSF_INSN_STORE]	= CSF_RULE_STORE,
	[INSN_MODIFY]		= CSF_RULE_LOAD | CSF_RULE_STORE,
};

static void fill(struct csf_insn *insn, const struct insn_row *row, uint32_t rule)
{
	insn->kind = row->kind == INSN_MODIFY ? CSF_INSN_LOAD : row->kind;
	insn->flags = row->flags & ~ROW_M;
	if (atom_rule[row->kind] & (rule | ALWAYS))
		insn->flags |= CSF_FLAG_P0;
}

/* Where it goes when taken is known, if only because it goes on behind. */
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

	if (!row)
		return;

	row = insn_match(row, op, 0);
	fill(insn, row, rule);
	if (cond < 0xe && (insn->flags & CSF_FLAG_P0))
		insn->flags |= CSF_FLAG_COND;
	if (is_direct(row))
		insn->target = (uint32_t)(pc + (row->form ? a32_displacement(op, row->form) : 4));
	if (row->form == A32_BLX)
		insn->target_isa = CSF_T32;
}

static void t32_insn(struct csf_insn *insn, uint32_t op, uint64_t pc, uint32_t rule)
{
	const uint8_t drop = rule & CSF_RULE_M ? 0 : ROW_M;
	const struct insn_row *row;

	/* A halfword that begins a longer instruction says no more than its size. */
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
	*insn = (struct csf_insn) { .size = 4, .target_isa = isa };

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
