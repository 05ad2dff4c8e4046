// SPDX-License-Identifier: GPL-2.0-only
/* Code as the walker reads it: one instruction at a time, looked up anew each time. */
#include "walker-parts.h"

#define PIECE_INSN_MAX	1024	/* instructions of a block */

enum csf_isa code_isa(const struct walker *w, bool is1)
{
	if (w->ctx.bits64)
		return CSF_A64;
	return is1 ? CSF_T32 : CSF_A32;
}

uint64_t code_wrap(const struct walker *w, uint64_t addr)
{
	return w->ctx.known && !w->ctx.bits64 ? (uint32_t)addr : addr;
}

static const struct walker_map *find_in(const struct walker *w, int space, uint64_t addr)
{
	for (size_t i = w->image->n; i--; ) {
		const struct walker_map *map = &w->image->map[i];

		if (map->space == space && addr - map->addr < map->n && w->time >= map->from &&
		    (w->time < map->until || map->until == UINT64_MAX))
			return map->code ? map : NULL;
	}
	return NULL;
}

static const struct walker_map *find(const struct walker *w, uint64_t addr)
{
	const struct walker_map *map = find_in(w, w->space, addr);

	return map || w->space == CSF_SPACE_ALL ? map : find_in(w, CSF_SPACE_ALL, addr);
}

static bool halfword(const struct walker *w, uint64_t addr, const struct walker_map *in,
		     uint32_t *value)
{
	uint32_t v = 0;

	for (int i = 0; i < 2; i++) {
		const struct walker_map *map = find(w, addr + i);

		if (!map || map->section != in->section || map->base != in->base)
			return false;
		v |= (uint32_t)map->code[addr + i - map->addr] << (8 * i);
	}
	*value = v;
	return true;
}

static const struct walker_map *find_opcode(const struct walker *w, uint64_t addr, bool is1,
					    uint32_t *opcode)
{
	const struct walker_map *map = find(w, addr);
	enum csf_isa isa = code_isa(w, is1);
	uint32_t low, high;

	if (!map || (isa != CSF_T32 && addr & 3) || !halfword(w, addr, map, &low))
		return NULL;
	if (isa != CSF_T32) {
		if (!halfword(w, addr + 2, map, &high))
			return NULL;
		low |= high << 16;
	} else if (low >> 11 >= 0x1d) {
		if (!halfword(w, addr + 2, map, &high))
			return NULL;
		low = low << 16 | high;
	}
	*opcode = low;
	return map;
}

static const struct walker_map *find_insn(const struct walker *w, uint64_t addr, bool is1,
					  struct csf_insn *insn)
{
	uint32_t opcode;
	const struct walker_map *map = find_opcode(w, addr, is1, &opcode);

	if (map)
		csf_insn(insn, opcode, addr, code_isa(w, is1), w->rule);
	return map;
}

enum stop code_walk(const struct walker *w, uint64_t addr, const struct bounds *bounds,
		    struct piece *p)
{
	const struct walker_map *first = NULL;

	*p = (struct piece){ .addr = addr, .next = addr };
	for (;;) {
		const struct walker_map *map;
		struct csf_insn insn;

		if (bounds->has_until && p->next >= bounds->until)
			return STOP_UNTIL;
		if (p->n >= bounds->n_max)
			return STOP_COUNT;
		if (p->n == PIECE_INSN_MAX)
			return STOP_FULL;
		map = find_insn(w, p->next, w->is1, &insn);
		if (!map)
			return STOP_HOLE;
		if (!first)
			first = map;
		if (map->section != first->section || map->base != first->base)
			return STOP_SECTION;

		p->n++;
		p->last = insn;
		p->last_addr = p->next;
		p->next = code_wrap(w, p->next + insn.size);
		if (insn.flags & CSF_FLAG_P0)
			return STOP_P0;
		if (p->next < p->addr)		/* wrapped around */
			return STOP_FULL;
	}
}

bool code_fetch(const struct walker *w, uint64_t addr, bool is1, struct csf_insn *insn)
{
	return find_insn(w, addr, is1, insn);
}

bool code_opcode(const struct walker *w, uint64_t addr, bool is1, uint32_t *opcode)
{
	return find_opcode(w, addr, is1, opcode);
}
