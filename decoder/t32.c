// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * T32 instructions: those of 16 bits indexed by their top byte, those of 32 bits by the bits [12:5]
 * of the first halfword.
 *
 * Source: ARM DDI 0487, chapter F3 "T32 Base Instruction Set Encoding"; ARM DDI 0553 for
 * instructions that only M profile has.
 */
#include "insn.h"

#define OTHER		CSF_INSN_OTHER
#define BRANCH		CSF_INSN_BRANCH
#define INDIRECT	CSF_INSN_INDIRECT
#define LOAD		CSF_INSN_LOAD
#define STORE		CSF_INSN_STORE
#define COND		CSF_FLAG_COND
#define LINK		CSF_FLAG_LINK
#define RET		CSF_FLAG_RET
#define ERET		CSF_FLAG_ERET

static const struct insn_row load[] = {
	{ 0x0000, 0x0000, LOAD },
};

static const struct insn_row store[] = {
	{ 0x0000, 0x0000, STORE },
};

static const struct insn_row add[] = {
	{ 0xff87, 0x4487, INDIRECT },				/* ADD pc, Rm */
	ROW_END
};

static const struct insn_row mov[] = {
	{ 0xffff, 0x46f7, INDIRECT, RET },			/* MOV pc, lr */
	{ 0xff87, 0x4687, INDIRECT },
	ROW_END
};

/* Bit 2 set makes them BXNS and BLXNS. */
static const struct insn_row bx[] = {
	{ 0xfffb, 0x4770, INDIRECT, RET },			/* BX lr */
	{ 0xff83, 0x4700, INDIRECT },				/* BX */
	{ 0xff83, 0x4780, INDIRECT, LINK },			/* BLX */
	ROW_END
};

static const struct insn_row cbz[] = {
	{ 0x0000, 0x0000, BRANCH, COND, T32_CBZ },
};

static const struct insn_row pop_pc[] = {
	{ 0x0000, 0x0000, INDIRECT, RET },
};

static const struct insn_row hint[] = {
	{ 0xffef, 0xbf20, CSF_INSN_WFX },			/* WFE, WFI */
	ROW_END
};

static const struct insn_row b_cond[] = {
	{ 0x0000, 0x0000, BRANCH, COND, T32_IMM8 },
};

static const struct insn_row svc[] = {
	{ 0x0000, 0x0000, CSF_INSN_EXCEPTION, CSF_FLAG_SVC },
};

static const struct insn_row b[] = {
	{ 0x0000, 0x0000, BRANCH, 0, T32_IMM11 },
};

const struct insn_row *const t16_rows[256] = {
	[0x44] = add,			[0x46] = mov,
	[0x47] = bx,
	[0x48 ... 0x4f] = load,		[0x50 ... 0x55] = store,
	[0x56 ... 0x5f] = load,		[0x60 ... 0x67] = store,
	[0x68 ... 0x6f] = load,		[0x70 ... 0x77] = store,
	[0x78 ... 0x7f] = load,		[0x80 ... 0x87] = store,
	[0x88 ... 0x8f] = load,		[0x90 ... 0x97] = store,
	[0x98 ... 0x9f] = load,
	[0xb1] = cbz,			[0xb3] = cbz,
	[0xb9] = cbz,			[0xbb] = cbz,
	[0xb4 ... 0xb5] = store,	[0xbc] = load,
	[0xbd] = pop_pc,		[0xbf] = hint,
	[0xc0 ... 0xc7] = store,	[0xc8 ... 0xcf] = load,
	[0xd0 ... 0xdd] = b_cond,	[0xdf] = svc,
	[0xe0 ... 0xe7] = b,
};

/* 0xe8xx, 0xe9xx: several registers, two registers, exclusive, table branch. */
static const struct insn_row multiple[] = {
	{ 0xffff2000, 0xe89f0000, OTHER, ROW_M },		/* CLRM */
	{ 0xffd0ffff, 0xe810c000, INDIRECT, ERET },		/* RFEDB */
	{ 0xffd0ffff, 0xe990c000, INDIRECT, ERET },		/* RFEIA */
	{ 0xffdfffe0, 0xe80dc000, STORE },			/* SRSDB */
	{ 0xffdfffe0, 0xe98dc000, STORE },			/* SRSIA */
	{ 0xffc00000, 0xe8000000, OTHER },
	{ 0xffc00000, 0xe9800000, OTHER },
	{ 0xffffa000, 0xe8bd8000, INDIRECT, RET },		/* POP {.., pc} */
	{ 0xfe508000, 0xe8108000, INDIRECT },			/* LDM {.., pc} */
	{ 0xfff0ffe0, 0xe8d0f000, INDIRECT },			/* TBB, TBH */
	{ 0xfff0f000, 0xe840f000, OTHER },			/* TT */
	{ 0xffffffff, 0xe97fe97f, OTHER },			/* SG */
	{ 0x00100000, 0x00000000, STORE },
	{ 0x00000000, 0x00000000, LOAD },
};

/* Conditions 0b111x belong to miscellaneous[]. */
#define BRANCH_ROWS \
	{ 0xfffff001, 0xf00fc001, BRANCH, COND | ROW_M, T32_LE },	/* LE lr */ \
	{ 0xfffff001, 0xf01fc001, BRANCH, COND | ROW_M, T32_LE },	/* LETP lr */ \
	{ 0xfffff001, 0xf02fc001, BRANCH, COND | ROW_M, T32_LE },	/* LE */ \
	{ 0xfffff001, 0xf03fc001, OTHER, ROW_M }, \
	{ 0xffc0f001, 0xf000c001, BRANCH, COND | ROW_M, T32_WLS },	/* WLSTP */ \
	{ 0xfff0f001, 0xf040c001, BRANCH, COND | ROW_M, T32_WLS },	/* WLS */ \
	{ 0xf800d001, 0xf000c000, OTHER, ROW_M },			/* VCTP */ \
	{ 0xf800d001, 0xf000c000, BRANCH, LINK, T32_BLX }, \
	{ 0xf800d000, 0xf0009000, BRANCH, 0, T32_IMM24 },		/* B */ \
	{ 0xf800d000, 0xf000d000, BRANCH, LINK, T32_IMM24 }		/* BL */

static const struct insn_row branch[] = {
	BRANCH_ROWS,
	{ 0xf800d000, 0xf0008000, BRANCH, COND, T32_IMM20 },	/* B<c> */
	ROW_END
};

/* 0xf38x .. 0xf3fx, 0xf78x .. 0xf7fx */
static const struct insn_row miscellaneous[] = {
	BRANCH_ROWS,
	{ 0xfffffff0, 0xf3bf8f60, CSF_INSN_ISB },
	{ 0xfffffff0, 0xf3bf8f40, CSF_INSN_BARRIER },		/* DSB */
	{ 0xfffffff0, 0xf3bf8f50, CSF_INSN_BARRIER },		/* DMB */
	{ 0xfffffff0, 0xf3bf8f10, INSN_ENTERX },
	{ 0xfffffff0, 0xf3bf8f00, INSN_LEAVEX },
	{ 0xfffffffe, 0xf3af8002, CSF_INSN_WFX },		/* WFE, WFI */
	{ 0xfff0ffff, 0xf3c08f00, INDIRECT },			/* BXJ */
	{ 0xffffff00, 0xf3de8f00, INDIRECT, ERET },		/* SUBS pc, lr; ERET */
	{ 0xfff0f000, 0xf7e08000, CSF_INSN_EXCEPTION },		/* HVC */
	{ 0xfff0f000, 0xf7f08000, CSF_INSN_EXCEPTION },		/* SMC */
	ROW_END
};

/* 0xf8xx, 0xf9xx: one register; elements of vectors, where VST1 .. VST4 look like other stores */
static const struct insn_row single[] = {
	{ 0xffffff00, 0xf85dfb00, INDIRECT, RET },		/* LDR pc, [sp], #imm */
	{ 0xfff0f000, 0xf8d0f000, INDIRECT },			/* LDR pc, [Rn, #imm12] */
	{ 0xff7ff000, 0xf85ff000, INDIRECT },			/* LDR pc, label */
	{ 0xfff0fd00, 0xf850f800, OTHER },
	{ 0xfff0f800, 0xf850f800, INDIRECT },			/* LDR pc, [Rn, #imm8] etc. */
	{ 0xfff0ffc0, 0xf850f000, INDIRECT },			/* LDR pc, [Rn, Rm] */
	{ 0xff300000, 0xf9200000, LOAD },			/* VLD1 .. VLD4 */
	{ 0xfe50f000, 0xf810f000, OTHER },			/* PLD, PLI and hints */
	{ 0xfe600000, 0xf8600000, OTHER },
	{ 0xff700000, 0xf9500000, OTHER },
	{ 0x00100000, 0x00000000, STORE },
	{ 0x00000000, 0x00000000, LOAD },
};

static const struct insn_row multiply[] = {
	{ 0xfff00ff0, 0xfb500f10, INDIRECT, RET | ROW_M },	/* BXAUT */
	ROW_END
};

/* VLDR, VSTM, LDC and their relatives; on M profile also vectors of MVE. */
static const struct insn_row coprocessor[] = {
	{ 0xffbf0f00, 0xec9f0a00, OTHER, ROW_M },		/* VSCCLRM */
	{ 0xffbf0f01, 0xec9f0b00, OTHER, ROW_M },
	{ 0xfe000c00, 0xfc000800, OTHER },			/* VCMLA, VCADD, .. */
	{ 0xfe000e00, 0xfc000c00, OTHER },			/* VSDOT, VUMMLA, .. */
	{ 0x01a00000, 0x00000000, OTHER },			/* MCRR, MRRC, VMOV */
	{ 0x00100000, 0x00000000, STORE },
	{ 0x00000000, 0x00000000, LOAD },
};

static const struct insn_row mcr[] = {
	{ 0xffff0fff, 0xee070f95, CSF_INSN_ISB },		/* MCR p15, 0, Rt, c7, c5, 4 */
	{ 0xffff0fff, 0xee070f9a, CSF_INSN_BARRIER },		/* c7, c10, 4: DSB */
	{ 0xffff0fff, 0xee070fba, CSF_INSN_BARRIER },		/* c7, c10, 5: DMB */
	ROW_END
};

const struct insn_row *const t32_rows[256] = {
	[0x40 ... 0x4f] = multiple,
	[0x60 ... 0x6f] = coprocessor,
	[0x70 ... 0x7f] = mcr,
	[0x80 ... 0x9b] = branch,	[0x9c ... 0x9f] = miscellaneous,
	[0xa0 ... 0xbb] = branch,	[0xbc ... 0xbf] = miscellaneous,
	[0xc0 ... 0xcf] = single,
	[0xda] = multiply,
	[0xe0 ... 0xef] = coprocessor,
};

/* S:I1:I2:imm10:imm11:0, with I1 and I2 encoded so that the old, short BL keeps its encoding. */
static int64_t imm24(uint32_t op)
{
	const uint32_t s = op >> 26 & 1;
	const uint32_t i1 = ~(op >> 13 ^ s) & 1;
	const uint32_t i2 = ~(op >> 11 ^ s) & 1;

	return insn_signed(s << 24 | i1 << 23 | i2 << 22 | (op >> 16 & 0x3ff) << 12 |
			   (op & 0x7ff) << 1, 0, 25);
}

/* S:J2:J1:imm6:imm11:0 */
static int64_t imm20(uint32_t op)
{
	return insn_signed((op >> 26 & 1) << 20 | (op >> 11 & 1) << 19 | (op >> 13 & 1) << 18 |
			   (op >> 16 & 0x3f) << 12 | (op & 0x7ff) << 1, 0, 21);
}

static int64_t loop(uint32_t op)
{
	return (op >> 1 & 0x3ff) << 2 | (op >> 11 & 1) << 1;
}

int64_t t32_displacement(uint32_t op, enum insn_form form)
{
	switch (form) {
	case T32_IMM8:
		return insn_signed(op, 0, 8) * 2 + 4;
	case T32_IMM11:
		return insn_signed(op, 0, 11) * 2 + 4;
	case T32_CBZ:
		return ((op >> 9 & 1) << 6 | (op >> 3 & 0x1f) << 1) + 4;
	case T32_IMM20:
		return imm20(op) + 4;
	case T32_IMM24:
	case T32_BLX:
		return imm24(op) + 4;
	case T32_WLS:
		return loop(op) + 4;
	case T32_LE:
		return 4 - loop(op);
	default:
		return 4;
	}
}
