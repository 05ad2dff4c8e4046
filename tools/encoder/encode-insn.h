/* SPDX-License-Identifier: GPL-2.0-only */
/* Instruction classes of the encoder, one file for each instruction set. */
#ifndef CSF_ENCODE_INSN_H
#define CSF_ENCODE_INSN_H

#include "encoder.h"

/**
 * struct class_row - instructions of one class
 * @mask: the bits that identify the class
 * @value: their value
 * @class: enum enc_class
 * @flags: ENC_LINK, ENC_ERET, ENC_COND
 * @at: how the offset of a direct branch is encoded; each file has its own numbers
 *
 * A table ends with a row whose mask is 0, which any word fits.
 */
struct class_row {
	uint32_t mask, value;
	uint8_t class;
	uint8_t flags;
	uint8_t at;
};

static inline const struct class_row *class_find(const struct class_row *row, uint32_t opcode)
{
	while ((opcode & row->mask) != row->value)
		row++;
	return row;
}

/* The low @bits of @value as a signed number. */
static inline int64_t class_signed(uint64_t value, unsigned int bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static inline uint32_t class_bits(uint32_t opcode, unsigned int high, unsigned int low)
{
	return opcode >> low & ((1u << (high - low + 1)) - 1);
}

struct enc_insn encode_a64(uint32_t opcode, uint64_t pc);
struct enc_insn encode_a32(uint32_t opcode, uint64_t pc);
struct enc_insn encode_t32(uint32_t opcode, uint64_t pc, bool m);

#endif /* CSF_ENCODE_INSN_H */
