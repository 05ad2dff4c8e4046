// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "sample-block.h"

static uint16_t flags_of(const struct csf_block *b)
{
	if (b->flags & CSF_FLAG_CUT || (b->kind != CSF_INSN_BRANCH && b->kind != CSF_INSN_INDIRECT))
		return 0;
	if (b->flags & CSF_FLAG_LINK)
		return CS_FLAG_BRANCH | CS_FLAG_CALL;
	if (b->kind == CSF_INSN_BRANCH)
		return CS_FLAG_BRANCH | (b->flags & CSF_FLAG_COND ? CS_FLAG_CONDITIONAL : 0);
	if (b->flags & CSF_FLAG_ERET)
		return CS_FLAG_BRANCH | CS_FLAG_RETURN | CS_FLAG_INTERRUPT;
	return CS_FLAG_BRANCH | (b->flags & CSF_FLAG_RET ? CS_FLAG_RETURN : 0);
}

static void learn(struct cs_blocks *blocks, uint32_t number, const struct csf_block *b)
{
	struct cs_cell *cell = &blocks->cell[number];
	uint16_t flags = flags_of(b);

	blocks->info[number] = b->n_insn | (flags ? 1u << CS_INFO_BRANCH_BIT : 0) |
			       (flags & (CS_FLAG_CALL | CS_FLAG_RETURN) ? 1u << INFO_CALL_BIT : 0);
	*cell = (struct cs_cell){
		.offset = b->offset, .section = b->section,
		.last = b->size - b->last_size, .flags = flags, .last_size = b->last_size,
		.isa = b->isa,
	};
	if (flags && b->kind == CSF_INSN_BRANCH)
		cell->bits |= CELL_DIRECT;
	if (flags == CS_FLAG_BRANCH && b->kind == CSF_INSN_INDIRECT)
		cell->bits |= CELL_JUMP;
	if (b->kind == CSF_INSN_EXCEPTION && b->flags & CSF_FLAG_SVC)
		cell->bits |= CELL_SVC;
}

static int room(struct cs_blocks *blocks, size_t n)
{
	size_t size = blocks->size ? blocks->size : 1024;
	struct cs_cell *cell;
	uint16_t *info;

	if (n <= blocks->size)
		return 0;
	while (size < n)
		size *= 2;
	cell = realloc(blocks->cell, size * sizeof(*cell));
	if (!cell)
		return CSF_ERR_MEMORY;
	blocks->cell = cell;
	info = malloc(size * sizeof(*info));
	if (!info)
		return CSF_ERR_MEMORY;
	if (blocks->n)
		memcpy(info, blocks->info, blocks->n * sizeof(*info));
	/* at most as often as a size can be doubled */
	blocks->was[blocks->n_was++] = blocks->info;
	blocks->info = info;
	blocks->size = size;
	return 0;
}

int sample_blocks_grow(struct cs_blocks *blocks, const struct csf_image *image)
{
	/* number 0 means none */
	size_t n = (size_t)csf_block_count(image) + 1;
	int err;

	if (n <= blocks->n)
		return 0;
	err = room(blocks, n);
	if (err)
		return err;
	for (; blocks->n < n; blocks->n++) {
		struct csf_block b;

		csf_block(image, blocks->n, &b);
		learn(blocks, blocks->n, &b);
	}
	return 0;
}

void sample_blocks_fini(struct cs_blocks *blocks)
{
	while (blocks->n_was)
		free(blocks->was[--blocks->n_was]);
	free(blocks->info);
	free(blocks->cell);
	*blocks = (struct cs_blocks){ 0 };
}
