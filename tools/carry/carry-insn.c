// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opcodes without the bits that a linker sets, or another build.
 *
 * Source: ARM DDI 0487, chapter C4, A64 instruction set encoding.
 */
#include "carry-insn.h"

/* Registers: Rd or Rt, Rn, Rm. */
#define REGISTERS	0x001f03ffu

/**
 * struct row - a class of instructions
 * @mask, @value: the bits that are compared, and their value
 * @distance: the bits that a linker or the layout sets
 * @constant: the bits of a constant
 */
struct row {
	uint32_t mask, value;
	uint32_t distance, constant;
};

/* The first row that matches decides. */
static const struct row rows[] = {
	{ 0x7c000000, 0x14000000, 0x03ffffff, 0 },		/* B, BL */
	{ 0xff000000, 0x54000000, 0x00ffffe1, 0 },		/* B.cond, less its sense */
	{ 0x7e000000, 0x34000000, 0x01ffffe0, 0 },		/* CBZ */
	{ 0x7e000000, 0x36000000, 0x0107ffe0, 0x80f80000 },	/* TBZ */
	{ 0x1f000000, 0x10000000, 0x60ffffe0, 0 },		/* ADR, ADRP */
	{ 0x3b000000, 0x18000000, 0x00ffffe0, 0 },		/* LDR of a literal */
	{ 0x1f800000, 0x11000000, 0, 0x003ffc00 },		/* ADD, SUB of a constant */
	{ 0x1f800000, 0x12000000, 0, 0x003ffc00 },		/* logical, of a constant */
	{ 0x1f800000, 0x12800000, 0, 0x001fffe0 },		/* MOVN, MOVZ, MOVK */
	{ 0x3b000000, 0x39000000, 0, 0x003ffc00 },		/* LDR, STR, unsigned offset */
	{ 0x3b200000, 0x38000000, 0, 0x001ff000 },		/* LDUR, STUR, indexed */
	{ 0x3a000000, 0x28000000, 0, 0x003f8000 },		/* LDP, STP */
	{ 0, 0, 0, 0 },
};

static const struct row *row_of(uint32_t opcode)
{
	const struct row *r = rows;

	while ((opcode & r->mask) != r->value)
		r++;
	return r;
}

/* B.cond, CBZ and TBZ each have a twin that branches in just the other case. */
static bool sense_of(uint32_t opcode)
{
	if (opcode >> 24 == 0x54)
		return opcode & 1;
	return (opcode & 0x7c000000) == 0x34000000 && opcode & 0x01000000;
}

/* The offset in a page belongs to the address of the page. */
static bool is_in_page(const struct row *r, uint32_t opcode, uint32_t pages)
{
	const bool page = pages >> (opcode >> 5 & 31) & 1;

	return page && (r->value == 0x11000000 || r->value == 0x39000000);
}

void carry_insn(struct carry_insn *insn, uint32_t opcode, uint64_t pc, uint32_t *pages)
{
	const struct row *r = row_of(opcode);
	struct csf_insn is;

	csf_insn(&is, opcode, pc, CSF_A64, 0);
	*insn = (struct carry_insn){ .kind = is.kind, .flags = is.flags, .target = is.target,
				     .sense = sense_of(opcode) };
	insn->same = opcode & ~r->distance;
	if (is_in_page(r, opcode, *pages))
		insn->same &= ~r->constant;
	insn->like = insn->same & ~r->constant;
	insn->form = insn->like & ~REGISTERS;
	*pages &= ~(1u << (opcode & 31));
	if ((opcode & 0x9f000000) == 0x90000000)
		*pages |= 1u << (opcode & 31);
}
