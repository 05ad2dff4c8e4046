// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Loads, stores and transfers of coprocessor registers of A32 and T32, as the data trace of an
 * ETMv3 has them: csf_insn() says which instructions load or store, and the opcode says what.
 *
 * Source: ARM DDI 0406, chapters A5 and A6.
 */
#include "access.h"
#include "bytes.h"

#define READ		CSF_ACCESS_READ
#define WRITE		CSF_ACCESS_WRITE
#define REGISTER	CSF_ACCESS_REGISTER

static const struct access_kind none;

/* Bit 20 is set in what reads. */
static struct access_kind by_l(uint32_t op, uint8_t size)
{
	return (struct access_kind){ op & 0x00100000 ? READ : WRITE, size };
}

/* B, H, W: 1, 2, 4; D: two of 4. */
static uint8_t size_of(uint32_t code)
{
	return (code & 3) < 2 ? 1 << (code & 3) : 4;
}

/* The coprocessor instructions, whose bits [27:0] are the same in A32 and T32. */
static struct access_kind coprocessor(uint32_t op)
{
	struct access_kind kind = by_l(op, 4);
	const bool vector = op >> 28 == 0xf && (op & 0x0e00) == 0x0800;

	if ((op & 0x0f000010) == 0x0e000010 || (op & 0x0fe00000) == 0x0c400000)
		kind.flags |= REGISTER;			/* MCR, MRC; MCRR, MRRC */
	else if ((op & 0x0e000000) != 0x0c000000 || !(op & 0x01e00000))
		return none;
	return vector ? none : kind;			/* VCADD and others */
}

/* Bits 7 and 4 are both set. */
static struct access_kind a32_extra(uint32_t op)
{
	if ((op & 0x0fb00ff0) == 0x01000090)		/* SWP, SWPB */
		return (struct access_kind){ READ | WRITE, op & 0x00400000 ? 1 : 4 };
	if ((op & 0x0f800cf0) == 0x01800c90) {		/* LDREX, STREX, LDA, STL, .. */
		static const uint8_t size[4] = { 4, 4, 1, 2 };

		return by_l(op, size[op >> 21 & 3]);
	}
	if (!(op & 0x60))				/* multiplies */
		return none;
	if (!(op & 0x00100000) && op & 0x40)		/* LDRD, STRD */
		return (struct access_kind){ op & 0x20 ? WRITE : READ, 4 };
	return by_l(op, (op & 0x60) == 0x40 ? 1 : 2);	/* LDRH, LDRSB, LDRSH, STRH */
}

static struct access_kind a32_always(uint32_t op)
{
	if ((op & 0xfe50ffff) == 0xf8100a00 || (op & 0xfe5fffe0) == 0xf84d0500)
		return by_l(op, 4);			/* RFE, SRS */
	if ((op & 0xff100000) == 0xf4000000)		/* VLD1 .. VST4 */
		return (struct access_kind){ op & 0x00200000 ? READ : WRITE };
	return (op & 0xfc000000) == 0xfc000000 ? coprocessor(op) : none;
}

static struct access_kind a32(uint32_t op)
{
	if (op >> 28 == 0xf)
		return a32_always(op);
	switch (op >> 25 & 7) {
	case 0:
		return (op & 0x90) == 0x90 ? a32_extra(op) : none;
	case 3:
		if (op & 0x10)				/* media instructions */
			return none;
		fallthrough;
	case 2:
		return by_l(op, op & 0x00400000 ? 1 : 4);
	case 4:						/* LDM, STM */
		return by_l(op, 4);
	case 6:
	case 7:
		return op & 0x01000000 && op >> 25 & 1 ? none : coprocessor(op);
	}
	return none;
}

static struct access_kind t16(uint32_t op)
{
	/* by the bits [15:9] of STR, STRH, STRB, LDRSB, LDR, LDRH, LDRB, LDRSH with a register */
	static const struct access_kind indexed[8] = {
		{ WRITE, 4 }, { WRITE, 2 }, { WRITE, 1 }, { READ, 1 },
		{ READ, 4 }, { READ, 2 }, { READ, 1 }, { READ, 2 },
	};
	const uint16_t by_11 = op & 0x0800 ? READ : WRITE;

	switch (op >> 12) {
	case 4:
		return op & 0x0800 ? (struct access_kind){ READ, 4 } : none;
	case 5:
		return indexed[op >> 9 & 7];
	case 6:
	case 9:
	case 12:
		return (struct access_kind){ by_11, 4 };
	case 7:
		return (struct access_kind){ by_11, 1 };
	case 8:
		return (struct access_kind){ by_11, 2 };
	case 11:
		return (op & 0x0600) == 0x0400 ? (struct access_kind){ by_11, 4 } : none;
	}
	return none;
}

/* 0xe8xx, 0xe9xx */
static struct access_kind t32_multiple(uint32_t op)
{
	if (!(op & 0x00400000))				/* LDM, STM, RFE, SRS */
		return by_l(op, 4);
	if ((op & 0xfff0f000) == 0xe840f000 || op == 0xe97fe97f)
		return none;				/* TT, SG */
	if ((op & 0xffe00000) == 0xe8c00000)		/* LDREXB, TBB, LDA and others */
		return by_l(op, size_of(op >> 4));
	return by_l(op, 4);				/* LDRD, STRD, LDREX, STREX */
}

/* 0xf8xx, 0xf9xx */
static struct access_kind t32_single(uint32_t op)
{
	const uint32_t code = op >> 21 & 3;

	if ((op & 0xff100000) == 0xf9000000)		/* VLD1 .. VST4 */
		return (struct access_kind){ op & 0x00200000 ? READ : WRITE };
	if (code == 3 || (code < 2 && (op & 0x0010f000) == 0x0010f000))
		return none;				/* PLD, PLI and hints */
	return by_l(op, size_of(code));
}

static struct access_kind t32(uint32_t op)
{
	switch (op >> 25) {
	case 0xe8 >> 1:
		return t32_multiple(op);
	case 0xf8 >> 1:
		return t32_single(op);
	case 0xec >> 1:
	case 0xfc >> 1:
		return coprocessor(op);
	case 0xee >> 1:
	case 0xfe >> 1:
		return op & 0x01000000 ? none : coprocessor(op);
	}
	return none;
}

/* The form of the opcode says what is transferred, if csf_insn() says that anything is. */
struct access_kind access_of_insn(enum csf_isa isa, uint32_t op)
{
	struct access_kind kind = none;
	struct csf_insn insn;

	if (isa == CSF_A64)
		return none;
	if (isa == CSF_A32)
		kind = a32(op);
	else
		kind = op < 0xe800 ? t16(op) : t32(op);
	csf_insn(&insn, op, 0, isa, 0);
	switch (insn.kind) {
	case CSF_INSN_LOAD:
		return (struct access_kind){ READ | (kind.flags & WRITE), kind.size };
	case CSF_INSN_STORE:
		return (struct access_kind){ WRITE, kind.size };
	case CSF_INSN_INDIRECT:
		return kind.flags == READ ? kind : none;
	default:
		return kind.flags & REGISTER ? kind : none;
	}
}
