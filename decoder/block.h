/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Blocks: code that has been decoded once and is never looked at again.
 *
 * A block has a number.  Its successors are numbers too, filled in when first taken, so that
 * following a direct branch costs one load.  Links stay inside a mapping of a section; a step that
 * leaves it is looked up by address each time.
 */
#ifndef CSF_BLOCK_H
#define CSF_BLOCK_H

#include "bytes.h"
#include "csflow.h"
#include "table.h"

#define BLOCK_INSN_MAX	1024		/* longer than any useful block */
#define BLOCK_MAX	(1u << 26)	/* address space is reserved for this many, or fewer */

/* struct block.slow: what a block has beyond a plain branch */
#define BLOCK_LINK	0x01	/* taken, it pushes the return stack */
#define BLOCK_OUT	0x02	/* taken, it leaves the mapping */
#define BLOCK_INDIRECT	0x04	/* taken, it goes where the trace says; without BLOCK_OUT: ENTERX */
#define BLOCK_CUT	0x08	/* takes no atom */

/**
 * struct block - a block, and the key that it is found by
 * @pub: what csf_block() returns
 * @mapping: number of the mapping of the section
 * @version: version of the section
 * @cut: as in struct block_key
 * @rule: likewise
 * @slow: BLOCK_x; 0 for most
 * @hash: hash of the key; 0 if it is in a block map
 */
struct block {
	struct csf_block pub;
	uint32_t mapping;
	uint32_t version;
	uint16_t cut;
	uint8_t rule;
	uint8_t slow;
	uint32_t hash;
};

/*
 * A successor: the number of a block, and what else the step does.  As a signed number, a successor
 * that is only a link is greater than 0, which takes one test.
 */
#define SUCC_BLOCK	(BLOCK_MAX - 1)
#define SUCC_SHIFT	28		/* of BLOCK_LINK, BLOCK_OUT, BLOCK_INDIRECT */
#define SUCC_PUSH	BIT(28)		/* it pushes the return stack */
#define SUCC_OUT	BIT(29)		/* it leaves the mapping: no link */
#define SUCC_AWAY	BIT(30)		/* it goes where the trace says */
#define SUCC_SLOW	BIT(31)		/* set with any of these */

/*
 * Of a step that is not taken: the code says that the instruction is always taken.  The link after
 * it is where a call returns to.
 */
#define SUCC_NEVER	(SUCC_SLOW | SUCC_AWAY)

/*
 * From this number on, successors after which an address comes.  That of ENTERX, which empties the
 * return stack, is not among them.
 */
#define SUCC_WAITS	(SUCC_SLOW | SUCC_AWAY | SUCC_OUT)

/* The additional effects of the taken step from a block with @slow, as bits of its successor. */
static inline uint32_t block_succ_slow(uint32_t slow)
{
	slow &= BLOCK_OUT | BLOCK_LINK | BLOCK_INDIRECT;
	return (slow | ((slow + 7) & 8)) << SUCC_SHIFT;	/* SUCC_SLOW with any of them */
}

/* The effects of the step from a block that is not taken, as above; @flags: CSF_FLAG_x of it. */
static inline uint32_t block_succ_passed(uint32_t flags)
{
	return flags & CSF_FLAG_COND ? 0 : SUCC_NEVER;
}

/**
 * struct block_key - the key of a block
 * @offset: offset of its first instruction in the section
 * @mapping: number of the mapping of the section
 * @cut: 0: the whole block; otherwise the number of its first instructions
 * @isa: enum csf_isa
 * @rule: CSF_RULE_x; 0 if @cut
 */
struct block_key {
	uint64_t offset;
	uint32_t mapping;
	uint16_t cut;
	uint8_t isa;
	uint8_t rule;
};

/**
 * struct block_table - all blocks of an image; its contents never move
 * @succ: by step (block << 1 | taken): SUCC_x and the next block; 0: not looked up yet, outside the
 *        mapping, cut, or known only to the trace.  The hot loop reads only this
 * @block: the blocks by number; [0] is unused: 0 means none
 * @n: next number
 * @n_paged: numbers below this have memory
 * @max: numbers are below this
 * @links, @blocks: the memory of @succ and @block
 * @cells: numbers by the hash of struct block_key and the version of the section, except those in a
 *         block map
 * @n_cells: number of entries in @cells
 */
struct block_table {
	uint32_t *succ;
	struct block *block;
	uint32_t n, n_paged, max;
	struct table_space links, blocks;
	struct cells cells;
	uint32_t n_cells;
};

/* @n, to which another thread may be adding. */
static inline uint32_t block_table_n(const struct block_table *t)
{
	return load_link(&t->n);
}

int block_table_init(struct block_table *t);
void block_table_fini(struct block_table *t);

/**
 * block_at() - the block of @key, which is decoded if needed
 *
 * Call with the image's lock held.
 *
 * Return: its number; 0: there is no code; CSF_ERR_MEMORY.
 */
int64_t block_at(struct csf_image *image, const struct block_key *key);

/**
 * block_behind() - link @step, which has no link, to the block after it inside its mapping
 * @rule: CSF_RULE_x under which the block is decoded
 *
 * This is fast, and succeeds for nearly all code.  Call with the image's lock held.
 *
 * Return: number of that block; 0: block_at() has to look.
 */
uint32_t block_behind(struct csf_image *image, uint32_t step, uint32_t rule);

/*
 * The instruction @at bytes into @block.  Takes the image's lock.  Return: its size; 0: there is
 * none; CSF_ERR_MEMORY.
 */
int block_opcode(struct csf_image *image, const struct csf_block *block, uint32_t at,
		 uint32_t *opcode);

/* Size of the instruction @at bytes into @block: 2 or 4.  Takes the image's lock. */
unsigned int block_insn_size(struct csf_image *image, const struct csf_block *block, uint32_t at);

/**
 * block_it() - follow IT blocks through a block of T32
 * @it: how many of its first instructions are in an IT block; set to those after it
 *
 * Takes the image's lock.
 *
 * Return: its last instruction is in an IT block.
 */
bool block_it(struct csf_image *image, const struct csf_block *block, uint8_t *it);

/* Forgets every link from and to blocks of @section.  Call with the lock held. */
void block_unlink(struct csf_image *image, uint32_t section);

#endif /* CSF_BLOCK_H */
