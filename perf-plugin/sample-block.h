/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties of blocks for samples, looked up once for each block: see struct cs_blocks. */
#ifndef CSF_SAMPLE_BLOCK_H
#define CSF_SAMPLE_BLOCK_H

#include "perf-sample.h"

/* cs_blocks.info, and CS_INFO_BRANCH_BIT */
#define INFO_INSNS	0x07ff
#define INFO_CALL_BIT	14	/* likewise, and that is a call or a return */

/* struct cs_cell.bits */
#define CELL_DIRECT	0x01	/* a direct branch */
#define CELL_SVC	0x02	/* its last instruction is SVC */
#define CELL_BYTES	0x04	/* @insn is set */
#define CELL_LOOKED	0x08	/* CELL_AFTER_SVC is known */
#define CELL_AFTER_SVC	0x10	/* the instruction before it is SVC */
#define CELL_RETURN	0x20	/* a return by its form */
#define CELL_JUMP	0x40	/* BR: stock perf says that it is a return */

/**
 * struct cs_cell - the properties of one block
 * @offset: offset of the block in @section
 * @last: offset of its last instruction, in bytes from the start
 * @flags: CS_FLAG_x of that instruction, if it is taken
 * @last_size: size of that instruction in bytes
 * @isa: enum csf_isa
 * @bits: CELL_x
 * @insn: the bytes of that instruction
 */
struct cs_cell {
	int64_t offset;
	uint32_t section;
	uint32_t last;
	uint16_t flags;
	uint8_t last_size;
	uint8_t isa;
	uint8_t bits;
	uint8_t insn[4];
};

/* Adds the new blocks of @image.  Return: 0, or CSF_ERR_MEMORY. */
int sample_blocks_grow(struct cs_blocks *blocks, const struct csf_image *image);
void sample_blocks_fini(struct cs_blocks *blocks);

#endif /* CSF_SAMPLE_BLOCK_H */
