/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions of a block, and where code is: function, line. */
#ifndef CSF_BROWSE_INSN_H
#define CSF_BROWSE_INSN_H

#include "../../perf-plugin/perf-code.h"

/* Where code is mapped: its address, in @space at @time. */
struct code_at {
	int space;
	uint64_t time, addr;
};

/**
 * struct code_insn - an instruction
 * @offset: from the first byte of its block, or of what was asked for
 * @size: in bytes
 * @opcode: as for csf_insn()
 */
struct code_insn {
	uint32_t offset, size, opcode;
};

/* The instruction at @at, of that instruction set.  Return: its bytes are known. */
bool code_read(struct csf_image *image, const struct code_at *at, enum csf_isa isa,
	       struct code_insn *insn);

/* Instruction @i of a block that is at @at.  Return: its bytes are known. */
bool code_insn(struct csf_image *image, const struct code_at *at, const struct csf_block *block,
	       uint32_t i, struct code_insn *insn);

/**
 * struct code_where - where code is
 * @dso: the file; NULL: not known
 * @symbol: the function; NULL: not known
 * @start, @size: of the function: offset in the section, bytes
 * @file, @line: in the source; NULL: not known
 * @addr: in the file
 */
struct code_where {
	const struct dso *dso;
	const char *symbol;
	int64_t start;
	uint64_t size;
	const char *file;
	int line;
	uint64_t addr;
};

/* Where @offset of @section is. */
void code_where(struct perf_code *code, uint32_t section, uint64_t offset,
		struct code_where *where);

/* The first byte of the code of the line that has @offset, without a gap up to there. */
uint64_t code_line_start(struct perf_code *code, uint32_t section, uint64_t offset);

#endif /* CSF_BROWSE_INSN_H */
