/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The masks by which the manuals distinguish the instructions that matter to trace, and those that
 * could be taken for one. They are written down apart from csf_insn()'s tables, so that a row which
 * is missing there is tested all the same.
 *
 * Source: ARM DDI 0487, chapters C4, F3 and F4; ARM DDI 0553 for M profile.
 */
#ifndef CSF_SELFTESTS_INSN_MASKS_H
#define CSF_SELFTESTS_INSN_MASKS_H

#include <stdint.h>

/* Opcodes whose @mask bits are @value. */
struct insn_mask {
	uint32_t mask;
	uint32_t value;
};

static const struct insn_mask a64_masks[] = {
	{ 0xfc000000, 0x14000000 },	/* B */
	{ 0xfc000000, 0x94000000 },	/* BL */
	{ 0xff000010, 0x54000000 },	/* B.cond */
	{ 0xff000010, 0x54000010 },	/* BC.cond */
	{ 0x7e000000, 0x34000000 },	/* CBZ, CBNZ */
	{ 0x7e000000, 0x36000000 },	/* TBZ, TBNZ */
	{ 0x7fe0c000, 0x74000000 },	/* CB<cc> Rt, Rm; [23:21] is cc */
	{ 0xffe0c000, 0x74008000 },	/* CBB<cc> */
	{ 0xffe0c000, 0x7400c000 },	/* CBH<cc> */
	{ 0x7fe04000, 0x75000000 },	/* CB<cc> Rt, #imm */
	{ 0xfffffc1f, 0xd61f0000 },	/* BR */
	{ 0xfffffc1f, 0xd63f0000 },	/* BLR */
	{ 0xfffffc1f, 0xd65f0000 },	/* RET */
	{ 0xffffffff, 0xd69f03e0 },	/* ERET */
	{ 0xffffffff, 0xd6bf03e0 },	/* DRPS */
	{ 0xfffff81f, 0xd61f081f },	/* BRAAZ, BRABZ */
	{ 0xfffff81f, 0xd63f081f },	/* BLRAAZ, BLRABZ */
	{ 0xfffff800, 0xd71f0800 },	/* BRAA, BRAB */
	{ 0xfffff800, 0xd73f0800 },	/* BLRAA, BLRAB */
	{ 0xfffffbff, 0xd65f0bff },	/* RETAA, RETAB */
	{ 0xfffffbe0, 0xd65f0be0 },	/* RETAASPPCR, RETABSPPCR */
	{ 0xfffffbff, 0xd69f0bff },	/* ERETAA, ERETAB */
	{ 0xffc0001f, 0x5500001f },	/* RETAASPPC, RETABSPPC */
	{ 0xfffffbff, 0xd6ff03e0 },	/* TEXIT */
	{ 0xfffff0ff, 0xd50330df },	/* ISB */
	{ 0xffffffe0, 0xd5233060 },	/* TSTART */
	{ 0xffffffdf, 0xd503205f },	/* WFE, WFI */
	{ 0xffffffc0, 0xd5031000 },	/* WFET, WFIT */
	{ 0xfffff0ff, 0xd503309f },	/* DSB, SSBB, PSSBB */
	{ 0xfffff3ff, 0xd503323f },	/* DSB nXS */
	{ 0xfffff0ff, 0xd50330bf },	/* DMB */
	{ 0xffffffff, 0xd50330ff },	/* SB */
	{ 0xfffff0ff, 0xd503305f },	/* CLREX */
	{ 0xffffffff, 0xd503307f },	/* TCOMMIT */
	{ 0xffffffe0, 0xd5233160 },	/* TTEST */
	{ 0xffffffe0, 0xd50b72e0 },	/* TRCIT */
	{ 0xfffff01f, 0xd503201f },	/* hints: PAC, AUT, BTI, GCSB, .. */
	{ 0xffe0001f, 0xd4000001 },	/* SVC */
	{ 0xffe0001f, 0xd4000002 },	/* HVC */
	{ 0xffe0001f, 0xd4000003 },	/* SMC */
	{ 0xffe0001f, 0xd4200000 },	/* BRK */
	{ 0xffe0001f, 0xd4400000 },	/* HLT */
	{ 0xffe0001f, 0xd4600000 },	/* TCANCEL */
	{ 0xfffdf01f, 0xd4e00000 },	/* TENTER */
	{ 0xfff1f000, 0xd5800000 },	/* TCHANGEF, TCHANGEB of registers, and */
	{ 0xfff1f000, 0xd5900000 },	/* of immediates */
	{ 0xffe0001f, 0xd4a00001 },	/* DCPS1 */
	{ 0xffe0001f, 0xd4a00002 },	/* DCPS2 */
	{ 0xffe0001f, 0xd4a00003 },	/* DCPS3 */
	{ 0xffff0000, 0x00000000 },	/* UDF */
	{ 0xfffffc00, 0xdac10000 },	/* PAC, AUT, XPAC of registers */
};

/* With a condition in [31:28]: not 0b1111. */
static const struct insn_mask a32_masks[] = {
	{ 0x0f000000, 0x0a000000 },	/* B */
	{ 0x0f000000, 0x0b000000 },	/* BL */
	{ 0x0fff0fff, 0x0e070f95 },	/* MCR form of ISB */
	{ 0x0fff0fff, 0x0e070f9a },	/* of DSB */
	{ 0x0fff0fff, 0x0e070fba },	/* of DMB */
	{ 0x0fffffff, 0x0320f002 },	/* WFE */
	{ 0x0fffffff, 0x0320f003 },	/* WFI */
	{ 0x0ffffff0, 0x012fff10 },	/* BX */
	{ 0x0fffffff, 0x012fff1e },	/* BX lr */
	{ 0x0ffffff0, 0x012fff20 },	/* BXJ */
	{ 0x0ffffff0, 0x012fff30 },	/* BLX */
	{ 0x0fffffff, 0x0160006e },	/* ERET */
	{ 0x0e108000, 0x08108000 },	/* LDM {.., pc} */
	{ 0x0fffa000, 0x08bd8000 },	/* POP {.., pc} */
	{ 0x0e50f000, 0x0410f000 },	/* LDR pc, [Rn, #imm] */
	{ 0x0ffff000, 0x049df000 },	/* LDR pc, [sp], #imm */
	{ 0x0e50f010, 0x0610f000 },	/* LDR pc, [Rn, Rm] */
	{ 0x0fe0f000, 0x01a0f000 },	/* MOV pc, Rm */
	{ 0x0ff0ffff, 0x01a0f00e },	/* MOV pc, lr */
	{ 0x0e10f000, 0x0000f000 },	/* data processing to pc, register */
	{ 0x0e10f000, 0x0010f000 },	/* the same with S */
	{ 0x0e10f000, 0x0200f000 },	/* immediate */
	{ 0x0e10f000, 0x0210f000 },	/* the same with S */
	{ 0x0e000090, 0x00000090 },	/* multiplies, extra loads and stores */
	{ 0x0f000000, 0x0f000000 },	/* SVC */
	{ 0x0ff000f0, 0x01400070 },	/* HVC */
	{ 0x0ff000f0, 0x01600070 },	/* SMC */
	{ 0x0ff000f0, 0x01200070 },	/* BKPT */
	{ 0x0ff000f0, 0x01000070 },	/* HLT */
	{ 0x0ff000f0, 0x07f000f0 },	/* UDF */
};

static const struct insn_mask a32_always_masks[] = {
	{ 0xfe000000, 0xfa000000 },	/* BLX imm */
	{ 0xfffffff0, 0xf57ff040 },	/* DSB */
	{ 0xfffffff0, 0xf57ff050 },	/* DMB */
	{ 0xfffffff0, 0xf57ff060 },	/* ISB */
	{ 0xfffffff0, 0xf57ff070 },	/* SB */
	{ 0xfe50ffff, 0xf8100a00 },	/* RFE */
};

/* 32 bits; of 16 bits there is none, because every halfword is tried. */
static const struct insn_mask t32_masks[] = {
	{ 0xfbc0d000, 0xf0008000 },	/* B<c>; [25:22] is the condition */
	{ 0xf800d000, 0xf0009000 },	/* B */
	{ 0xf800d000, 0xf000d000 },	/* BL */
	{ 0xf800d001, 0xf000c000 },	/* BLX imm */
	{ 0xfffffff0, 0xf3bf8f40 },	/* DSB */
	{ 0xfffffff0, 0xf3bf8f50 },	/* DMB */
	{ 0xfffffff0, 0xf3bf8f60 },	/* ISB */
	{ 0xfffffff0, 0xf3bf8f70 },	/* SB */
	{ 0xffff0fff, 0xee070f95 },	/* MCR form of ISB */
	{ 0xfffffffe, 0xf3af8002 },	/* WFE, WFI */
	{ 0xfff0f001, 0xf040c001 },	/* WLS */
	{ 0xffc0f001, 0xf000c001 },	/* WLSTP */
	{ 0xfffff001, 0xf00fc001 },	/* LE lr */
	{ 0xfffff001, 0xf02fc001 },	/* LE */
	{ 0xfffff001, 0xf01fc001 },	/* LETP */
	{ 0xfff0ffff, 0xf040e001 },	/* DLS */
	{ 0xffc0ffff, 0xf000e001 },	/* DLSTP */
	{ 0xffffffff, 0xf00fe001 },	/* LCTP */
	{ 0xff80d001, 0xf080c001 },	/* BF and its like; [26:23] is not 0 */
	{ 0xfff0ffff, 0xf3c08f00 },	/* BXJ */
	{ 0xfff0ffe0, 0xe8d0f000 },	/* TBB, TBH */
	{ 0xfe508000, 0xe8108000 },	/* LDM {.., pc} */
	{ 0xffffa000, 0xe8bd8000 },	/* POP {.., pc} */
	{ 0xffd0ffff, 0xe810c000 },	/* RFEDB */
	{ 0xffd0ffff, 0xe990c000 },	/* RFEIA */
	{ 0xffffff00, 0xf3de8f00 },	/* SUBS pc, lr; ERET */
	{ 0xfff0f000, 0xf8d0f000 },	/* LDR pc, [Rn, #imm12] */
	{ 0xff7ff000, 0xf85ff000 },	/* LDR pc, label */
	{ 0xfff0f800, 0xf850f800 },	/* LDR pc, [Rn], #imm8 */
	{ 0xffffff00, 0xf85dfb00 },	/* LDR pc, [sp], #imm8 */
	{ 0xfff0ffc0, 0xf850f000 },	/* LDR pc, [Rn, Rm] */
	{ 0xfff00ff0, 0xfb500f10 },	/* BXAUT */
	{ 0xfff0f000, 0xf7f0a000 },	/* UDF */
	{ 0xfff0f000, 0xf7f08000 },	/* SMC */
	{ 0xfff0f000, 0xf7e08000 },	/* HVC */
	{ 0xfffffffc, 0xf78f8000 },	/* DCPS1, DCPS2, DCPS3 */
	{ 0xffffffff, 0xe97fe97f },	/* SG */
};

#endif /* CSF_SELFTESTS_INSN_MASKS_H */
