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

#endif /* CSF_IT_BLOCK_H */
