// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "insn.h"

/* Alignment of instructions: the least of all instruction sets. */
#define STEP	2

/* A function of a line, or of a line without a function, has no more code than this. */
#define LINE_MAX_BYTES	4096

bool code_read(struct csf_image *image, const struct code_at *at, enum csf_isa isa,
	       struct code_insn *insn)
{
	uint8_t b[4] = { 0 };
	size_t n = csf_image_read(image, at->space, at->addr, at->time, b, sizeof(b));
	const uint32_t first = b[0] | b[1] << 8, second = b[2] | b[3] << 8;
	const bool wide = isa != CSF_T32 || first >= 0xe800;

	*insn = (struct code_insn){ .size = wide ? 4 : 2 };
	if (isa != CSF_T32)
		insn->opcode = first | second << 16;
	else
		insn->opcode = wide ? first << 16 | second : first;
	return n >= insn->size;
}

bool code_insn(struct csf_image *image, const struct code_at *at, const struct csf_block *block,
	       uint32_t i, struct code_insn *insn)
{
	struct code_at here = *at;
	bool known = true;
	uint32_t offset = 0;

	if (block->isa != CSF_T32) {
		here.addr += 4 * i;
		known = code_read(image, &here, block->isa, insn);
		insn->offset = 4 * i;
		return known;
	}
	for (;; i--) {
		here.addr = at->addr + offset;
		known = code_read(image, &here, block->isa, insn) && known;
		if (!i)
			break;
		offset += insn->size;
	}
	insn->offset = offset;
	return known;
}

void code_where(struct perf_code *code, uint32_t section, uint64_t offset, struct code_where *where)
{
	struct code_place place;
	struct elf_symbol symbol;
	struct elf_line line;

	*where = (struct code_where){ 0 };
	if (!perf_code_place(code, section, offset, &place))
		return;
	where->dso = place.dso;
	if (perf_code_symbol(code, &place, &symbol)) {
		/* with the symbol the file is loaded, and the address known */
		perf_code_place(code, section, offset, &place);
		where->symbol = symbol.name;
		where->start = offset - (place.addr - symbol.addr);
		where->size = symbol.size;
	}
	where->addr = place.has_addr ? place.addr : offset;
	if (perf_code_line(code, &place, &line)) {
		where->file = line.file;
		where->line = line.line;
	}
}

static bool same_line(struct perf_code *code, uint32_t section, uint64_t offset,
		      const struct elf_line *line)
{
	struct code_place place;
	struct elf_line other;

	return perf_code_place(code, section, offset, &place) &&
	       perf_code_line(code, &place, &other) && other.line == line->line &&
	       !strcmp(other.file, line->file);
}

uint64_t code_line_start(struct perf_code *code, uint32_t section, uint64_t offset)
{
	struct code_where where;
	struct code_place place;
	struct elf_line line;
	uint64_t first;

	code_where(code, section, offset, &where);
	if (!perf_code_place(code, section, offset, &place) || !perf_code_line(code, &place, &line))
		return offset;
	first = where.symbol && where.start >= 0 ? (uint64_t)where.start : 0;
	if (offset - first > LINE_MAX_BYTES)
		first = offset - LINE_MAX_BYTES;
	while (offset >= first + STEP && same_line(code, section, offset - STEP, &line))
		offset -= STEP;
	return offset;
}
