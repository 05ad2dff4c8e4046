// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A64 instructions, indexed by their top byte.
 *
 * Source: ARM DDI 0487, chapter C4 "A64 Instruction Set Encoding".
 */
#include "insn.h"

#define OTHER		CSF_INSN_OTHER
#define BRANCH		CSF_INSN_BRANCH
#define INDIRECT	CSF_INSN_INDIRECT
#define LOAD		CSF_INSN_LOAD
#define STORE		CSF_INSN_STORE
#define MODIFY		INSN_MODIFY
#define COND		CSF_FLAG_COND
#define LINK		CSF_FLAG_LINK
#define RET		CSF_FLAG_RET
#define ERET		CSF_FLAG_ERET

static const struct insn_row b[] = {
	{ 0x80000000, 0x00000000, BRANCH, 0, A64_IMM26 },		/* B */
	{ 0x80000000, 0x80000000, BRANCH, LINK, A64_IMM26 },		/* BL */
	ROW_END
};

/* B.AL and B.NV are always taken, but conditional by their encoding. */
static const struct insn_row b_cond[] = {
	{ 0x00000000, 0x00000000, BRANCH, COND, A64_IMM19 },		/* B.cond, BC.cond */
};

static const struct insn_row cbz[] = {
	{ 0x00000000, 0x00000000, BRANCH, COND, A64_IMM19 },		/* CBZ, CBNZ */
};

static const struct insn_row tbz[] = {
	{ 0x00000000, 0x00000000, BRANCH, COND, A64_IMM14 },		/* TBZ, TBNZ */
};

/* Conditions 0b10x are not allocated; immediates in [20:15], registers in [20:16]. */
static const struct insn_row cb_reg[] = {
	{ 0x00c00000, 0x00800000, OTHER },
	{ 0x0000c000, 0x00000000, BRANCH, COND, A64_IMM9 },		/* CB<cc> Rt, Rm */
	{ 0x80008000, 0x00008000, BRANCH, COND, A64_IMM9 },		/* CBB<cc>, CBH<cc> */
	ROW_END
};

static const struct insn_row cb_imm[] = {
	{ 0x00c00000, 0x00800000, OTHER },
	{ 0x00004000, 0x00000000, BRANCH, COND, A64_IMM9 },		/* CB<cc> Rt, #imm */
	ROW_END
};

/* The immediate says what was signed, not the target. */
static const struct insn_row ret_sppc[] = {
	{ 0xffc0001f, 0x5500001f, INDIRECT, RET },			/* RETAASPPC, RETABSPPC */
	ROW_END
};

static const struct insn_row exception[] = {
	{ 0xffe0001f, 0xd4000001, CSF_INSN_EXCEPTION, CSF_FLAG_SVC },	/* SVC */
	{ 0xffe0001f, 0xd4000002, CSF_INSN_EXCEPTION },			/* HVC */
	{ 0xffe0001f, 0xd4000003, CSF_INSN_EXCEPTION },			/* SMC */
	{ 0xfffdf01f, 0xd4e00000, CSF_INSN_EXCEPTION },			/* TENTER */
	ROW_END
};

static const struct insn_row system[] = {
	{ 0xfffff0ff, 0xd50330df, CSF_INSN_ISB },
	{ 0xffffffdf, 0xd503205f, CSF_INSN_WFX },			/* WFE, WFI */
	{ 0xffffffc0, 0xd5031000, CSF_INSN_WFX },			/* WFET, WFIT */
	{ 0xffffffe0, 0xd5233060, CSF_INSN_TSTART },
	{ 0xfffff0ff, 0xd503309f, CSF_INSN_BARRIER },			/* DSB, SSBB, PSSBB */
	{ 0xfffff3ff, 0xd503323f, CSF_INSN_BARRIER },			/* DSB nXS */
	{ 0xfffff0ff, 0xd50330bf, CSF_INSN_BARRIER },			/* DMB */
	ROW_END
};

static const struct insn_row branch_reg[] = {
	{ 0xfffffc1f, 0xd61f0000, INDIRECT },				/* BR */
	{ 0xfffffc1f, 0xd63f0000, INDIRECT, LINK },			/* BLR */
	{ 0xfffffc1f, 0xd65f0000, INDIRECT, RET },			/* RET */
	{ 0xffffffff, 0xd69f03e0, INDIRECT, ERET },			/* ERET */
	{ 0xfffff81f, 0xd61f081f, INDIRECT },				/* BRAAZ, BRABZ */
	{ 0xfffff81f, 0xd63f081f, INDIRECT, LINK },			/* BLRAAZ, BLRABZ */
	{ 0xfffffbe0, 0xd65f0be0, INDIRECT, RET },			/* RETAA, RETAASPPCR, .. */
	{ 0xfffffbff, 0xd69f0bff, INDIRECT, ERET },			/* ERETAA, ERETAB */
	{ 0xfffffbff, 0xd6ff03e0, INDIRECT, ERET },			/* TEXIT */
	{ 0xfffff800, 0xd71f0800, INDIRECT },				/* BRAA, BRAB */
	{ 0xfffff800, 0xd73f0800, INDIRECT, LINK },			/* BLRAA, BLRAB */
	ROW_END
};

static const struct insn_row exclusive[] = {
	{ 0x80a00000, 0x00200000, MODIFY },				/* CASP */
	{ 0x00a00000, 0x00a00000, MODIFY },				/* CAS */
	{ 0x00400000, 0x00400000, LOAD },				/* LDXR, LDXP, LDAR, .. */
	{ 0x00000000, 0x00000000, STORE },				/* STXR, STXP, STLR, .. */
};

/* 0x09, 0x49, 0x89, 0xc9: the same, unprivileged. */
static const struct insn_row exclusive_user[] = {
	{ 0x00800000, 0x00800000, MODIFY },				/* CAST, CASPT */
	{ 0x00400000, 0x00400000, LOAD },				/* LDTXR */
	{ 0x00000000, 0x00000000, STORE },				/* STTXR */
};

/* Bit 22 distinguishes loads from stores: pairs, structures, SIMD and floating point. */
static const struct insn_row by_bit22[] = {
	{ 0x00400000, 0x00400000, LOAD },
	{ 0x00000000, 0x00000000, STORE },
};

static const struct insn_row literal[] = {
	{ 0x00000000, 0x00000000, LOAD },
};

/* 0x19, 0x59, 0x99, 0xd9: memory tags, ordered and unscaled, 128-bit atomics, CPYF, SET. */
static const struct insn_row rcpc[] = {
	{ 0xff600c00, 0xd9600000, LOAD },				/* LDG, LDGM */
	{ 0xff200000, 0xd9200000, STORE },				/* STG, STZG, STGM, .. */
	{ 0x80200000, 0x00200000, MODIFY },				/* LDCLRP, RCWCAS, .. */
	{ 0xffe00c00, 0x19c00400, STORE },				/* SETP, SETM, SETE */
	{ 0xff200c00, 0x19000400, MODIFY },				/* CPYFP, CPYFM, CPYFE */
	{ 0x00200c00, 0x00000400, OTHER },
	{ 0x00e00c00, 0x00800800, STORE },				/* STLR pre-indexed */
	{ 0xc0c00c00, 0xc0800000, OTHER },
	{ 0x00c00000, 0x00000000, STORE },				/* STLUR, STILP, GCSSTR */
	{ 0x00200000, 0x00000000, LOAD },				/* LDAPUR, LDIAPP */
	ROW_END
};

static const struct insn_row copy[] = {
	{ 0xffe00c00, 0x1dc00400, STORE },				/* SETGP, SETGM, SETGE */
	{ 0xffff0c00, 0x1ddf0000, STORE },				/* SETGOP, SETGOM, .. */
	{ 0xff200c00, 0x1d000400, MODIFY },				/* CPYP, CPYM, CPYE */
	{ 0x00600c00, 0x00000800, STORE },				/* STLUR */
	{ 0x00600c00, 0x00400800, LOAD },				/* LDAPUR */
	ROW_END
};

/* 0x38, 0x78, 0xb8, 0xf8: register offset, unscaled, indexed, unprivileged; atomics. */
static const struct insn_row single[] = {
	{ 0xff200400, 0xf8200400, LOAD },				/* LDRAA, LDRAB */
	{ 0x00fffc00, 0x00bfc000, LOAD },				/* LDAPR */
	{ 0xfffffc00, 0xf83fd000, LOAD },				/* LD64B */
	{ 0xfffffc00, 0xf83f9000, STORE },				/* ST64B */
	{ 0xffe0ec00, 0xf820a000, STORE },				/* ST64BV, ST64BV0 */
	{ 0x00200c00, 0x00200000, MODIFY },				/* LDADD, SWP, RCWCLR, .. */
	{ 0xffc00000, 0xf8800000, OTHER },				/* PRFM, PRFUM, RPRFM */
	{ 0x00c00000, 0x00000000, STORE },
	{ 0x00000000, 0x00000000, LOAD },
};

static const struct insn_row unsigned_offset[] = {
	{ 0xffc00000, 0xf9800000, OTHER },				/* PRFM */
	{ 0x00c00000, 0x00000000, STORE },
	{ 0x00000000, 0x00000000, LOAD },
};

static const struct insn_row single_fp[] = {
	{ 0x00200c00, 0x00200000, MODIFY },				/* LDFADD, STFADD, .. */
	{ 0x00400000, 0x00400000, LOAD },
	{ 0x00000000, 0x00000000, STORE },
};

static const struct insn_row sve_load[] = {
	{ 0xffa08010, 0x84200000, OTHER },				/* PRFx: Rn, Zm.S */
	{ 0xffc08010, 0x85c00000, OTHER },				/* PRFx: Rn, #imm */
	{ 0xfe60e010, 0x8400c000, OTHER },				/* PRFx: Rn, Rm */
	{ 0xfe60e010, 0x8400e000, OTHER },				/* PRFx: Zn.S, #imm */
	{ 0xffa08010, 0xc4200000, OTHER },				/* PRFx: Rn, Zm.D ext. */
	{ 0xffe08010, 0xc4608000, OTHER },				/* PRFx: Rn, Zm.D */
	{ 0xfe60e010, 0xc400e000, OTHER },				/* PRFx: Zn.D, #imm */
	{ 0x00000000, 0x00000000, LOAD },
};

static const struct insn_row sve_store[] = {
	{ 0x00000000, 0x00000000, STORE },
};

/* 0xa0, 0xa1: several vectors; bit 23 is an outer product. */
static const struct insn_row sme_vectors[] = {
	{ 0x00800000, 0x00800000, OTHER },
	{ 0x00200000, 0x00200000, STORE },
	{ 0x00000000, 0x00000000, LOAD },
};

static const struct insn_row sme_array[] = {
	{ 0x00200000, 0x00200000, STORE },
	{ 0x00000000, 0x00000000, LOAD },
};

const struct insn_row *const a64_rows[256] = {
	[0x14 ... 0x17] = b,		[0x94 ... 0x97] = b,
	[0x54] = b_cond,		[0x55] = ret_sppc,
	[0x34 ... 0x35] = cbz,		[0xb4 ... 0xb5] = cbz,
	[0x36 ... 0x37] = tbz,		[0xb6 ... 0xb7] = tbz,
	[0x74] = cb_reg,		[0xf4] = cb_reg,
	[0x75] = cb_imm,		[0xf5] = cb_imm,
	[0xd4] = exception,		[0xd5] = system,
	[0xd6 ... 0xd7] = branch_reg,

	[0x08] = exclusive,		[0x48] = exclusive,
	[0x88] = exclusive,		[0xc8] = exclusive,
	[0x09] = exclusive_user,	[0x49] = exclusive_user,
	[0x89] = exclusive_user,	[0xc9] = exclusive_user,
	[0x0c ... 0x0d] = by_bit22,	[0x4c ... 0x4d] = by_bit22,
	[0x18] = literal,		[0x1c] = literal,
	[0x58] = literal,		[0x5c] = literal,
	[0x98] = literal,		[0x9c] = literal,
	[0x19] = rcpc,			[0x59] = rcpc,
	[0x99] = rcpc,			[0xd9] = rcpc,
	[0x1d] = copy,			[0x5d] = copy,
	[0x9d] = copy,			[0xdd] = copy,
	[0x28 ... 0x29] = by_bit22,	[0x2c ... 0x2d] = by_bit22,
	[0x68 ... 0x69] = by_bit22,	[0x6c ... 0x6d] = by_bit22,
	[0xa8 ... 0xa9] = by_bit22,	[0xac ... 0xad] = by_bit22,
	[0xe8 ... 0xe9] = by_bit22,	[0xec ... 0xed] = by_bit22,
	[0x38] = single,		[0x39] = unsigned_offset,
	[0x78] = single,		[0x79] = unsigned_offset,
	[0xb8] = single,		[0xb9] = unsigned_offset,
	[0xf8] = single,		[0xf9] = unsigned_offset,
	[0x3c] = single_fp,		[0x3d] = by_bit22,
	[0x7c] = single_fp,		[0x7d] = by_bit22,
	[0xbc] = single_fp,		[0xbd] = by_bit22,
	[0xfc] = single_fp,		[0xfd] = by_bit22,

	[0x84 ... 0x85] = sve_load,	[0xa4 ... 0xa5] = sve_load,
	[0xc4 ... 0xc5] = sve_load,	[0xe4 ... 0xe5] = sve_store,
	[0xa0 ... 0xa1] = sme_vectors,	[0xe0 ... 0xe1] = sme_array,
};

const struct insn_field a64_field[] = {
	[A64_IMM26] = { 0, 26 },
	[A64_IMM19] = { 5, 19 },
	[A64_IMM14] = { 5, 14 },
	[A64_IMM9] = { 5, 9 },
};

int64_t a64_displacement(uint32_t op, enum insn_form form)
{
	return insn_signed(op, a64_field[form].low, a64_field[form].n) * 4;
}
