// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "code-walk.h"

/* The longest run of instructions without an atom: real code is shorter. */
#define STRAIGHT_MAX	(1u << 16)

static uint32_t half(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

/* Reads the instruction at @addr.  Return: there is one. */
static bool read_insn(const struct code_walk *w, uint64_t addr, struct csf_insn *insn)
{
	const struct elf_segment *s = elf_segment_find(w->elf, addr);
	const uint64_t left = s ? s->size - (addr - s->addr) : 0;
	const uint8_t *p = s ? w->elf->bytes + s->offset + (addr - s->addr) : NULL;
	uint32_t opcode;

	if (left < (w->isa == CSF_T32 ? 2 : 4))
		return false;
	if (w->isa == CSF_T32) {
		opcode = half(p);
		if (opcode >> 11 >= 0x1d) {
			if (left < 4)
				return false;
			opcode = opcode << 16 | half(p + 2);
		}
	} else {
		opcode = half(p) | half(p + 2) << 16;
	}
	csf_insn(insn, opcode, addr, w->isa, 0);
	return true;
}

uint64_t code_walk_offset(const struct code_walk *w, const struct elf_segment *s, uint64_t addr)
{
	const bool addresses = w->kind == DSO_KERNEL || w->elf->is_module;

	return addresses ? addr : s->offset + (addr - s->addr);
}

uint8_t code_walk_isa(const struct elf_file *elf)
{
	/* e_machine: 183 is AArch64 */
	return half(elf->bytes + 18) == 183 ? CSF_A64 : CSF_A32;
}

int code_walk_block(struct code_walk *w, uint64_t count, struct count_block *b,
		    struct csf_insn *insn)
{
	const struct elf_segment *s = elf_segment_find(w->elf, w->addr);
	struct count_dso *d = &w->table->dso[w->dso];

	if (!s)
		return -ENOENT;
	*b = (struct count_block){ .start = code_walk_offset(w, s, w->addr), .isa = w->isa };
	for (unsigned int i = 0; i < STRAIGHT_MAX; i++) {
		if (!read_insn(w, w->addr, insn))
			return -ENOENT;
		b->kind = insn->kind;
		b->flags = insn->flags;
		b->last_size = insn->size;
		b->size += insn->size;
		b->n_insn++;
		w->addr += insn->size;
		if (insn->flags & CSF_FLAG_P0)
			return 0;
		if (w->end && w->addr >= w->end) {
			b->flags |= CSF_FLAG_CUT;
			return 0;
		}
		if (b->n_insn < COUNT_SIZE_MAX / 4)
			continue;
		b->flags |= CSF_FLAG_CUT;
		b->passed = count;
		if (count_block_add(d, b))
			return -ENOMEM;
		*b = (struct count_block){ .start = b->start + b->size, .isa = w->isa };
	}
	return -ENOENT;
}

void code_walk_target(const struct code_walk *w, const struct csf_insn *insn,
		      struct count_block *b)
{
	const struct elf_segment *s;

	if (insn->kind != CSF_INSN_BRANCH)
		return;
	s = elf_segment_find(w->elf, insn->target);
	b->direct = s;
	b->target = s ? code_walk_offset(w, s, insn->target) : 0;
}
