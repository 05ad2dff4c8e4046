/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Block maps: which block begins where in the code of a mapping.
 *
 * A hash is small, which is best where there are few blocks.  With many blocks, each look-up
 * touches two cold cache lines: the cell, and the block, to compare the key.  A block map has four
 * bytes for each instruction and gives the number at once; neighbours in the code are neighbours in
 * the map; and the place to look is known as soon as an address is.  So from some number of blocks
 * on, mappings have block maps.  They are for A64, whose instructions are at known places;
 * everything else stays in the hash.
 */
#ifndef CSF_BLOCK_MAP_H
#define CSF_BLOCK_MAP_H

#include "block.h"
#include "mapping.h"

#define BLOCK_MAP_CUT	BIT(31)		/* or-ed to the number of a block that takes no atom */

/**
 * block_map_entry() - the place for the number of the block of @key
 *
 * If it has a place here, it is nowhere else.  Call with the lock held.
 *
 * Return: NULL: it is in the hash.
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

/* Block @number was made; @entry is its place. */
static inline void block_map_put(uint32_t *entry, const struct block *b, uint32_t number)
{
	__atomic_store_n(entry, number | (b->slow & BLOCK_CUT ? BLOCK_MAP_CUT : 0),
			 __ATOMIC_RELEASE);
}

/*
 * As block_map_entry(), once there are block maps: makes the block maps that are needed.  Call with
 * the lock held.
 */
uint32_t *block_map_find(struct csf_image *image, const struct block_key *key);

/* There are many blocks now: moves those in the hash to block maps.  Call with the lock held. */
void block_map_begin(struct csf_image *image);

/* The code of @b, of a mapping of @image, has changed.  Call with the lock held. */
void block_map_forget(struct csf_image *image, const struct block *b);

/* Frees the block map of a mapping that is not used any more. */
void block_map_free(struct mapping *v);

#endif /* CSF_BLOCK_MAP_H */
