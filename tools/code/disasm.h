/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Disassembly, by LLVM.
 *
 * The library is opened when it is first needed, so that other code neither waits for it nor
 * needs it.  A disassembler is for one thread.
 */
#ifndef CSF_DISASM_H
#define CSF_DISASM_H

#include "../../decoder/csflow.h"

/* Longest text, with the zero at its end */
#define DISASM_MAX	96

struct disasm;

/**
 * disasm_new() - find LLVM
 *
 * Return: 0, -ENOENT: there is none; -ENOMEM.
 */
int disasm_new(struct disasm **d);
void disasm_free(struct disasm *d);

/* The file it comes from. */
const char *disasm_library(const struct disasm *d);

/**
 * disasm_insn() - the text of an instruction
 * @opcode: as from csf_insn()
 * @size: bytes, 2 or 4
 *
 * Instructions of T32 in an IT block have its condition if they come in the order of execution.
 * A direct branch is followed by its target, "; 0x400100".
 *
 * Return: the text, borrowed until the next call; "" if LLVM does not know it.
 */
const char *disasm_insn(struct disasm *d, enum csf_isa isa, uint32_t opcode, unsigned int size,
			uint64_t pc);

/**
 * struct disasm_code - an instruction, whatever came before it
 * @isa: enum csf_isa
 * @it: T32: its ITSTATE; 0: it is in no IT block
 * @opcode, @size, @pc: as for disasm_insn()
 */
struct disasm_code {
	uint8_t isa, size, it;
	uint32_t opcode;
	uint64_t pc;
};

/*
 * As disasm_insn(), but as perf has it: a direct branch, and an ADR, ADRP or load of a literal of
 * A64, has the address in place of the distance, "b #0x400100".
 */
const char *disasm_code(struct disasm *d, const struct disasm_code *c);

#endif /* CSF_DISASM_H */
