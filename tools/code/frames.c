// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source: DWARF 5, 3.3.8 and 6.2; for DW_AT_GNU_discriminator, the output of compilers: that of the
 * call on an inlined subroutine.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>

#include "../../perf-plugin/lower-bound.h"
#include "../../perf-plugin/array.h"
#include "frames.h"
#include "../../perf-plugin/line-table.h"

#ifndef DW_AT_GNU_discriminator
#define DW_AT_GNU_discriminator	0x2136
#endif

/* The depth up to which scopes are read. */
#define DEPTH_MAX	64

/* A function, or one that is inlined in scope @outer; @call_line and so on: its call. */
struct scope {
	const char *name;
	int64_t line, call_line;
	uint32_t call_discriminator;
	uint32_t outer;
};

/* Addresses of a scope. */
struct span {
	uint64_t start, end;
	uint32_t scope;
};

/* The lines at @offset of their section. */
struct frame_lines {
	uint64_t offset;
	struct line_table table;
	struct frame_lines *next;
};

/* All scopes of a function, read when first needed: the first one is the function itself. */
struct frame_scopes {
	Dwarf_Die unit, die;
	const struct frame_lines *lines;
	struct scope *scope;
	struct span *span;
	size_t n, size, n_span, size_span;
	const char *name;
	struct frame_scopes *next;
	bool read;
};

/* ---------------------------------------------------------------- attributes */

static const char *name_of(Dwarf_Die *die)
{
	static const unsigned int names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
					      DW_AT_name };

	for (int i = 0; i < 3; i++) {
		Dwarf_Attribute attr;
		const char *name = dwarf_formstring(dwarf_attr_integrate(die, names[i], &attr));

		if (name && *name)
			return name;
	}
	return NULL;
}

static uint64_t number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr_integrate(die, name, &attr), &value) ? 0 : value;
}

/* ---------------------------------------------------------------- functions */

static bool add_function(struct frames *f, Dwarf_Die *unit, Dwarf_Die *die)
{
	struct frame_scopes *scopes = NULL;
	Dwarf_Addr base, start, end, entry = 0;
	ptrdiff_t at = 0;
	const char *name = name_of(die);

	if (!name || dwarf_entrypc(die, &entry))
		return true;
	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (end <= start)
			continue;
		if (!scopes) {
			scopes = calloc(1, sizeof(*scopes));
			if (!scopes)
				return false;
			*scopes = (struct frame_scopes){ .unit = *unit, .die = *die, .name = name,
							 .next = f->all };
			f->all = scopes;
		}
		if (!array_room(&f->function, f->n, &f->size, sizeof(*f->function)))
			return false;
		f->function[f->n++] = (struct frame_function){
			.start = start, .end = end, .scopes = scopes, .is_entry = start == entry,
		};
	}
	return true;
}

/* Functions may be in others, in classes and name spaces. */
static bool add_functions(struct frames *f, Dwarf_Die *unit, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return true;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			if (!add_function(f, unit, &die))
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
		if (!add_functions(f, unit, &die, depth + 1))
			return false;
	} while (!dwarf_siblingof(&die, &die));
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct frame_function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

int frames_read(struct frames *f, const struct functions *file)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	*f = (struct frames){ 0 };
	while (file->module && (unit = dwfl_module_nextcu(file->module, unit, &bias)))
		if (!add_functions(f, unit, unit, 0))
			return -ENOMEM;
	if (!f->n)
		return -ENODATA;
	f->section = section_find(dwarf_getelf(dwfl_module_getdwarf(file->module, &bias)),
				  ".debug_line");
	qsort(f->function, f->n, sizeof(*f->function), by_start);
	return 0;
}

void frames_fini(struct frames *f)
{
	while (f->all) {
		struct frame_scopes *s = f->all;

		f->all = s->next;
		free(s->scope);
		free(s->span);
		free(s);
	}
	while (f->lines) {
		struct frame_lines *l = f->lines;

		f->lines = l->next;
		line_table_fini(&l->table);
		free(l);
	}
	free(f->function);
	*f = (struct frames){ 0 };
}

static const struct frame_function *function_at(const struct frames *f, uint64_t addr)
{
	size_t next = LOWER_BOUND(f->n, i, f->function[i].start <= addr);

	return next && addr < f->function[next - 1].end ? &f->function[next - 1] : NULL;
}

const char *frames_entry(const struct frames *f, uint64_t addr)
{
	const struct frame_function *function = function_at(f, addr);

	return function && function->start == addr && function->is_entry ?
		function->scopes->name : NULL;
}

/* ---------------------------------------------------------------- scopes */

static bool add_scope(struct frame_scopes *s, Dwarf_Die *die, uint32_t outer)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	if (!array_room(&s->scope, s->n, &s->size, sizeof(*s->scope)))
		return false;
	s->scope[s->n] = (struct scope){
		.name = name_of(die), .line = number_of(die, DW_AT_decl_line),
		.call_line = number_of(die, DW_AT_call_line),
		.call_discriminator = number_of(die, DW_AT_GNU_discriminator), .outer = outer,
	};
	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (!array_room(&s->span, s->n_span, &s->size_span, sizeof(*s->span)))
			return false;
		s->span[s->n_span++] = (struct span){ start, end, s->n };
	}
	s->n++;
	return true;
}

/* Inner scopes come after the outer ones. */
static bool add_scopes(struct frame_scopes *s, Dwarf_Die *parent, uint32_t outer, int depth)
{
	Dwarf_Die die;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return true;
	do {
		uint32_t scope = outer;

		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
			if (!name_of(&die))
				continue;
			scope = s->n;
			if (!add_scope(s, &die, outer))
				return false;
			break;
		case DW_TAG_lexical_block:
			break;
		default:
			continue;
		}
		if (!add_scopes(s, &die, scope, depth + 1))
			return false;
	} while (!dwarf_siblingof(&die, &die));
	return true;
}

/* The innermost scope at @addr. */
static uint32_t scope_at(const struct frame_scopes *s, uint64_t addr)
{
	for (size_t i = s->n_span; i-- > 0;)
		if (addr >= s->span[i].start && addr < s->span[i].end)
			return s->span[i].scope;
	return 0;
}

/* Reads the lines of its unit; damaged ones are left out. */
static int read_lines(struct frames *f, struct frame_scopes *s)
{
	const uint64_t offset = number_of(&s->unit, DW_AT_stmt_list);
	struct frame_lines *l = f->lines;

	while (l && l->offset != offset)
		l = l->next;
	if (!l) {
		l = calloc(1, sizeof(*l));
		if (!l)
			return -ENOMEM;
		l->offset = offset;
		l->next = f->lines;
		f->lines = l;
		if (line_table_read(&l->table, f->section, offset) == -ENOMEM)
			return -ENOMEM;
	}
	s->lines = l;
	return 0;
}

static int read_function(struct frames *f, struct frame_scopes *s)
{
	if (!s->read && (!add_scope(s, &s->die, 0) || !add_scopes(s, &s->die, 0, 0) ||
			 read_lines(f, s)))
		return -ENOMEM;
	s->read = true;
	return 0;
}

int frames_at(struct frames *f, uint64_t addr, struct frame frame[FRAME_MAX])
{
	const struct frame_function *function = function_at(f, addr);
	struct frame_scopes *s = function ? function->scopes : NULL;
	const struct line_row *row;
	uint32_t scope, discriminator;
	int64_t line;
	int n = 1;

	if (!s)
		return 0;
	if (read_function(f, s))
		return -ENOMEM;
	row = line_table_find(&s->lines->table, addr);
	if (!row)
		return 0;
	line = row->line;
	discriminator = row->discriminator;
	scope = scope_at(s, addr);
	for (uint32_t i = scope; i; i = s->scope[i].outer)
		n++;
	if (n > FRAME_MAX)
		return 0;
	for (int i = n; i-- > 0; scope = s->scope[scope].outer) {
		const struct scope *at = &s->scope[scope];

		frame[i] = (struct frame){ at->name, line - at->line, discriminator, 0 };
		line = at->call_line;
		discriminator = at->call_discriminator;
	}
	return n;
}

bool frames_asked(const struct frames *f, size_t i)
{
	return f->function[i].scopes->read;
}

const char *frames_name(const struct frames *f, size_t i)
{
	return f->function[i].scopes->name;
}
