// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A32 instructions, indexed by the bits [27:20]; those without a condition are in a separate list.
 *
 * Source: ARM DDI 0487, chapter F4 "A32 Base Instruction Set Encoding"; for LDC2
 * and STC2 of any coprocessor, and SWP, ARM DDI 0406.
 */
#include "insn.h"

#define OTHER		CSF_INSN_OTHER
#define BRANCH		CSF_INSN_BRANCH
#define INDIRECT	CSF_INSN_INDIRECT
#define LOAD		CSF_INSN_LOAD
#define STORE		CSF_INSN_STORE
#define LINK		CSF_FLAG_LINK
#define RET		CSF_FLAG_RET
#define ERET		CSF_FLAG_ERET

/* Bits 7 and 4 are both set: these are not what the rest of the opcode looks like. */
#define EXTRA_ROWS \
	{ 0x0fb000f0, 0x01000090, INSN_MODIFY },	/* SWP, SWPB */ \
	{ 0x0f8003f0, 0x01800190, OTHER }, \
	{ 0x0f900cf0, 0x01800c90, STORE },		/* STREX, STL, STLEX, .. */ \
	{ 0x0f900cf0, 0x01900c90, LOAD },		/* LDREX, LDA, LDAEX, .. */ \
	{ 0x000000f0, 0x00000090, OTHER },		/* multiplies */ \
	{ 0x001000f0, 0x000000b0, STORE },		/* STRH */ \
	{ 0x001000f0, 0x000000f0, STORE },		/* STRD */ \
	{ 0x00000090, 0x00000090, LOAD }		/* LDRH, LDRSB, LDRSH, LDRD */

/* Register and shifted register; with destination pc and S it returns from an exception. */
static const struct insn_row data[] = {
	EXTRA_ROWS,
	{ 0x0ff0ffff, 0x01a0f00e, INDIRECT, RET },	/* MOV pc, lr */
	{ 0x0010f000, 0x0010f000, INDIRECT, ERET },
	{ 0x0000f000, 0x0000f000, INDIRECT },
	ROW_END
};

static const struct insn_row data_imm[] = {
	{ 0x0010f000, 0x0010f000, INDIRECT, ERET },
	{ 0x0000f000, 0x0000f000, INDIRECT },
	ROW_END
};

/* TST, TEQ, CMP, CMN: no destination. */
static const struct insn_row compare[] = {
	EXTRA_ROWS,
	ROW_END
};

static const struct insn_row miscellaneous[] = {
	EXTRA_ROWS,
	{ 0x0fffffff, 0x012fff1e, INDIRECT, RET },	/* BX lr */
	{ 0x0ffffff0, 0x012fff10, INDIRECT },		/* BX */
	{ 0x0ffffff0, 0x012fff20, INDIRECT },		/* BXJ */
	{ 0x0ffffff0, 0x012fff30, INDIRECT, LINK },	/* BLX */
	{ 0x0fffffff, 0x0160006e, INDIRECT, ERET },	/* ERET */
	{ 0x0ff000f0, 0x01400070, CSF_INSN_EXCEPTION },	/* HVC */
	{ 0x0ff000f0, 0x01600070, CSF_INSN_EXCEPTION },	/* SMC */
	ROW_END
};

static const struct insn_row hint[] = {
	{ 0x0ffffffe, 0x0320f002, CSF_INSN_WFX },	/* WFE, WFI */
	ROW_END
};

static const struct insn_row single[] = {
	{ 0x02000010, 0x02000010, OTHER },		/* media instructions */
	{ 0x0ffff000, 0x049df000, INDIRECT, RET },	/* LDR pc, [sp], #imm */
	{ 0x0050f000, 0x0010f000, INDIRECT },		/* LDR pc */
	{ 0x00100000, 0x00000000, STORE },
	{ 0x00000000, 0x00000000, LOAD },
};

static const struct insn_row multiple[] = {
	{ 0x00100000, 0x00000000, STORE },		/* STM */
	{ 0x0fffa000, 0x08bd8000, INDIRECT, RET },	/* POP {.., pc} */
	{ 0x00408000, 0x00408000, INDIRECT, ERET },	/* LDM {.., pc}^ */
	{ 0x00008000, 0x00008000, INDIRECT },		/* LDM {.., pc} */
	{ 0x00000000, 0x00000000, LOAD },		/* LDM */
};

static const struct insn_row b[] = {
	{ 0x00000000, 0x00000000, BRANCH, 0, A32_IMM24 },
};

static const struct insn_row bl[] = {
	{ 0x00000000, 0x00000000, BRANCH, LINK, A32_IMM24 },
};

/* VLDR, VSTM, LDC and their relatives. */
static const struct insn_row coprocessor[] = {
	{ 0x01a00000, 0x00000000, OTHER },		/* MCRR, MRRC, VMOV */
	{ 0x00100000, 0x00000000, STORE },
	{ 0x00000000, 0x00000000, LOAD },
};

/* Barriers as before ARMv7. */
static const struct insn_row mcr[] = {
	{ 0x0fff0fff, 0x0e070f95, CSF_INSN_ISB },	/* MCR p15, 0, Rt, c7, c5, 4 */
	{ 0x0fff0fff, 0x0e070f9a, CSF_INSN_BARRIER },	/* c7, c10, 4: DSB */
	{ 0x0fff0fff, 0x0e070fba, CSF_INSN_BARRIER },	/* c7, c10, 5: DMB */
	ROW_END
};

static const struct insn_row svc[] = {
	{ 0x00000000, 0x00000000, CSF_INSN_EXCEPTION, CSF_FLAG_SVC },
};

const struct insn_row *const a32_rows[256] = {
	[0x00 ... 0x0f] = data,
	[0x10] = miscellaneous,		[0x11] = compare,
	[0x12] = miscellaneous,		[0x13] = compare,
	[0x14] = miscellaneous,		[0x15] = compare,
	[0x16] = miscellaneous,		[0x17] = compare,
	[0x18 ... 0x1f] = data,
	[0x20 ... 0x2f] = data_imm,
	[0x32] = hint,
	[0x38 ... 0x3f] = data_imm,
	[0x40 ... 0x7f] = single,
	[0x80 ... 0x9f] = multiple,
	[0xa0 ... 0xaf] = b,
	[0xb0 ... 0xbf] = bl,
	[0xc0 ... 0xdf] = coprocessor,
	[0xe0 ... 0xef] = mcr,
	[0xf0 ... 0xff] = svc,
};

const struct insn_row a32_always[] = {
	{ 0xfe000000, 0xfa000000, BRANCH, LINK, A32_BLX },
	{ 0xfffffff0, 0xf57ff060, CSF_INSN_ISB },
	{ 0xfffffff0, 0xf57ff040, CSF_INSN_BARRIER },	/* DSB */
	{ 0xfffffff0, 0xf57ff050, CSF_INSN_BARRIER },	/* DMB */
	{ 0xfe50ffff, 0xf8100a00, INDIRECT, ERET },	/* RFE */
	{ 0xfe5fffe0, 0xf84d0500, STORE },		/* SRS */
	{ 0xff300000, 0xf4000000, STORE },		/* VST1 .. VST4 */
	{ 0xff300000, 0xf4200000, LOAD },		/* VLD1 .. VLD4 */
	{ 0xfe000c00, 0xfc000800, OTHER },		/* VCMLA, VCADD, .. */
	{ 0xfe000e00, 0xfc000c00, OTHER },		/* VSDOT, VUMMLA, .. */
	{ 0xffa00000, 0xfc000000, OTHER },		/* MCRR2, MRRC2 */
	{ 0xfe100000, 0xfc000000, STORE },		/* STC2 */
	{ 0xfe100000, 0xfc100000, LOAD },		/* LDC2 */
	ROW_END
};

int64_t a32_displacement(uint32_t op, enum insn_form form)
{
	const int64_t words = insn_signed(op, 0, 24) * 4 + 8;

	/* BLX goes to T32, and so to any halfword. */
	return form == A32_BLX ? words + (op >> 23 & 2) : words;
}
