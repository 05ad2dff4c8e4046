/* SPDX-License-Identifier: GPL-2.0-only */
/* Blocks of a count table, read out of the code of a file: for counts that came without them. */
#ifndef CSF_CODE_WALK_H
#define CSF_CODE_WALK_H

#include "count.h"

/**
 * struct code_walk - where it is in the code of a file
 * @table: where blocks go, those of its file @dso
 * @elf: NULL: it is not there
 * @addr, @isa: the next instruction
 * @end: no instruction from this address on is read; 0: no end
 * @kind: enum dso_kind
 */
struct code_walk {
	struct count_table *table;
	size_t dso;
	const struct elf_file *elf;
	uint64_t addr, end;
	uint8_t isa, kind;
};

/* The offset in counts: for a kernel the address, else the offset in the file. */
uint64_t code_walk_offset(const struct code_walk *w, const struct elf_segment *s, uint64_t addr);

/* The instruction set of a file without mapping symbols: A64 or A32. */
uint8_t code_walk_isa(const struct elf_file *elf);

/*
 * Reads a block up to the next atom, or up to @end, where it is cut.  Its last instruction is
 * @insn.  Code that is too long for a block goes into the table as a cut one that ran @count times.
 * Return: 0; -ENOENT: there is no such code; -ENOMEM.
 */
int code_walk_block(struct code_walk *w, uint64_t count, struct count_block *b,
		    struct csf_insn *insn);

/* Sets the target of the direct branch @insn in the block, if it is in the file. */
void code_walk_target(const struct code_walk *w, const struct csf_insn *insn,
		      struct count_block *b);

#endif /* CSF_CODE_WALK_H */
