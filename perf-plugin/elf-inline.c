// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source: DWARF 5, 2.17, 2.18 and 3.3.8; for DW_AT_GNU_discriminator, the output of compilers: that
 * of a call.  libdw follows references into other units and files.
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "demangle.h"
#include "elf-inline.h"
#include "hash.h"
#include "lower-bound.h"

#ifndef DW_AT_GNU_discriminator
#define DW_AT_GNU_discriminator	0x2136
#endif

/* The depth up to which entries are read. */
#define DEPTH_MAX	256

/* Addresses of something with a number, from 1. */
struct span {
	uint64_t start, end;
	uint32_t number;
};

/* Zero is empty. */
struct spans {
	struct span *span;
	size_t n, size;
};

/* From @start up to the next one; @number 0: nothing is there. */
struct piece {
	uint64_t start;
	uint32_t number;
};

/* Zero is empty.  @piece: @n of them, sorted, without holes. */
struct pieces {
	struct piece *piece;
	size_t n;
};

/* A function with code of its own; all that is inlined in it, by number from 1. */
struct body {
	Dwarf_Die die;
	struct elf_inlined *inlined;
	uint32_t *outer;
	size_t n, size;
	struct pieces pieces;
	bool read;
};

/* @body: by number from 1 */
struct inline_unit {
	struct body *body;
	size_t n, size;
	struct pieces pieces;
	bool read;
};

/* An entry for a function of the source: @addr in memory. */
struct origin {
	const void *addr;
	uint32_t function;
};

/**
 * struct elf_inlines - of a file
 * @unit: by number
 * @origin: @n_origin of them; @by_addr finds them: index + 1
 * @function: @n_function of them, with numbers from 1; @by_id finds them
 */
struct elf_inlines {
	const struct elf_dwarf *dwarf;
	struct elf_lines *lines;
	struct inline_unit *unit;
	struct origin *origin;
	size_t n_origin, size_origin;
	struct hash_table by_addr;
	struct elf_function **function;
	size_t n_function, size_function;
	struct hash_table by_id;
};

/* ---------------------------------------------------------------- spans */

static bool add_span(struct spans *s, uint64_t start, uint64_t end, uint32_t number)
{
	if (end <= start)
		return true;
	if (!array_room(&s->span, s->n, &s->size, sizeof(*s->span)))
		return false;
	s->span[s->n++] = (struct span){ start, end, number };
	return true;
}

/* Adds all addresses of @die. */
static bool add_ranges(struct spans *s, Dwarf_Die *die, uint32_t number)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (!add_span(s, start, end, number))
			return false;
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* The first piece from @i on that has no number yet; later ones that are known are skipped. */
static uint32_t next_free(uint32_t *next, uint32_t i)
{
	while (next[i] != i) {
		next[i] = next[next[i]];
		i = next[i];
	}
	return i;
}

/* Gives each piece the number of the last span that has it. */
static void fill_pieces(struct pieces *p, const struct spans *s, uint32_t *next)
{
	for (size_t i = s->n; i-- > 0;) {
		const struct span *span = &s->span[i];
		uint32_t at = LOWER_BOUND(p->n, k, p->piece[k].start < span->start);

		for (at = next_free(next, at); p->piece[at].start < span->end;
		     at = next_free(next, at)) {
			p->piece[at].number = span->number;
			next[at] = at + 1;
		}
	}
}

/*
 * Cuts addresses where spans begin and end.  Of spans that overlap, the last has the addresses:
 * inner ones come after outer ones.  Return: false: no memory.
 */
static bool cut_spans(struct pieces *p, const struct spans *s)
{
	uint32_t *next = calloc(2 * s->n + 1, sizeof(*next));
	size_t n = 0;

	p->piece = calloc(2 * s->n + 1, sizeof(*p->piece));
	if (!p->piece || !next) {
		free(next);
		return false;
	}
	for (size_t i = 0; i < s->n; i++) {
		p->piece[n++].start = s->span[i].start;
		p->piece[n++].start = s->span[i].end;
	}
	if (n)
		qsort(p->piece, n, sizeof(*p->piece), by_start);
	for (size_t i = 0; i < n; i++)
		if (!p->n || p->piece[p->n - 1].start != p->piece[i].start)
			p->piece[p->n++] = p->piece[i];
	for (size_t i = 0; i < p->n; i++)
		next[i] = i;
	fill_pieces(p, s, next);
	free(next);
	return true;
}

/* The number at @addr; @range is cut to the addresses that have it, too. */
static uint32_t piece_at(const struct pieces *p, uint64_t addr, struct elf_range *range)
{
	const size_t next = LOWER_BOUND(p->n, i, p->piece[i].start <= addr);

	if (next && range->start < p->piece[next - 1].start)
		range->start = p->piece[next - 1].start;
	if (next < p->n && range->end > p->piece[next].start)
		range->end = p->piece[next].start;
	return next ? p->piece[next - 1].number : 0;
}

/* ---------------------------------------------------------------- functions of the source */

static const char *string_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	const char *text = dwarf_formstring(dwarf_attr_integrate(die, name, &attr));

	return text && *text ? text : NULL;
}

static int number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr_integrate(die, name, &attr), &value) ||
	       value > INT32_MAX ? 0 : value;
}

/* The linker's name, or that of the source; NULL: it has none. */
static const char *name_of(Dwarf_Die *die)
{
	static const unsigned int names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
					      DW_AT_name };
	const char *name = NULL;

	for (int i = 0; i < 3 && !name; i++)
		name = string_of(die, names[i]);
	return name;
}

/* The file that attribute @name numbers, in the unit that has the attribute. */
static const char *file_of(const struct elf_inlines *in, Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	Dwarf_Die unit;

	if (dwarf_formudata(dwarf_attr_integrate(die, name, &attr), &value) ||
	    value > UINT32_MAX ||
	    !dwarf_cu_die(attr.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL))
		return NULL;
	return elf_lines_file(in->lines, &unit, value);
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = hash_mix(hash, (uint8_t)*text);
	return hash_mix(hash, 0x100);
}

static bool find_function(struct elf_inlines *in, const struct elf_function *key, uint32_t *number)
{
	struct elf_function *f;
	uint32_t *slot;
	char *plain, *marked;

	if (!array_room(&in->function, in->n_function, &in->size_function,
			sizeof(*in->function)) ||
	    !HASH_ROOM(&in->by_id, in->n_function, 1, i, in->function[i - 1]->id))
		return false;
	slot = HASH_SLOT(&in->by_id, key->id, i, in->function[i - 1]->id == key->id);
	*number = *slot;
	if (*slot)
		return true;
	f = malloc(sizeof(*f));
	if (!f)
		return false;
	*f = *key;
	plain = demangle(key->linkage);
	f->name = plain ? plain : key->linkage;
	if (asprintf(&marked, "%s (inlined)", f->name) < 0) {
		free(plain);
		free(f);
		return false;
	}
	f->marked = marked;
	in->function[in->n_function] = f;
	*number = *slot = ++in->n_function;
	return true;
}

/* Reads the function of @die.  Return: false: no memory; @number 0: it has no name. */
static bool read_function(struct elf_inlines *in, Dwarf_Die *die, uint32_t *number)
{
	struct elf_function key = {
		.linkage = name_of(die), .line = number_of(die, DW_AT_decl_line),
	};

	*number = 0;
	if (!key.linkage)
		return true;
	key.file = file_of(in, die, DW_AT_decl_file);
	key.id = mix_text(mix_text(hash_mix(0, key.line), key.linkage), key.file) | 1ull << 63;
	return find_function(in, &key, number);
}

/* The function that @die, code of it, stands for. */
static bool function_of(struct elf_inlines *in, Dwarf_Die *die, uint32_t *number)
{
	Dwarf_Attribute attr;
	Dwarf_Die from;
	uint32_t *slot;

	if (!dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attr), &from))
		return read_function(in, die, number);
	if (!array_room(&in->origin, in->n_origin, &in->size_origin, sizeof(*in->origin)) ||
	    !HASH_ROOM(&in->by_addr, in->n_origin, 1, i,
		       hash_mix(0, (uintptr_t)in->origin[i - 1].addr)))
		return false;
	slot = HASH_SLOT(&in->by_addr, hash_mix(0, (uintptr_t)from.addr), i,
			 in->origin[i - 1].addr == from.addr);
	if (!*slot) {
		if (!read_function(in, &from, number))
			return false;
		in->origin[in->n_origin] = (struct origin){ from.addr, *number };
		*slot = ++in->n_origin;
	}
	*number = in->origin[*slot - 1].function;
	return true;
}

/* ---------------------------------------------------------------- bodies */

/* A function without an address of entry begins with the first address that it has. */
static uint64_t entry_of(Dwarf_Die *die)
{
	Dwarf_Addr base, start = 0, end;

	if (dwarf_entrypc(die, &start) && dwarf_ranges(die, 0, &base, &start, &end) <= 0)
		return 0;
	return start;
}

/* That of a call, of up to 32 bits.  The entry that @die refers to has none. */
static uint32_t discriminator_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, DW_AT_GNU_discriminator, &attr), &value) ? 0 : value;
}

static bool add_inlined(struct elf_inlines *in, struct body *body, Dwarf_Die *die, uint32_t outer)
{
	size_t size = body->size;
	uint32_t function;

	if (!function_of(in, die, &function) ||
	    !array_room(&body->outer, body->n, &size, sizeof(*body->outer)) ||
	    !array_room(&body->inlined, body->n, &body->size, sizeof(*body->inlined)))
		return false;
	body->outer[body->n] = outer;
	body->inlined[body->n++] = (struct elf_inlined){
		.function = function ? in->function[function - 1] : NULL,
		.depth = outer ? body->inlined[outer - 1].depth + 1 : 1,
		.call_file = file_of(in, die, DW_AT_call_file),
		.call_line = number_of(die, DW_AT_call_line),
		.call_discriminator = discriminator_of(die),
		.entry = entry_of(die),
	};
	return true;
}

/* Inner ones come after outer ones.  @outer: the number of that around @parent; 0: none. */
static bool add_children(struct elf_inlines *in, struct body *body, struct spans *spans,
			 Dwarf_Die *parent, uint32_t outer, int depth)
{
	Dwarf_Die die;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return true;
	do {
		uint32_t number = outer;

		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
			if (!add_inlined(in, body, &die, outer))
				return false;
			/* one without a name is a part of the outer one */
			if (!body->inlined[body->n - 1].function) {
				body->n--;
				break;
			}
			number = body->n;
			if (!add_ranges(spans, &die, number))
				return false;
			break;
		case DW_TAG_lexical_block:
			break;
		default:
			continue;
		}
		if (!add_children(in, body, spans, &die, number, depth + 1))
			return false;
	} while (!dwarf_siblingof(&die, &die));
	return true;
}

/* @shift: as in elf_inlines_find() */
static bool read_body(struct elf_inlines *in, struct body *body, uint64_t shift)
{
	struct spans spans = { 0 };
	bool ok = add_children(in, body, &spans, &body->die, 0, 0) &&
		  cut_spans(&body->pieces, &spans);

	free(spans.span);
	for (size_t i = 0; i < body->n; i++) {
		body->inlined[i].entry -= shift;
		if (body->outer[i])
			body->inlined[i].outer = &body->inlined[body->outer[i] - 1];
	}
	free(body->outer);
	body->outer = NULL;
	return ok;
}

/* ---------------------------------------------------------------- units */

/* Functions may be in others, in classes and name spaces. */
static bool add_bodies(struct inline_unit *u, struct spans *spans, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return true;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			if (!array_room(&u->body, u->n, &u->size, sizeof(*u->body)))
				return false;
			u->body[u->n++] = (struct body){ .die = die };
			if (!add_ranges(spans, &die, u->n))
				return false;
			break;
		case DW_TAG_namespace:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_lexical_block:
			break;
		default:
			continue;
		}
		if (!add_bodies(u, spans, &die, depth + 1))
			return false;
	} while (!dwarf_siblingof(&die, &die));
	return true;
}

/* Split DWARF has most of a unit in a file of its own. */
static Dwarf_Die *whole_unit(Dwarf_Die *unit, Dwarf_Die *split)
{
	uint8_t type;

	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, split, NULL, NULL, NULL) ||
	    type != DW_UT_skeleton || !split->cu)
		return unit;
	return split;
}

static bool read_unit(struct elf_inlines *in, size_t number)
{
	struct inline_unit *u = &in->unit[number];
	struct spans spans = { 0 };
	Dwarf_Die split = { 0 };
	bool ok = add_bodies(u, &spans, whole_unit(&in->dwarf->unit[number], &split), 0) &&
		  cut_spans(&u->pieces, &spans);

	free(spans.span);
	return ok;
}

/* ---------------------------------------------------------------- the file */

struct elf_inlines *elf_inlines_new(const struct elf_dwarf *dwarf, struct elf_lines *lines)
{
	struct elf_inlines *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	*in = (struct elf_inlines){ .dwarf = dwarf, .lines = lines };
	in->unit = calloc(dwarf->n_unit + 1, sizeof(*in->unit));
	if (in->unit)
		return in;
	free(in);
	return NULL;
}

static void free_unit(struct inline_unit *u)
{
	for (size_t i = 0; i < u->n; i++) {
		free(u->body[i].inlined);
		free(u->body[i].outer);
		free(u->body[i].pieces.piece);
	}
	free(u->body);
	free(u->pieces.piece);
}

void elf_inlines_free(struct elf_inlines *in)
{
	if (!in)
		return;
	for (size_t i = 0; i < in->dwarf->n_unit; i++)
		free_unit(&in->unit[i]);
	for (size_t i = 0; i < in->n_function; i++) {
		if (in->function[i]->name != in->function[i]->linkage)
			free((char *)in->function[i]->name);
		free((char *)in->function[i]->marked);
		free(in->function[i]);
	}
	free(in->unit);
	free(in->origin);
	free(in->by_addr.slot);
	free(in->function);
	free(in->by_id.slot);
	free(in);
}

/* Reads unit @number when it is first needed.  Return: false: no memory; it has nothing then. */
static bool open_unit(struct elf_inlines *in, size_t number)
{
	struct inline_unit *u = &in->unit[number];
	const bool ok = u->read || read_unit(in, number);

	u->read = true;
	if (!ok)
		u->pieces.n = 0;
	return ok;
}

/* The number of the body at @addr of a unit; 0: none. */
static uint32_t body_at(struct elf_inlines *in, size_t unit, uint64_t addr, struct elf_range *range)
{
	return open_unit(in, unit) ? piece_at(&in->unit[unit].pieces, addr, range) : 0;
}

const struct elf_function *elf_inlines_function(struct elf_inlines *in, uint64_t addr)
{
	struct elf_range range;
	const size_t unit = elf_dwarf_unit(in->dwarf, addr, &range);
	uint32_t number = unit != DWARF_NO_UNIT ? body_at(in, unit, addr, &range) : 0;

	if (!number || !function_of(in, &in->unit[unit].body[number - 1].die, &number) || !number)
		return NULL;
	return in->function[number - 1];
}

/* From addresses of the debug information around @at to those of the file around @addr. */
static void shift_range(struct elf_range *range, uint64_t at, uint64_t addr)
{
	const uint64_t before = at - range->start, after = range->end - at;

	range->start = before < addr ? addr - before : 0;
	range->end = after < UINT64_MAX - addr ? addr + after : UINT64_MAX;
}

const struct elf_inlined *elf_inlines_find(struct elf_inlines *in, uint64_t addr, uint64_t shift,
					   struct elf_range *range)
{
	const uint64_t at = addr + shift;
	const size_t unit = elf_dwarf_unit(in->dwarf, at, range);
	const uint32_t number = unit != DWARF_NO_UNIT ? body_at(in, unit, at, range) : 0;
	struct body *body = number ? &in->unit[unit].body[number - 1] : NULL;
	uint32_t inlined = 0;

	if (body && !body->read) {
		body->read = true;
		if (!read_body(in, body, shift))
			body->pieces.n = 0;
	}
	if (body)
		inlined = piece_at(&body->pieces, at, range);
	shift_range(range, at, addr);
	return inlined ? &body->inlined[inlined - 1] : NULL;
}

/* ---------------------------------------------------------------- all bodies */

/* Adds those of unit @number; if another unit has the same code, only where this one is found. */
static bool add_unit(struct elf_inlines *in, size_t number, struct elf_bodies *bodies)
{
	struct inline_unit *u = &in->unit[number];
	struct elf_range range;

	for (size_t i = 0; i + 1 < u->pieces.n; i++) {
		const struct piece *at = &u->pieces.piece[i];
		Dwarf_Die *die = at->number ? &u->body[at->number - 1].die : NULL;
		const char *name = die ? name_of(die) : NULL;

		if (!name || elf_dwarf_unit(in->dwarf, at->start, &range) != number)
			continue;
		if (!array_room(&bodies->body, bodies->n, &bodies->size, sizeof(*bodies->body)))
			return false;
		bodies->body[bodies->n++] = (struct elf_body){
			.start = at->start, .end = at[1].start, .name = name,
			.line = number_of(die, DW_AT_decl_line),
			.number = bodies->n_number + at->number - 1,
			.is_entry = at->start == entry_of(die),
		};
	}
	bodies->n_number += u->n;
	return true;
}

static int by_body(const void *a, const void *b)
{
	const struct elf_body *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

bool elf_inlines_bodies(struct elf_inlines *in, struct elf_bodies *bodies)
{
	for (size_t i = 0; i < in->dwarf->n_unit; i++)
		if (!open_unit(in, i) || !add_unit(in, i, bodies))
			return false;
	if (bodies->n)
		qsort(bodies->body, bodies->n, sizeof(*bodies->body), by_body);
	return true;
}
