/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * IT of T32: the conditions of the instructions after it.
 *
 * The decoder does not need it: an atom says whether a branch was taken, whatever its condition.
 *
 * Source: ARM DDI 0487, F5.1.64 "IT" and the pseudocode ITAdvance().
 */
#ifndef CSF_IT_BLOCK_H
#define CSF_IT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ITSTATE; 0: not in an IT block. */
struct it_block {
	uint8_t state;
};

/**
 * it_block_next() - the next instruction of T32
 * @opcode: as from csf_insn(); an IT has 16 bits
 *
 * Return: IT gives it a condition other than "always".
 */
static inline bool it_block_next(struct it_block *it, uint32_t opcode)
{
	const uint8_t state = it->state;

	if ((opcode & 0xffffff00) == 0xbf00 && opcode & 0xf) {
		it->state = opcode;
		return false;
	}
	it->state = state & 7 ? (state & 0xe0) | (state << 1 & 0x1f) : 0;
	return state & 0xf && state >> 4 < 0xe;
}

/**
 * it_block_after() - the ITSTATE after some code, which execution ran through
 * @code: @n bytes, an even number; 14 or more, unless there is no more code
 * @whole: an instruction begins with @code; if not, one does after each half that is no first half
 *         of 4 bytes
 */
static inline uint8_t it_block_after(const uint8_t *code, size_t n, bool whole)
{
	struct it_block it = { 0 };
	size_t i = 0;

	while (!whole && i < n) {
		whole = code[i + 1] >> 3 < 0x1d;
		i += 2;
	}
	while (i < n) {
		const bool is_long = code[i + 1] >> 3 >= 0x1d;
		const uint32_t half = code[i] | (uint32_t)code[i + 1] << 8;

		it_block_next(&it, is_long ? half << 16 : half);
		i += is_long ? 4 : 2;
	}
	return i == n ? it.state : 0;
}

#endif /* CSF_IT_BLOCK_H */
