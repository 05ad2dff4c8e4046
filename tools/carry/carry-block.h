/* SPDX-License-Identifier: GPL-2.0-only */
/* One block of the old build, in the new one. */
#ifndef CSF_CARRY_BLOCK_H
#define CSF_CARRY_BLOCK_H

#include "../count/code-walk.h"
#include "carry-pairs.h"

/**
 * carry_block() - add a block to the counts of the new build
 * @walk: its table, dso and file
 * @pair: the function of the block, matched
 * @first: index of its first instruction in the old function
 * @b: the block; its last instruction is in that function
 * @carried: set to how many of its instructions the new build has
 *
 * Where the new build has other branches between the first instruction and the last, the block
 * becomes several.
 *
 * Return: 0 or -ENOMEM.
 */
int carry_block(struct code_walk *walk, const struct carry_pair *pair, uint32_t first,
		const struct count_block *b, uint32_t *carried);

#endif /* CSF_CARRY_BLOCK_H */
