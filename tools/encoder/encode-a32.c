// SPDX-License-Identifier: GPL-2.0-only
/*
 * A32: the classes of a trace unit.  Arm ARM (DDI 0487), F4.1 "A32 instruction set encoding".
 * Every instruction that writes the program counter is an indirect branch.
 */
#include "encode-insn.h"

#define PC	15

/* Rows with a condition in bits 31:28, other than 1111. */
static const struct class_row conditional[] = {
	{ 0x0f000000, 0x0a000000, ENC_DIRECT },				/* B */
	{ 0x0f000000, 0x0b000000, ENC_DIRECT, ENC_LINK },		/* BL */
	{ 0x0f000000, 0x0f000000, ENC_CALL },				/* SVC */
	{ 0x0ffffff0, 0x012fff10, ENC_INDIRECT },			/* BX */
	{ 0x0ffffff0, 0x012fff20, ENC_INDIRECT },			/* BXJ */
	{ 0x0ffffff0, 0x012fff30, ENC_INDIRECT, ENC_LINK },		/* BLX of a register */
	{ 0x0fffffff, 0x0160006e, ENC_INDIRECT, ENC_ERET },		/* ERET */
	{ 0x0ff000f0, 0x01400070, ENC_CALL, ENC_HVC },			/* HVC */
	{ 0x0ffffff0, 0x01600070, ENC_CALL, ENC_SMC },			/* SMC */
	{ 0x0fff0fff, 0x0e070f95, ENC_ISB },				/* MCR p15: ISB of old */
	{ 0x0fff0fff, 0x0e070f9a, ENC_BARRIER },			/* DSB */
	{ 0x0fff0fff, 0x0e070fba, ENC_BARRIER },			/* DMB */
	{ 0x0ffffffe, 0x0320f002, ENC_WFX },				/* WFE, WFI */
	{ 0x0e508000, 0x08508000, ENC_INDIRECT, ENC_ERET },		/* LDM {.. pc}^ */
	{ 0x0e108000, 0x08108000, ENC_INDIRECT },			/* LDM {.. pc} */
	{ 0x0e50f000, 0x0410f000, ENC_INDIRECT },			/* LDR pc, immediate */
	{ 0x0e50f010, 0x0610f000, ENC_INDIRECT },			/* LDR pc, register */
	{}
};

/* Condition 1111. */
static const struct class_row always[] = {
	{ 0xfe000000, 0xfa000000, ENC_DIRECT, ENC_LINK },		/* BLX to T32 */
	{ 0xfffffff0, 0xf57ff060, ENC_ISB },
	{ 0xfffffff0, 0xf57ff040, ENC_BARRIER },			/* DSB */
	{ 0xfffffff0, 0xf57ff050, ENC_BARRIER },			/* DMB */
	{ 0xfe50ffff, 0xf8100a00, ENC_INDIRECT, ENC_ERET },		/* RFE */
	{}
};

/*
 * Data processing with the program counter as destination.  Bits 24:21 are the operation, bit
 * 20 tells whether it sets flags, which here means a return from an exception.
 */
static bool computes_pc(uint32_t opcode)
{
	const bool immediate = opcode & 1 << 25;
	const bool no_result = class_bits(opcode, 24, 23) == 2;	/* TST .. CMN, or other things */

	if (opcode & 3 << 26 || class_bits(opcode, 15, 12) != PC || no_result)
		return false;
	/* With bits 7 and 4 set: multiplies, and loads and stores of halfwords. */
	return immediate || (opcode & 0x90) != 0x90;
}

static void by_condition(struct enc_insn *insn, uint32_t opcode)
{
	const struct class_row *row = class_find(conditional, opcode);

	insn->class = row->class;
	insn->flags = row->flags;
	if (!row->mask && computes_pc(opcode)) {
		insn->class = ENC_INDIRECT;
		insn->flags = opcode & 1 << 20 ? ENC_ERET : 0;
	}
	if (opcode >> 28 != 0xe)
		insn->flags |= ENC_COND;
}

struct enc_insn encode_a32(uint32_t opcode, uint64_t pc)
{
	struct enc_insn insn = { .size = 4, .target_isa = ENC_A32 };
	const struct class_row *row;

	if (opcode >> 28 != 0xf) {
		by_condition(&insn, opcode);
	} else {
		row = class_find(always, opcode);
		insn.class = row->class;
		insn.flags = row->flags;
	}
	if (insn.class != ENC_DIRECT)
		return insn;
	insn.target = pc + 8 + class_signed(opcode, 24) * 4;
	if (opcode >> 28 == 0xf) {
		insn.target += opcode >> 23 & 2;
		insn.target_isa = ENC_T32;
	}
	insn.target = (uint32_t)insn.target;
	return insn;
}
