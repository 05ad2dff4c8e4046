/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Block maps: which block begins where in the code of a mapping.
 *
 * A hash is small, and that is best where there are few blocks.  Of many, each look-up takes two
 * cache lines that nobody has: the cell, and the block, to see that it is the one.  A block map has
 * four bytes for each instruction, and says at once; neighbours in the code are so in a block map;
 * and where to look is known as soon as an address is.  So from some number of blocks on mappings
 * have block maps.  They are of A64, where instructions are where they are expected; all else is
 * hashed.
 */
#ifndef CSF_BLOCK_MAP_H
#define CSF_BLOCK_MAP_H

#include "block.h"
#include "mapping.h"

#define BLOCK_MAP_CUT	BIT(31)		/* or-ed to the number of a block that takes no atom */

/**
 * block_map_entry() - where the number of the block of @key stands, or will
 *
 * Nowhere else, then.  Under the lock.  Return: NULL: it is hashed.
 */
static inline uint32_t *block_map_entry(const struct mapping *v, const struct block_key *key)
{
	if (!v->block_map.number || key->cut || key->isa != CSF_A64)
		return NULL;
	if (key->rule != v->block_map.rule || key->offset % 4 || key->offset < v->from ||
	    key->offset >= v->to)
		return NULL;
	return &v->block_map.number[(key->offset - v->from) / 4];
}

/* Block @number is made, and is the one of @entry. */
static inline void block_map_put(uint32_t *entry, const struct block *b, uint32_t number)
{
	__atomic_store_n(entry, number | (b->slow & BLOCK_CUT ? BLOCK_MAP_CUT : 0),
			 __ATOMIC_RELEASE);
}

/*
 * As block_map_entry(), once there are block maps: those that are wanted are made.  Under the lock.
 */
uint32_t *block_map_find(struct csf_image *image, const struct block_key *key);

/* There have come to be many blocks: all that are hashed go where they belong.  Under the lock. */
void block_map_begin(struct csf_image *image);

/* The code of @b, of a mapping of @image, is no longer what it was.  Under the lock. */
void block_map_forget(struct csf_image *image, const struct block *b);

/* Of a mapping that nobody uses any more. */
void block_map_free(struct mapping *v);

#endif /* CSF_BLOCK_MAP_H */
