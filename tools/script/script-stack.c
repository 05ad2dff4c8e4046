// SPDX-License-Identifier: GPL-2.0-only
/* Call chains and last branches as text; widths are perf's. */
#include "../lib/terminal.h"
#include "script-parts.h"

static struct where at(const struct cs_sample *sample, uint64_t addr)
{
	return (struct where){ addr, sample->from.map_time, sample->from.space };
}

/* ---------------------------------------------------------------- last branches */

static void branch_dso(struct script_print *p, const struct code_place *place)
{
	out_room(p->out, 64);
	if (!p->old)
		out_char(p->out, ' ');
	script_dso(p, place);
}

/* "0x4005d0 (/a.out)" */
static void branch_addr(struct script_print *p, const struct where *w, uint32_t fields)
{
	struct code_place place;

	out_room(p->out, 64);
	out_text(p->out, "0x");
	out_hex(p->out, w->addr);
	if (!(fields & SCRIPT_DSO))
		return;
	script_look(p, w, &place);
	branch_dso(p, &place);
}

/* "main+0x10 (/a.out)" */
static void branch_symbol(struct script_print *p, const struct where *w, uint32_t fields)
{
	struct code_place place;

	script_look(p, w, &place);
	script_symbol(p, &place, true);
	if (fields & SCRIPT_DSO)
		branch_dso(p, &place);
}

static void branch_end(struct script_print *p, const struct where *w, uint32_t fields)
{
	const uint32_t what = SCRIPT_TEXT_BRANCH | (fields & SCRIPT_DSO);

	if (!(fields & SCRIPT_BRSTACK))
		script_once(p, w, what | SCRIPT_SYM, branch_symbol);
	else if (fields & SCRIPT_DSO)
		script_once(p, w, what, branch_addr);
	else
		branch_addr(p, w, what);
}

static void print_branch(struct script_print *p, const struct cs_sample *sample,
			 const struct call_branch *b, uint32_t fields)
{
	const struct where from = at(sample, b->from), to = at(sample, b->to);

	out_room(p->out, 64);
	if (fields & SCRIPT_BRSTACK)
		out_char(p->out, ' ');
	branch_end(p, &from, fields);
	out_room(p->out, 64);
	out_char(p->out, '/');
	branch_end(p, &to, fields);
	out_room(p->out, 64);
	out_text(p->out, "/P/");
	out_char(p->out, b->flags & CS_FLAG_IN_TX ? 'X' : '-');
	out_char(p->out, '/');
	out_char(p->out, b->flags & CS_FLAG_TX_ABORT ? 'A' : '-');
	/* cycles, kind of branch, speculation: all unknown */
	out_text(p->out, p->old ? "/0/ " : "/0//- ");
}

/* Prints a branch of the current world as before. */
static bool branch_again(struct script_print *p, struct call_branch *b)
{
	const struct line_cache *known = p->known;
	const struct line_text *t;
	struct out *out = p->out;

	if (!b->text) {
		t = line_cache_find(known, b->key_from, b->key_to, p->world | SCRIPT_TEXT_MOVE);
		if (!t)
			return false;
		b->text = (const char *)t - known->text;
	}
	t = (const struct line_text *)(known->text + b->text);
	out_room(out, LINE_MAX + LINE_PIECE);
	out->n = line_copy(out->buf + out->n, t->text, t->n) - out->buf;
	return true;
}

static void branch_keep(struct script_print *p, const struct call_branch *b, uint64_t mark)
{
	const struct line_slot key = { .from = b->key_from, .to = b->key_to,
				       .world = p->world | SCRIPT_TEXT_MOVE };
	const uint64_t n = script_mark(p) - mark;

	/* a part may be written already */
	if (n <= LINE_MAX && n <= p->out->n)
		line_cache_add(p->known, &key, p->out->buf + p->out->n - n, n);
}

void script_branches(struct script_print *p, const struct cs_sample *sample, uint32_t fields)
{
	const struct where here = at(sample, sample->ip);
	const bool is_kept = script_is_kept(p, &here);
	struct call_branch *b;

	for (unsigned int i = 0; p->stack && (b = call_stack_branch(p->stack, i)); i++) {
		const bool keeps = is_kept && b->stamp == line_cache_stamp(p->known, p->world);
		uint64_t mark;

		if (keeps && branch_again(p, b))
			continue;
		mark = script_mark(p);
		print_branch(p, sample, b, fields);
		/* kept texts may have been forgotten in between */
		if (keeps && b->stamp == line_cache_stamp(p->known, p->world))
			branch_keep(p, b, mark);
	}
}

/* ---------------------------------------------------------------- call chains */

static void chain_ip(struct script_print *p, const struct where *w)
{
	out_room(p->out, 64);
	out_char(p->out, '\t');
	script_blanks(p->out, 16 - out_width(w->addr));
	out_hex(p->out, w->addr);
}

/* The offset is that of the function around them. */
static void print_inlined(struct script_print *p, const struct where *w, uint32_t what)
{
	struct perf_code *code = &p->replay->tasks->code;
	const struct elf_inlined *in;
	struct code_place place;
	struct elf_symbol symbol;
	uint64_t n;

	script_look(p, w, &place);
	in = place.dso ? perf_code_inlined(code, &place, &n) : NULL;
	if (!in || !perf_code_symbol(code, &place, &symbol))
		return;
	for (; in; in = in->outer) {
		chain_ip(p, w);
		out_char(p->out, ' ');
		script_text(p, in->function->name);
		out_room(p->out, 64);
		if (what & SCRIPT_SYMOFF) {
			out_text(p->out, "+0x");
			out_hex(p->out, place.addr - symbol.addr);
		}
		out_text(p->out, " (inlined)\n");
	}
}

void script_chain(struct script_print *p, const struct cs_sample *sample, uint32_t fields)
{
	size_t n = call_stack_chain(p->stack, sample->ip, p->chain, p->chain_max);

	out_room(p->out, 64);
	out_char(p->out, '\n');
	for (size_t i = 0; i < n; i++) {
		const struct where w = at(sample, p->chain[i]);

		if (p->inlines && fields & SCRIPT_SYM)
			script_once(p, &w, SCRIPT_TEXT_INLINED | (fields & SCRIPT_NAMES),
				    print_inlined);
		chain_ip(p, &w);
		script_place(p, &w, fields);
		out_room(p->out, 64);
		out_char(p->out, '\n');
	}
}

static bool is_call(uint32_t flags)
{
	return flags & (CS_FLAG_CALL | CS_FLAG_TRACE_BEGIN);
}

static bool is_return(uint32_t flags)
{
	return flags & (CS_FLAG_RETURN | CS_FLAG_TRACE_END);
}

/* perf aligns the following text to columns of 32, and goes back only with much room. */
static void line_up(struct script_print *p, size_t len)
{
	if (len > p->spacing || (len && len + 52 < p->spacing))
		p->spacing = (len + 4 + 31) & ~(size_t)31;
	while (len < p->spacing) {
		const size_t part = p->spacing - len < 1024 ? p->spacing - len : 1024;

		script_blanks(p->out, part);
		len += part;
	}
}

static void print_called(struct script_print *p, const struct where *w, uint32_t fields)
{
	struct code_place place;
	struct elf_symbol symbol;

	script_look(p, w, &place);
	if (place.dso && perf_code_symbol(&p->replay->tasks->code, &place, &symbol)) {
		script_text(p, symbol.name);
		return;
	}
	script_blanks(p->out, 16 - out_width(w->addr));
	out_hex(p->out, w->addr);
}

/* Return: the length of its text. */
static size_t symbol_or_addr(struct script_print *p, const struct where *w, size_t depth)
{
	const uint64_t mark = script_mark(p);

	if (!w->addr)
		return 0;
	script_blanks(p->out, depth);
	script_once(p, w, SCRIPT_TEXT_CALLED, print_called);
	return script_mark(p) - mark;
}

static void print_dso(struct script_print *p, const struct where *w,
		      __attribute__((unused)) uint32_t what)
{
	struct code_place place;

	script_look(p, w, &place);
	script_dso(p, &place);
}

void script_indent(struct script_print *p, const struct cs_sample *sample, uint32_t fields)
{
	const struct where from = at(sample, sample->ip);
	const struct where to = { sample->addr, sample->to.map_time, sample->to.space };
	size_t depth = p->stack ? p->stack->n : 0, len = 0;

	if (fields & SCRIPT_DSO && !(fields & (SCRIPT_IP | SCRIPT_ADDR))) {
		script_once(p, &from, SCRIPT_TEXT_DSO, print_dso);
		out_room(p->out, 64);
		out_char(p->out, '\t');
	}
	/* a return is already off the stack */
	if (sample->flags & CS_FLAG_RETURN)
		depth++;
	if (depth > 256)
		depth = 256;
	/* a call and its return have the same colour */
	out_room(p->out, 64);
	if (is_call(sample->flags) || is_return(sample->flags))
		out_text(p->out, terminal_colour(COLOUR_RED + depth % (COLOUR_NR - COLOUR_RED)));
	if (is_call(sample->flags))
		len = symbol_or_addr(p, &to, 4 * depth);
	else if (is_return(sample->flags))
		len = symbol_or_addr(p, &from, 4 * depth);
	out_room(p->out, 64);
	if (is_call(sample->flags) || is_return(sample->flags))
		out_text(p->out, terminal_colour(COLOUR_NONE));
	line_up(p, len);
}
