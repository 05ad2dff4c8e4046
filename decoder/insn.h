/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Instructions: what an opcode means to instruction trace.
 *
 * Each instruction set has a table of lists of rows, picked by the bits that
 * tell most; NULL stands for "nothing of interest".  The first row that matches
 * decides, and the last row of a list matches all.  What is said of UNPREDICTABLE
 * encodings is what the allocated encoding next to them would do.
 */
#ifndef CSF_INSN_H
#define CSF_INSN_H

#include "bytes.h"
#include "csflow.h"

/* Besides enum csf_insn_kind: loads and stores, becomes CSF_INSN_LOAD. */
#define INSN_MODIFY		(CSF_INSN_EXCEPTION + 1)

/* Besides CSF_FLAG_x: the row exists in M profile only. */
#define ROW_M			0x80

/* How the displacement is written. */
enum insn_form {
	FORM_NEXT,		/* no displacement: execution goes on behind the instruction */
	A64_IMM26,		/* B, BL */
	A64_IMM19,		/* B.cond, CBZ */
	A64_IMM14,		/* TBZ */
	A64_IMM9,		/* CB<cc> */
	A32_IMM24,		/* B, BL */
	A32_BLX,
	T32_IMM8,		/* B<c>, 16 bits */
	T32_IMM11,		/* B, 16 bits */
	T32_CBZ,
	T32_IMM20,		/* B<c>, 32 bits */
	T32_IMM24,		/* B, BL */
	T32_BLX,
	T32_WLS,
	T32_LE,
};

/**
 * struct insn_row - a class of opcodes
 * @mask: the bits that must be
 * @value: these
 * @kind: enum csf_insn_kind, or INSN_MODIFY
 * @flags: CSF_FLAG_x that come with the encoding, ROW_M
 * @form: enum insn_form
 */
struct insn_row {
	uint32_t mask;
	uint32_t value;
	uint8_t kind;
	uint8_t flags;
	uint8_t form;
};

/* Ends every list. */
#define ROW_END			{ 0, 0, CSF_INSN_OTHER }

/**
 * insn_match() - the first row of a list that has the opcode
 * @row: the list
 * @op: opcode
 * @drop: rows with one of these flags do not count: ROW_M or 0
 */
static inline const struct insn_row *insn_match(const struct insn_row *row, uint32_t op,
						uint8_t drop)
{
	while ((op & row->mask) != row->value || (row->flags & drop))
		row++;
	return row;
}

/* The @n bits of @op from @low up as a signed number. */
static inline int64_t insn_signed(uint32_t op, unsigned int low, unsigned int n)
{
	return (int32_t)(op << (32 - low - n)) >> (32 - n);
}

/* Lists of rows by the bits [31:24], [27:20], [15:8], [28:21] of the opcode. */
extern const struct insn_row *const a64_rows[256];
extern const struct insn_row *const a32_rows[256];
extern const struct insn_row *const t16_rows[256];
extern const struct insn_row *const t32_rows[256];

/* A32 with 0b1111 in place of a condition. */
extern const struct insn_row a32_always[];

/**
 * struct insn_direct - direct branches that the top byte tells from all else
 * @kind, @flags: of struct csf_insn; @kind is 0: there are none
 * @left, @right: shifts that bring out the displacement, in words
 */
struct insn_direct {
	uint8_t kind, flags;
	uint8_t left, right;
};

/**
 * struct insn_filter - what of an instruction is enough to see that it takes no atom
 * @direct: of A64, by the top byte
 *
 * For each list of rows, the rules under which anything in it takes one.  Few
 * instructions do, and a block is walked over with one load for each of the others.
 */
struct insn_filter {
	struct insn_direct direct[256];
	uint8_t a64[256];
	uint8_t a32[256];
	uint8_t t16[256];
	uint8_t t32[256];
};

void insn_filter_init(struct insn_filter *filter);

/**
 * insn_skip() - the instructions at the start of some code that take no atom
 * @p: the code, @n bytes
 * @max: count no more than these
 * @size: their bytes; at least 4 of the @n are left, so that what stopped it can be fetched
 *
 * Return: how many; others may follow.
 */
unsigned int insn_skip(const struct insn_filter *filter, const uint8_t *p, size_t n,
		       enum csf_isa isa, uint32_t rule, unsigned int max, uint32_t *size);

/* Besides CSF_RULE_x: what takes an atom under each. */
#define INSN_ALWAYS	0x80

/* Where the displacement of a form of A64 begins, and its bits. */
struct insn_field {
	uint8_t low, n;
};

extern const struct insn_field a64_field[];

/* Displacement from the instruction's own address; T32_BLX from that rounded down to 4. */
int64_t a64_displacement(uint32_t op, enum insn_form form);
int64_t a32_displacement(uint32_t op, enum insn_form form);
int64_t t32_displacement(uint32_t op, enum insn_form form);

#endif /* CSF_INSN_H */
