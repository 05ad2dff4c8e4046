/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions of an item, one by one. */
#ifndef CSF_SOURCE_INSN_H
#define CSF_SOURCE_INSN_H

#include "source.h"

/**
 * source_insn() - one instruction of a SOURCE_INSN item whose code and ISA are known
 * @at: its offset in the item's bytes
 * @opcode: as from csf_insn()
 *
 * Return: its length; 0: the rest is not an instruction.
 */
static inline uint32_t source_insn(const struct source_item *item, uint32_t at, uint32_t *opcode)
{
	const uint8_t *p = source_code(item) + at;
	uint32_t left = item->size - at;

	if (item->isa != CSF_T32) {
		if (left < 4)
			return 0;
		*opcode = p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
		return 4;
	}
	if (left < 2)
		return 0;
	*opcode = p[0] | p[1] << 8;
	if (*opcode >> 11 < 0x1d)
		return 2;
	if (left < 4)
		return 0;
	*opcode = *opcode << 16 | p[2] | p[3] << 8;
	return 4;
}

#endif /* CSF_SOURCE_INSN_H */
