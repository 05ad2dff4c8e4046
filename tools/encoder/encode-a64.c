// SPDX-License-Identifier: GPL-2.0-only
/*
 * A64: the classes of a trace unit.  Arm ARM (DDI 0487), C4.1 "A64 instruction set encoding":
 * branches, exception generating and system instructions.
 */
#include "encode-insn.h"

/* The field of the offset, in units of 4 bytes. */
enum { NONE, IMM26, IMM19, IMM14, IMM9 };

/* Branches, exception generating and system instructions: bits 28:26 are 101. */
static const struct class_row system_rows[] = {
	{ 0xfc000000, 0x14000000, ENC_DIRECT, 0, IMM26 },		/* B */
	{ 0xfc000000, 0x94000000, ENC_DIRECT, ENC_LINK, IMM26 },	/* BL */
	{ 0xff000000, 0x54000000, ENC_DIRECT, ENC_COND, IMM19 },	/* B.cond, BC.cond */
	{ 0x7e000000, 0x34000000, ENC_DIRECT, ENC_COND, IMM19 },	/* CBZ, CBNZ */
	{ 0x7e000000, 0x36000000, ENC_DIRECT, ENC_COND, IMM14 },	/* TBZ, TBNZ */
	/* Compare and branch.  In bits 23:21 conditions 4 and 5 are not allocated. */
	{ 0x7ec00000, 0x74800000, ENC_PLAIN },
	{ 0x7f00c000, 0x74004000, ENC_PLAIN },
	{ 0xff00c000, 0xf4008000, ENC_PLAIN },			/* 64 bits of a byte, */
	{ 0xff00c000, 0xf400c000, ENC_PLAIN },			/* or of a halfword */
	{ 0x7f000000, 0x74000000, ENC_DIRECT, ENC_COND, IMM9 },	/* CB, CBB, CBH of registers */
	{ 0x7f004000, 0x75000000, ENC_DIRECT, ENC_COND, IMM9 },	/* CB of an immediate */
	{ 0xfffffc1f, 0xd61f0000, ENC_INDIRECT },			/* BR */
	{ 0xfffffc1f, 0xd63f0000, ENC_INDIRECT, ENC_LINK },		/* BLR */
	{ 0xfffffc1f, 0xd65f0000, ENC_INDIRECT },			/* RET */
	{ 0xfffff81f, 0xd61f081f, ENC_INDIRECT },			/* BRAAZ, BRABZ */
	{ 0xfffff81f, 0xd63f081f, ENC_INDIRECT, ENC_LINK },		/* BLRAAZ, BLRABZ */
	{ 0xfffff800, 0xd71f0800, ENC_INDIRECT },			/* BRAA, BRAB */
	{ 0xfffff800, 0xd73f0800, ENC_INDIRECT, ENC_LINK },		/* BLRAA, BLRAB */
	{ 0xfffffbe0, 0xd65f0be0, ENC_INDIRECT },		/* RETAA, RETAB and with SPPCR */
	{ 0xffc0001f, 0x5500001f, ENC_INDIRECT },			/* RETAASPPC, RETABSPPC */
	{ 0xffffffff, 0xd69f03e0, ENC_INDIRECT, ENC_ERET },		/* ERET */
	{ 0xfffffbff, 0xd69f0bff, ENC_INDIRECT, ENC_ERET },		/* ERETAA, ERETAB */
	{ 0xfffffbff, 0xd6ff03e0, ENC_INDIRECT, ENC_ERET },		/* TEXIT */
	{ 0xfffff0ff, 0xd50330df, ENC_ISB },
	{ 0xffffffdf, 0xd503205f, ENC_WFX },				/* WFE, WFI */
	{ 0xffffffc0, 0xd5031000, ENC_WFX },				/* WFET, WFIT */
	{ 0xffffffe0, 0xd5233060, ENC_TSTART },
	{ 0xffffffe0, 0xd50b72e0, ENC_TRCIT },
	{ 0xffe0001f, 0xd4000001, ENC_CALL },				/* SVC */
	{ 0xffe0001f, 0xd4000002, ENC_CALL },				/* HVC */
	{ 0xffe0001f, 0xd4000003, ENC_CALL },				/* SMC */
	{ 0xfffdf01f, 0xd4e00000, ENC_CALL },				/* TENTER */
	{}
};

static int64_t offset(uint32_t opcode, unsigned int at)
{
	switch (at) {
	case IMM26:
		return class_signed(opcode, 26) * 4;
	case IMM19:
		return class_signed(class_bits(opcode, 23, 5), 19) * 4;
	case IMM14:
		return class_signed(class_bits(opcode, 18, 5), 14) * 4;
	case IMM9:
		return class_signed(class_bits(opcode, 13, 5), 9) * 4;
	}
	return 0;
}

struct enc_insn encode_a64(uint32_t opcode, uint64_t pc)
{
	struct enc_insn insn = { .size = 4, .target_isa = ENC_A64 };
	const struct class_row *row;

	if ((opcode & 0x1c000000) != 0x14000000)
		return insn;
	row = class_find(system_rows, opcode);
	insn.class = row->class;
	insn.flags = row->flags;
	if (row->class == ENC_DIRECT)
		insn.target = pc + offset(opcode, row->at);
	return insn;
}
