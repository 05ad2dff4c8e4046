// SPDX-License-Identifier: GPL-2.0-only
/* Instructions between the last branches, as perf prints them if it cannot disassemble. */
#include <inttypes.h>

#include "script-parts.h"

/* The longest block; perf prints nothing of a longer one. */
#define BLOCK_MAX	16384

/* @symbol: of the previous instruction; @symbol.name NULL: none */
struct insns {
	struct script_print *p;
	const struct cs_sample *sample;
	struct elf_symbol symbol;
};

static void put_symbol(struct insns *x, uint64_t addr)
{
	const struct where w = { addr, x->sample->from.map_time, x->sample->from.space };
	struct perf_code *code = &x->p->replay->tasks->code;
	struct elf_symbol symbol;
	struct code_place place;
	char offset[24] = "";

	script_look(x->p, &w, &place);
	if (!place.dso || !perf_code_symbol(code, &place, &symbol))
		return;
	if (x->symbol.name && x->symbol.addr == symbol.addr &&
	    !strcmp(x->symbol.name, symbol.name))
		return;
	x->symbol = symbol;
	/* has_addr may come with the symbol */
	perf_code_place(code, place.section, place.offset, &place);
	if (place.addr != symbol.addr)
		snprintf(offset, sizeof(offset), "+%" PRIu64, place.addr - symbol.addr);
	script_text(x->p, "\t");
	script_text(x->p, symbol.name);
	script_text(x->p, offset);
	script_text(x->p, ":\n");
}

/* @branch: the branch at @addr; NULL: none.  Return: its code is known. */
static bool put_insn(struct insns *x, uint64_t addr, const struct call_branch *branch)
{
	const struct cs_task *from = &x->sample->from;
	char text[32] = "?", line[96];
	uint8_t bytes[4];
	/* the instruction set of AArch32 is not kept */
	bool known = from->context.bits64 &&
		     csf_image_read(x->p->replay->image, from->space, addr, from->map_time, bytes,
				    sizeof(bytes)) == sizeof(bytes);

	put_symbol(x, addr);
	if (known)
		snprintf(text, sizeof(text), "insn: %02x %02x %02x %02x ", bytes[0], bytes[1],
			 bytes[2], bytes[3]);
	if (branch)
		snprintf(line, sizeof(line), "\t%016" PRIx64 "\t%-30s\t# PRED%s%s\n", addr, text,
			 branch->flags & CS_FLAG_IN_TX ? " INTX" : "",
			 branch->flags & CS_FLAG_TX_ABORT ? " ABORT" : "");
	else
		snprintf(line, sizeof(line), "\t%016" PRIx64 "\t%s\n", addr, text);
	script_text(x->p, line);
	return known;
}

/* From @start to the instruction at @end. */
static void put_block(struct insns *x, uint64_t start, uint64_t end,
		      const struct call_branch *branch)
{
	const bool a64 = x->sample->from.context.bits64;

	if (end < start || end - start > BLOCK_MAX || (a64 && (end - start) & 3)) {
		script_text(x->p, "\tmismatch of branches and code\n");
		start = end;
	}
	while (start < end && put_insn(x, start, NULL))
		start += 4;
	put_insn(x, end, branch);
}

void script_branch_insns(struct script_print *p, const struct cs_sample *sample)
{
	struct insns x = { .p = p, .sample = sample };
	const struct call_branch *b, *last = NULL;
	unsigned int n = 0;

	while (p->stack && call_stack_branch(p->stack, n))
		n++;
	if (!n)
		return;
	script_text(p, "\n");
	while (n--) {
		b = call_stack_branch(p->stack, n);
		put_block(&x, last ? last->to : b->from, b->from, b);
		last = b;
	}
	/* a sample comes before its own branch: the last one led to the code at @ip */
	put_block(&x, last->to, sample->ip, NULL);
}
