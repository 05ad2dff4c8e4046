// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions as text.  The text depends on the code at its address only, and not on what ran
 * before, so that it is the same with --time, with other samples, and after an interrupt.
 */
#include "../code/it-block.h"
#include "script-parts.h"

/* The bytes before an instruction of T32 that are read: an IT block has up to 18. */
#define BEFORE		64

static uint32_t half(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

/* The code before the sample, of its own function.  *@whole: it begins with the function. */
static size_t read_before(struct script_print *p, const struct cs_sample *sample,
			  uint8_t code[BEFORE], bool *whole)
{
	const struct where w = { sample->ip, sample->from.map_time, sample->from.space };
	struct perf_code *perf = &p->replay->tasks->code;
	struct elf_symbol symbol;
	struct code_place place;
	uint64_t n = BEFORE;

	script_look(p, &w, &place);
	*whole = place.dso && perf_code_symbol(perf, &place, &symbol) &&
		 perf_code_place(perf, place.section, place.offset, &place) &&
		 place.addr - symbol.addr <= n;
	if (*whole)
		n = (place.addr - symbol.addr) & ~1ull;
	if (n > sample->ip)
		n = sample->ip & ~1ull;
	return csf_image_read(p->replay->image, w.space, w.addr - n, w.time, code, n) == n ? n : 0;
}

static uint8_t it_state(struct script_print *p, const struct cs_sample *sample)
{
	uint8_t code[BEFORE];
	bool whole;
	const size_t n = read_before(p, sample, code, &whole);

	return it_block_after(code, n, whole);
}

void script_disasm(struct script_print *p, const struct cs_sample *sample)
{
	const uint8_t *b = sample->insn;
	const uint32_t first = half(b), second = sample->insn_len == 4 ? half(b + 2) : 0;
	struct disasm_code c = {
		.isa = sample->isa, .size = sample->insn_len, .pc = sample->ip,
		.opcode = first | second << 16,
	};
	const char *text;

	if (c.isa == CSF_T32) {
		c.it = it_state(p, sample);
		if (c.size == 4)
			c.opcode = first << 16 | second;
	}
	text = disasm_code(p->dis, &c);
	if (*text)
		script_text(p, text);
	else
		script_bytes(p, sample);
}
