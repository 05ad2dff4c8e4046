/* SPDX-License-Identifier: GPL-2.0-only */
/* The few instructions that trace cases are made of. */
#ifndef CASE_ASM_H
#define CASE_ASM_H

#include "../../decoder/csflow.h"

/**
 * case_asm() - assemble one instruction
 * @isa: enum csf_isa
 * @name: mnemonic, as in Documentation/format/trace-case.rst
 * @pc: its address
 * @to: for branches to a label: where to
 * @out: 2 or 4 bytes
 *
 * Return: bytes; 0: no such mnemonic in this instruction set.
 */
unsigned int case_asm(enum csf_isa isa, const char *name, uint64_t pc, uint64_t to, uint8_t *out);

#endif /* CASE_ASM_H */
