/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A piece of a file, instruction by instruction and line by line, with counts.
 *
 *	struct hot_edges edges;
 *	struct hot_lines hot;
 *
 *	err = hot_edges_read(&edges, &places, dso);
 *	err = hot_lines_read(&hot, &edges, start, end);
 *	for (size_t i = 0; i < hot.n; i++)
 *		... hot.insn[i].count, hot_source(&hot, &hot.insn[i])
 */
#ifndef CSF_HOT_LINES_H
#define CSF_HOT_LINES_H

#include "places.h"
#include "tally.h"

/* Longer pieces are not functions. */
#define HOT_SIZE_MAX	(16u << 20)

/* All taken branches of a file, by their place. */
struct hot_edges {
	struct places *places;
	size_t dso;
	struct count_edge *edge;
	size_t n;
};

/* Return: 0 or -ENOMEM. */
int hot_edges_read(struct hot_edges *edges, struct places *places, size_t dso);
void hot_edges_fini(struct hot_edges *edges);

/* The edges of the branch at @from: *@n of them. */
const struct count_edge *hot_edges_of(const struct hot_edges *edges, uint64_t from, size_t *n);

/**
 * struct hot_insn - an instruction
 * @offset: as in the table; @addr: by the file's headers
 * @count: how often it was executed
 * @taken, @passed: for a branch, how often it was taken and not taken
 * @edge: for a branch, its @n_edge targets
 * @opcode: as from csf_insn(); @size: bytes; @isa: enum csf_isa
 * @kind: enum csf_insn_kind; @flags: CSF_FLAG_x, and CSF_FLAG_COND because of IT, too
 * @line: index of its line; HOT_NO_LINE: unknown
 * @begins: it begins a block, or the code executed before it ends there
 * @cycles: the sum; @timed: how often it was executed with cycles; see tally.h
 */
struct hot_insn {
	uint64_t offset, addr, count, taken, passed;
	uint64_t cycles, timed;
	const struct count_edge *edge;
	size_t n_edge;
	uint32_t opcode;
	uint8_t size, isa, kind, flags;
	bool begins;
	uint32_t line;
};

#define HOT_NO_LINE	UINT32_MAX

/**
 * struct hot_line - a line of the source
 * @file: as in the debug information; borrowed from the places
 * @count: of its most executed instruction; @insns: all its executed instructions
 * @cycles: of these instructions; @timed: instructions executed with cycles
 */
struct hot_line {
	const char *file;
	int line;
	uint64_t count, insns, cycles, timed;
};

/* The instruction set by the symbol of 32-bit Arm code, from bit 0 of its value. */
enum hot_symbol { HOT_NO_SYMBOL, HOT_A32, HOT_T32 };

/**
 * struct hot_lines - zero it; @symbol may be set
 * @symbol: enum hot_symbol: the instruction set up to the first block that ran
 * @insn: @n of them, by offset
 * @line: @n_line of them, in the order of their first instruction here
 * @insns: executed; @most: count of the most executed instruction
 * @cycles: of @timed instructions; 0: the trace has none, or hot_lines_times() was not called
 */
struct hot_lines {
	struct hot_insn *insn;
	struct hot_line *line;
	size_t n, n_line, size, size_line;
	uint64_t insns, most, cycles, timed;
	uint8_t symbol;
};

/*
 * Reads the code from offset @start to @end, and adds it to @hot.
 *
 * Return: 0; -ENOENT: the file is missing; -ERANGE: the file does not have that code, or it is more
 * than HOT_SIZE_MAX; -ENOMEM.
 */
int hot_lines_read(struct hot_lines *hot, const struct hot_edges *edges, uint64_t start,
		   uint64_t end);
void hot_lines_fini(struct hot_lines *hot);

/* Adds the cycles of @hot, a piece of @dso, in all threads. */
void hot_lines_times(struct hot_lines *hot, struct places *places, const struct tally *tally,
		     size_t dso);

/* The targets of a branch, the most frequent first; the caller frees them.  NULL: no memory. */
struct count_edge *hot_targets(const struct hot_insn *insn);

/* Cycles of instruction @i, which begins a block, up to the next one; *@timed: see hot_insn. */
uint64_t hot_block_cycles(const struct hot_lines *hot, size_t i, uint64_t *timed);

/* The number of instructions in @n bytes of @isa at @offset. */
uint64_t hot_insns(struct places *places, size_t dso, uint64_t offset, uint64_t n,
		   enum csf_isa isa);

/* Does a block end with a conditional branch, perhaps because of IT? */
bool hot_conditional(struct places *places, size_t dso, const struct count_block *b);

#endif /* CSF_HOT_LINES_H */
