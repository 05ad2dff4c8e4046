// SPDX-License-Identifier: GPL-2.0-only
/*
 * T32: the classes of a trace unit.  Arm ARM (DDI 0487), F3.1 "T32 instruction set encoding".
 * M profile has more: DDI 0553, C2.3; branch futures take no atom.
 */
#include "encode-insn.h"

/* The field of the offset. */
enum { NONE, IMM8, IMM11, IMM6, T3, T4, TO_A32, LOOP, PAST_LOOP };

static const struct class_row narrow[] = {
	{ 0xff00, 0xde00, ENC_PLAIN },				/* UDF */
	{ 0xff00, 0xdf00, ENC_CALL },				/* SVC */
	{ 0xf000, 0xd000, ENC_DIRECT, ENC_COND, IMM8 },		/* B with a condition */
	{ 0xf800, 0xe000, ENC_DIRECT, 0, IMM11 },		/* B */
	{ 0xf500, 0xb100, ENC_DIRECT, ENC_COND, IMM6 },		/* CBZ, CBNZ */
	{ 0xff87, 0x4700, ENC_INDIRECT },			/* BX */
	{ 0xff87, 0x4780, ENC_INDIRECT, ENC_LINK },		/* BLX */
	{ 0xff87, 0x4687, ENC_INDIRECT },			/* MOV pc */
	{ 0xff87, 0x4487, ENC_INDIRECT },			/* ADD pc */
	{ 0xff00, 0xbd00, ENC_INDIRECT },			/* POP {.. pc} */
	{ 0xffef, 0xbf20, ENC_WFX },				/* WFE, WFI */
	{}
};

/* Of M profile only. */
static const struct class_row narrow_m[] = {
	{ 0xff87, 0x4704, ENC_INDIRECT },			/* BXNS */
	{ 0xff87, 0x4784, ENC_INDIRECT, ENC_LINK },		/* BLXNS */
	{}
};

static const struct class_row wide_m[] = {
	{ 0xfffff001, 0xf00fc001, ENC_DIRECT, ENC_COND, LOOP },	/* LE lr */
	{ 0xfffff001, 0xf01fc001, ENC_DIRECT, ENC_COND, LOOP },	/* LETP lr */
	{ 0xfffff001, 0xf02fc001, ENC_DIRECT, ENC_COND, LOOP },	/* LE */
	{ 0xffc0f001, 0xf000c001, ENC_DIRECT, ENC_COND, PAST_LOOP },	/* WLSTP */
	{ 0xfff0f001, 0xf040c001, ENC_DIRECT, ENC_COND, PAST_LOOP },	/* WLS */
	{ 0xfff00ff0, 0xfb500f10, ENC_INDIRECT },		/* BXAUT */
	{}
};

static const struct class_row wide[] = {
	{ 0xfffffff0, 0xf3bf8f60, ENC_ISB },
	{ 0xfffffff0, 0xf3bf8f40, ENC_BARRIER },		/* DSB */
	{ 0xfffffff0, 0xf3bf8f50, ENC_BARRIER },		/* DMB */
	{ 0xfffffffe, 0xf3af8002, ENC_WFX },			/* WFE, WFI */
	{ 0xfff0ffff, 0xf3c08f00, ENC_INDIRECT },		/* BXJ */
	{ 0xffffff00, 0xf3de8f00, ENC_INDIRECT, ENC_ERET },	/* SUBS pc, lr; ERET */
	{ 0xfff0f000, 0xf7e08000, ENC_CALL },			/* HVC */
	{ 0xfff0f000, 0xf7f08000, ENC_CALL },			/* SMC */
	{ 0xfb80d000, 0xf3808000, ENC_PLAIN },			/* no such condition */
	{ 0xf800d000, 0xf0008000, ENC_DIRECT, ENC_COND, T3 },	/* B with a condition */
	{ 0xf800d000, 0xf0009000, ENC_DIRECT, 0, T4 },		/* B */
	{ 0xf800d000, 0xf000d000, ENC_DIRECT, ENC_LINK, T4 },	/* BL */
	{ 0xf800d001, 0xf000c000, ENC_DIRECT, ENC_LINK, TO_A32 },	/* BLX */
	{ 0xffff0fff, 0xee070f95, ENC_ISB },			/* MCR p15: ISB of old */
	{ 0xffff0fff, 0xee070f9a, ENC_BARRIER },		/* DSB */
	{ 0xffff0fff, 0xee070fba, ENC_BARRIER },		/* DMB */
	{ 0xfff0ffe0, 0xe8d0f000, ENC_INDIRECT },		/* TBB, TBH */
	{ 0xffd0ffff, 0xe810c000, ENC_INDIRECT, ENC_ERET },	/* RFEDB */
	{ 0xffd0ffff, 0xe990c000, ENC_INDIRECT, ENC_ERET },	/* RFEIA */
	{ 0xffd08000, 0xe8908000, ENC_INDIRECT },		/* LDM {.. pc} */
	{ 0xffd08000, 0xe9108000, ENC_INDIRECT },		/* LDMDB {.. pc} */
	{ 0xff7ff000, 0xf85ff000, ENC_INDIRECT },		/* LDR pc, literal */
	{ 0xfff0f000, 0xf8d0f000, ENC_INDIRECT },		/* LDR pc, [Rn, #imm12] */
	{ 0xfff0fd00, 0xf850fc00, ENC_INDIRECT },		/* LDR pc, [Rn, #-imm8] */
	{ 0xfff0f900, 0xf850f900, ENC_INDIRECT },		/* LDR pc with write-back */
	{ 0xfff0ffc0, 0xf850f000, ENC_INDIRECT },		/* LDR pc, [Rn, Rm] */
	{}
};

/* Bits 24, 23 (of a branch without a condition: exclusive or with the sign, inverted), 22 .. 1 */
static int64_t far_offset(uint32_t op, bool condition)
{
	const uint32_t s = class_bits(op, 26, 26), j1 = class_bits(op, 13, 13);
	const uint32_t j2 = class_bits(op, 11, 11), low = class_bits(op, 10, 0) << 1;

	if (condition)
		return class_signed(s << 20 | j2 << 19 | j1 << 18 |
				    class_bits(op, 21, 16) << 12 | low, 21);
	return class_signed(s << 24 | !(j1 ^ s) << 23 | !(j2 ^ s) << 22 |
			    class_bits(op, 25, 16) << 12 | low, 25);
}

static uint32_t loop_offset(uint32_t op)
{
	return class_bits(op, 10, 1) << 2 | class_bits(op, 11, 11) << 1;
}

static uint32_t target(uint32_t op, uint32_t pc, unsigned int at)
{
	switch (at) {
	case IMM8:
		return pc + 4 + class_signed(op, 8) * 2;
	case IMM11:
		return pc + 4 + class_signed(op, 11) * 2;
	case IMM6:
		return pc + 4 + (class_bits(op, 9, 9) << 6 | class_bits(op, 7, 3) << 1);
	case T3:
		return pc + 4 + far_offset(op, true);
	case T4:
		return pc + 4 + far_offset(op, false);
	case TO_A32:
		return ((pc + 4) & ~3u) + far_offset(op, false);
	case LOOP:
		return pc + 4 - loop_offset(op);
	case PAST_LOOP:
		return pc + 4 + loop_offset(op);
	}
	return 0;
}

/* IT: the lowest bit that is set in 3:0 ends the mask. */
static void if_then(struct enc_insn *insn, uint32_t opcode)
{
	if ((opcode & 0xff00) != 0xbf00 || !(opcode & 0xf))
		return;
	insn->flags = ENC_IT;
	insn->it = 4 - __builtin_ctz(opcode);
}

static const struct class_row *find(uint32_t opcode, bool is_wide, bool m)
{
	const struct class_row *row = m ? class_find(is_wide ? wide_m : narrow_m, opcode) : NULL;

	return row && row->mask ? row : class_find(is_wide ? wide : narrow, opcode);
}

struct enc_insn encode_t32(uint32_t opcode, uint64_t pc, bool m)
{
	const bool is_wide = enc_t32_is_wide(opcode >> 16);
	const struct class_row *row = find(opcode, is_wide, m);
	struct enc_insn insn = {
		.class = row->class,
		.flags = row->flags,
		.size = is_wide ? 4 : 2,
		.target_isa = row->at == TO_A32 ? ENC_A32 : ENC_T32,
	};

	if (row->class == ENC_DIRECT)
		insn.target = target(opcode, pc, row->at);
	else if (!is_wide)
		if_then(&insn, opcode);
	return insn;
}
