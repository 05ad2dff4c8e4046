/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which data an instruction accesses. */
#ifndef CSF_ACCESS_H
#define CSF_ACCESS_H

#include "csflow.h"

/**
 * struct access_kind - the transfers of an instruction
 * @flags: CSF_ACCESS_READ, CSF_ACCESS_WRITE, CSF_ACCESS_REGISTER; 0: it has none
 * @size: bytes of each, at most 4: an access of 8 bytes is two transfers; 0: not known
 */
struct access_kind {
	uint16_t flags;
	uint8_t size;
};

/* @opcode: as for csf_insn().  A64: none. */
struct access_kind access_of_insn(enum csf_isa isa, uint32_t opcode);

#endif /* CSF_ACCESS_H */
