/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Charts: which block begins where in the code of a view.
 *
 * A hash is small, and that is best where there are few blocks.  Of many, each look-up takes two
 * cache lines that nobody has: the cell, and the block, to see that it is the one.  A chart has
 * four bytes for each instruction, and says at once; neighbours in the code are so in a chart; and
 * where to look is known as soon as an address is.  So from some number of blocks on views have
 * charts.  They are of A64, where instructions are where they are expected; all else is hashed.
 */
#ifndef CSF_CHART_H
#define CSF_CHART_H

#include "block.h"
#include "view.h"

#define CHART_CUT	BIT(31)		/* or-ed to the number of a block that takes no atom */

/**
 * chart_entry() - where the number of the block of @key stands, or will
 *
 * Nowhere else, then.  Under the lock.  Return: NULL: it is hashed.
 */
static inline uint32_t *chart_entry(const struct view *v, const struct block_key *key)
{
	if (!v->chart.number || key->cut || key->isa != CSF_A64 || key->rule != v->chart.rule ||
	    key->offset % 4 || key->offset < v->from || key->offset >= v->to)
		return NULL;
	return &v->chart.number[(key->offset - v->from) / 4];
}

/* Block @number is made, and is the one of @entry. */
static inline void chart_put(uint32_t *entry, const struct block *b, uint32_t number)
{
	__atomic_store_n(entry, number | (b->odd & BLOCK_CUT ? CHART_CUT : 0), __ATOMIC_RELEASE);
}

/* As chart_entry(), once there are charts: those that are wanted are made.  Under the lock. */
uint32_t *chart_find(struct csf_image *image, const struct block_key *key);

/* There have come to be many blocks: all that are hashed go where they belong.  Under the lock. */
void chart_begin(struct csf_image *image);

/* The code of @b, of a view of @image, is no longer what it was.  Under the lock. */
void chart_forget(struct csf_image *image, const struct block *b);

/* Of a view that nobody uses any more. */
void chart_free(struct view *v);

#endif /* CSF_CHART_H */
