// SPDX-License-Identifier: GPL-2.0-only
#include "sample-parts.h"

void sample_read_last(struct cs_samples *it, struct cs_sample *sample, uint32_t block)
{
	struct cs_cell *cell = &it->blocks.cell[block];
	const struct cs_task *at = &sample->from;

	if (!(cell->bits & CELL_BYTES)) {
		if (csf_image_read(it->image, at->space, sample->ip, at->map_time, cell->insn,
				   cell->last_size) != cell->last_size)
			return;
		cell->bits |= CELL_BYTES;
	}
	memcpy(sample->insn, cell->insn, sizeof(sample->insn));
	sample->insn_len = cell->last_size;
	sample->isa = cell->isa;
}

size_t sample_code(struct cs_samples *it, uint64_t addr, size_t n, const uint8_t **p)
{
	const struct cs_task *at = &it->task;
	uint64_t in = addr - it->code_addr;

	if (in >= it->code_n || it->code_n - in < n) {
		it->code_addr = addr;
		it->code_n = csf_image_read(it->image, at->space, addr, at->map_time, it->code,
					    sizeof(it->code));
		in = 0;
	}
	*p = it->code + in;
	return n < it->code_n - in ? n : it->code_n - in;
}

unsigned int sample_insn_size(struct cs_samples *it, uint64_t addr, uint8_t isa)
{
	const uint8_t *p;

	if (isa != CSF_T32)
		return 4;
	return sample_code(it, addr, 2, &p) == 2 && p[1] >> 3 >= 0x1d ? 4 : 2;
}

bool sample_after_svc(struct cs_samples *it, uint32_t block)
{
	struct cs_cell *cell = &it->blocks.cell[block];
	const unsigned int size = cell->isa == CSF_T32 ? 2 : 4;
	const uint64_t addr = addr_of_block(it, block) - size;
	struct csf_insn insn;
	const uint8_t *b;

	if (cell->bits & CELL_LOOKED)
		return cell->bits & CELL_AFTER_SVC;
	if (sample_code(it, addr, size, &b) == size) {
		csf_insn(&insn, size == 2 ? b[0] | b[1] << 8 :
			 b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24, addr, cell->isa, 0);
		if (insn.kind == CSF_INSN_EXCEPTION && insn.flags & CSF_FLAG_SVC)
			cell->bits |= CELL_AFTER_SVC;
	}
	cell->bits |= CELL_LOOKED;
	return cell->bits & CELL_AFTER_SVC;
}
