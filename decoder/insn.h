/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Instructions: what an opcode means to instruction trace.
 *
 * Each instruction set has a table of lists of rows, indexed by the bits that distinguish most;
 * NULL stands for "nothing of interest".  The first row that matches decides, and the last row of a
 * list matches everything.  UNPREDICTABLE encodings are treated as the allocated encoding next to
 * them.
 */
#ifndef CSF_INSN_H
#define CSF_INSN_H

#include "bytes.h"
#include "csflow.h"

/*
 * In addition to enum csf_insn_kind: load and store, becomes CSF_INSN_LOAD; ENTERX, becomes
 * CSF_INSN_INDIRECT where it takes an atom; LEAVEX, becomes CSF_INSN_OTHER.
 */
#define INSN_MODIFY		(CSF_INSN_EXCEPTION + 1)
#define INSN_ENTERX		(CSF_INSN_EXCEPTION + 2)
#define INSN_LEAVEX		(CSF_INSN_EXCEPTION + 3)

/* In addition to CSF_FLAG_x: the row exists in M profile only. */
#define ROW_M			0x80

/* The form of the displacement. */
enum insn_form {
	FORM_NEXT,		/* no displacement: execution goes on after the instruction */
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
 * @mask: the bits that are compared
 * @value: their value
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
 * insn_match() - the first row of a list that matches the opcode
 * @row: the list
 * @op: opcode
 * @drop: rows with one of these flags are skipped: ROW_M or 0
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

/* Lists of rows, indexed by the bits [31:24], [27:20], [15:8], [28:21] of the opcode. */
extern const struct insn_row *const a64_rows[256];
extern const struct insn_row *const a32_rows[256];
extern const struct insn_row *const t16_rows[256];
extern const struct insn_row *const t32_rows[256];

/* A32 with 0b1111 in place of a condition. */
extern const struct insn_row a32_always[];

/**
 * struct insn_direct - direct branches that the top byte distinguishes from everything else
 * @kind, @flags: as in struct csf_insn; @kind 0: there are none
 * @left, @right: shifts that extract the displacement, in words
 */
struct insn_direct {
	uint8_t kind, flags;
	uint8_t left, right;
};

/**
 * struct insn_filter - just enough of instructions to see that one takes no atom
 * @direct: for A64, by the top byte
 *
 * For each list of rows, the rules under which a row in it takes an atom.  Few instructions take
 * one, so a block is scanned with one load for each of the others.
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
 * insn_skip() - skip the instructions at the start of some code that take no atom
 * @p: the code, @n bytes
 * @max: skip at most this many
 * @size: set to their bytes; at least 4 of the @n are left, to fetch the instruction after them
 *
 * Return: number of instructions; more that take no atom may follow.
 */
unsigned int insn_skip(const struct insn_filter *filter, const uint8_t *p, size_t n,
		       enum csf_isa isa, uint32_t rule, unsigned int max, uint32_t *size);

/* Always takes an atom: the bit of a rule under which all do. */
#define INSN_ALWAYS	CSF_RULE_EACH

/* Position and number of bits of the displacement of an A64 form. */
struct insn_field {
	uint8_t low, n;
};

extern const struct insn_field a64_field[];

/* Displacement from the address of the instruction; for T32_BLX from that rounded down to 4. */
int64_t a64_displacement(uint32_t op, enum insn_form form);
int64_t a32_displacement(uint32_t op, enum insn_form form);
int64_t t32_displacement(uint32_t op, enum insn_form form);

#endif /* CSF_INSN_H */
