/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The count table: how often code was executed, by place in a file.
 *
 *	struct count_table table = { 0 };
 *
 *	dso = count_dso_add(&table, &key);
 *	err = count_block_add(&table.dso[dso], &block);
 *	err = count_table_settle(&table);
 *
 * Places are (dso, offset), as in struct code_section: no binary is needed to count, to merge or
 * to keep counts.  Counts add up and saturate at UINT64_MAX, so the order of merging does not
 * matter.  Every profile and report is a printer of this table.
 */
#ifndef CSF_COUNT_H
#define CSF_COUNT_H

#include "../../decoder/csflow.h"
#include "../../perf-plugin/dso.h"

/* Bytes of a block: 1,024 instructions. */
#define COUNT_SIZE_MAX	4096

/**
 * struct count_block - instructions executed one after another
 * @start: offset of the first one
 * @target: for a direct branch, the offset of its target if that is in the same dso; else 0
 * @size: bytes
 * @n_insn: instructions
 * @isa: enum csf_isa; @kind: enum csf_insn_kind of the last instruction
 * @flags: CSF_FLAG_x of that instruction; CSF_FLAG_CUT: it ends before the end of a block
 * @last_size: bytes of that instruction
 * @direct: @target is valid
 * @taken: how often its last instruction went elsewhere
 * @passed: how often execution went on after it, or ended there
 */
struct count_block {
	uint64_t start, target;
	uint32_t size;
	uint16_t n_insn;
	uint8_t isa, kind, flags, last_size;
	bool direct;
	uint64_t taken, passed;
};

/* Not a dso: the target is in no known one. */
#define COUNT_OUTSIDE	UINT32_MAX

/**
 * struct count_edge - a taken branch whose target its block does not tell
 * @from: offset of the branch
 * @dso: index of the target's dso in the table, or COUNT_OUTSIDE
 * @to: offset in that
 * @flags: CSF_FLAG_x of the branch; only count_edges() and count_entries() set it
 */
struct count_edge {
	uint64_t from, to;
	uint32_t dso;
	uint8_t flags;
	uint64_t count;
};

/**
 * struct count_dso - counts of one file
 * @kind: enum dso_kind
 * @build_id: @n_build_id bytes, without zeros at the end; 0: unknown, and @name tells files apart
 * @program: for a file, that a process ran it, and did not only map it
 * @name: owned; of several with one build-id, the first in byte order
 * @lost: P0 elements that could not be followed because its code is missing
 */
struct count_dso {
	uint8_t kind;
	uint8_t n_build_id;
	uint8_t build_id[ELF_BUILD_ID_MAX];
	bool program;
	char *name;
	uint64_t lost;
	struct count_block *block;
	size_t n_block, size_block;
	struct count_edge *edge;
	size_t n_edge, size_edge;
};

/**
 * enum count_stat - statistics about the origin of the counts
 * @COUNT_RECORDINGS: their number, weights included
 * @COUNT_BYTES: of trace; @COUNT_SKIPPED: those of them in gaps
 * @COUNT_BLOCKS, @COUNT_INSNS: executed
 * @COUNT_BREAKS: times that execution could not be followed, for any reason
 * @COUNT_FAILED: blocks that ran in transactions that failed: not counted
 * @COUNT_UNSURE: blocks of transactions that were too long to tell: counted
 * @COUNT_NOWHERE: blocks that ran where no file is known
 * @COUNT_NO_UNIT: bytes of trace whose trace unit is not known
 * @COUNT_DAMAGED: problems of the files
 * @COUNT_LOST: P0 elements lost, by reason: COUNT_LOST + enum csf_gap
 * @COUNT_HALVED: steps of recordings of which both halves have some; a step is a block and whether
 *                its branch was taken
 * @COUNT_ALIKE: those of @COUNT_HALVED that are as frequent in one half as in the other
 * @COUNT_SECOND: steps of second halves; @COUNT_NEW: those that the first half does not have
 * @COUNT_HOLES: times that the trace unit overflowed or discarded, or that a buffer was full: it is
 *               unknown how much was lost
 *
 * The numbers are those in the file: new ones are added after all others.
 */
enum count_stat {
	COUNT_RECORDINGS,
	COUNT_BYTES,
	COUNT_SKIPPED,
	COUNT_BLOCKS,
	COUNT_INSNS,
	COUNT_BREAKS,
	COUNT_FAILED,
	COUNT_UNSURE,
	COUNT_NOWHERE,
	COUNT_NO_UNIT,
	COUNT_DAMAGED,
	COUNT_LOST,
	COUNT_HALVED = COUNT_LOST + CSF_GAP_NR,
	COUNT_ALIKE,
	COUNT_SECOND,
	COUNT_NEW,
	COUNT_HOLES,
	COUNT_STAT_NR
};

/* Zero is an empty table. */
struct count_table {
	struct count_dso *dso;
	size_t n, size;
	uint64_t stat[COUNT_STAT_NR];
};

/* Adds; the sum saturates. */
static inline uint64_t count_sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static inline uint64_t count_times(uint64_t a, uint64_t weight)
{
	uint64_t product;

	return __builtin_mul_overflow(a, weight, &product) ? UINT64_MAX : product;
}

/* Adds the counts of an equal block, or an equal edge. */
static inline void count_block_sum(struct count_block *sum, const struct count_block *b)
{
	sum->taken = count_sum(sum->taken, b->taken);
	sum->passed = count_sum(sum->passed, b->passed);
}

static inline void count_edge_sum(struct count_edge *sum, const struct count_edge *e)
{
	sum->count = count_sum(sum->count, e->count);
}

/* How often a block was executed. */
static inline uint64_t count_ran(const struct count_block *b)
{
	return count_sum(b->taken, b->passed);
}

/* The offset of its last instruction. */
static inline uint64_t count_last(const struct count_block *b)
{
	return b->start + b->size - b->last_size;
}

/* An atom tells whether its last instruction was taken. */
static inline bool count_branches(const struct count_block *b)
{
	return !(b->flags & CSF_FLAG_CUT) &&
	       (b->kind == CSF_INSN_BRANCH || b->kind == CSF_INSN_INDIRECT);
}

/*
 * It ends with a branch that may be taken or not.  A T32 branch that is conditional because of IT
 * is recognised only by not being taken; hot_conditional() reads the code.
 */
static inline bool count_conditional(const struct count_block *b)
{
	return count_branches(b) &&
	       (b->flags & CSF_FLAG_COND || (b->isa == CSF_T32 && b->passed));
}

/* The number of its instructions that ran. */
uint64_t count_dso_insns(const struct count_dso *dso);

/* Files are equal if build-ids are, or names if there are none.  Return: <, = or > 0. */
int count_dso_order(const struct count_dso *a, const struct count_dso *b);

/* The order of a settled table.  Return: <, > 0; 0: only the counts may differ. */
int count_block_order(const struct count_block *a, const struct count_block *b);
int count_edge_order(const struct count_edge *a, const struct count_edge *b);

/* A dso without counts, to compare; its name is the one of @key. */
struct count_dso count_dso_of(const struct dso_key *key);

/* Appends a dso; count_table_settle() joins those of one file.  Return: index; -ENOMEM. */
long count_dso_add(struct count_table *table, const struct dso_key *key);

/* Finds or makes the dso of this key and name.  Return: its index; -ENOMEM. */
long count_dso_find(struct count_table *table, const struct dso_key *key);

/* The index of the file of @dso, which may be of another table; @table->n: none. */
size_t count_dso_like(const struct count_table *table, const struct count_dso *dso);

/* Appends; count_table_settle() joins equal ones.  Return: 0 or -ENOMEM. */
int count_block_add(struct count_dso *dso, const struct count_block *block);
int count_edge_add(struct count_dso *dso, const struct count_edge *edge);

/*
 * Sorts everything and adds up equal entries.  The same counts give the same table, in whatever
 * order they came.  Return: 0 or -ENOMEM.
 */
int count_table_settle(struct count_table *table);

/* Adds @from, @weight times, to @table, which must be settled then.  Return: 0 or -ENOMEM. */
int count_table_merge(struct count_table *table, const struct count_table *from, uint64_t weight);

/* Is a sum saturated, and so perhaps too small? */
bool count_table_full(const struct count_table *table);

/* Is a sum of its counts, for a block or for all instructions, saturated? */
bool count_sums_full(const struct count_table *table);

void count_table_fini(struct count_table *table);

/*
 * Every taken edge of a dso, including direct ones, and those to unknown targets as
 * COUNT_OUTSIDE; the caller frees it.  For settled tables only.
 */
int count_edges(const struct count_table *table, size_t dso, struct count_edge **edges, size_t *n);

/* The same for edges from other dsos into this one: @dso is their origin. */
int count_entries(const struct count_table *table, size_t dso, struct count_edge **edges,
		  size_t *n);

#endif /* CSF_COUNT_H */
