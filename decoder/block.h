/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Blocks: code that has been decoded once and is never looked at again.
 *
 * A block has a number.  Its successors are numbers too, filled in when first
 * taken, so that following a direct branch costs one load.  Links stay inside
 * a view of a section; what leads out of it is looked up by address each time.
 */
#ifndef CSF_BLOCK_H
#define CSF_BLOCK_H

#include "bytes.h"
#include "csflow.h"

#define BLOCK_INSN_MAX	1024		/* longer than any block worth having */
#define BLOCK_MAX	(1u << 26)	/* address space for this many is reserved */

/* struct block.odd: what makes a block more than a plain branch */
#define BLOCK_INDIRECT	0x01	/* taken, it goes where the trace says */
#define BLOCK_LINK	0x02	/* taken, it pushes the return stack */
#define BLOCK_CUT	0x04	/* takes no atom */

struct block {
	struct csf_block pub;
	uint8_t odd;		/* BLOCK_x; 0 for most */
};

/**
 * struct block_key - which block is meant
 * @offset: of its first instruction in the section
 * @view: number of the view of the section
 * @version: of the section
 * @cut: 0: as far as it goes; else this many instructions of it
 * @isa: enum csf_isa
 * @rule: CSF_RULE_x; 0 if @cut
 */
struct block_key {
	uint64_t offset;
	uint32_t view;
	uint32_t version;
	uint16_t cut;
	uint8_t isa;
	uint8_t rule;
};

/**
 * struct block_table - all blocks of an image; nothing in it ever moves
 * @succ: by step (block << 1 | taken): the block that follows; 0: not looked up yet, outside the
 *        view, cut, or only the trace knows.  What the hot loop reads, and all it reads
 * @block: by number; [0] is unused: 0 means none
 */
struct block_table {
	uint32_t *succ;
	struct block *block;
	struct block_key *key;	/* of each block, for the hash */
	uint32_t n;
	uint32_t *hash;		/* key -> number, open addressing */
	uint32_t hash_mask;
};

int block_table_init(struct block_table *t);
void block_table_fini(struct block_table *t);

/**
 * block_at() - the block of @key, decoded if need be
 * @key: its @version is filled in here
 *
 * Takes the image's lock.
 *
 * Return: its number; 0: there is no code; CSF_ERR_MEMORY.
 */
int64_t block_at(struct csf_image *image, const struct block_key *key);

/* Bytes of the instruction @at bytes into @block: 2 or 4.  Takes the image's lock. */
unsigned int block_insn_size(struct csf_image *image, const struct csf_block *block, uint32_t at);

/* Forget every link from and to blocks of @section.  Under the lock. */
void block_unlink(struct block_table *t, uint32_t section);

#endif /* CSF_BLOCK_H */
