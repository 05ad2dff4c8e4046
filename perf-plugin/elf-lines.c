// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source lines.  libdwfl finds the debug information, in the file or beside it.  The unit of an
 * address is looked up in a table of our own, as not every compiler writes .debug_aranges.  Our own
 * code also reads the lines of units that libdw rejects, and of those whose paths libdw leaves
 * relative to an unknown directory.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "lower-bound.h"
#include "array.h"
#include "elf-debug.h"
#include "elf-lines.h"
#include "line-names.h"

/* Lines of a unit read by our own code, at @offset.  @name: by number of the file, if known. */
struct own_lines {
	uint64_t offset;
	struct line_head head;
	struct line_table table;
	char **name;
	uint32_t n_name;
	struct own_lines *next;
};

struct unit_range {
	uint64_t start, end;
	Dwarf_Die unit;
};

struct elf_lines {
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct unit_range *range;	/* sorted by @start */
	size_t n, size;
	struct section section;		/* the section .debug_line */
	struct line_strings strings;
	struct own_lines *own;
};

static bool add(struct elf_lines *lines, const struct unit_range *range)
{
	if (!array_room(&lines->range, lines->n, &lines->size, sizeof(*lines->range)))
		return false;
	lines->range[lines->n++] = *range;
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void read_units(struct elf_lines *lines)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias, base;

	while ((unit = dwfl_module_nextcu(lines->module, unit, &bias))) {
		struct unit_range range = { .unit = *unit };
		ptrdiff_t at = 0;

		while ((at = dwarf_ranges(unit, at, &base, &range.start, &range.end)) > 0)
			if (range.end > range.start && !add(lines, &range))
				return;
	}
	if (lines->n)
		qsort(lines->range, lines->n, sizeof(*lines->range), by_start);
}

static void find_sections(struct elf_lines *lines)
{
	Dwarf_Addr bias;
	Elf *elf = dwarf_getelf(dwfl_module_getdwarf(lines->module, &bias));

	lines->section = section_find(elf, ".debug_line");
	lines->strings.str = section_find(elf, ".debug_str");
	lines->strings.line_str = section_find(elf, ".debug_line_str");
}

struct elf_lines *elf_lines_new(const struct elf_file *file)
{
	struct elf_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->dwfl = dwfl_begin(&elf_debug_callbacks);
	if (!lines->dwfl)
		return lines;
	dwfl_report_begin(lines->dwfl);
	lines->module = dwfl_report_offline(lines->dwfl, "", file->path, -1);
	dwfl_report_end(lines->dwfl, NULL, NULL);
	if (lines->module) {
		read_units(lines);
		find_sections(lines);
	}
	return lines;
}

void elf_lines_free(struct elf_lines *lines)
{
	if (!lines)
		return;
	while (lines->own) {
		struct own_lines *r = lines->own;

		lines->own = r->next;
		for (uint32_t i = 0; i < r->n_name; i++)
			free(r->name[i]);
		free(r->name);
		line_table_fini(&r->table);
		free(r);
	}
	if (lines->dwfl)
		dwfl_end(lines->dwfl);
	free(lines->range);
	free(lines);
}

/* ---------------------------------------------------------------- our own */

static struct own_lines *own_at(struct elf_lines *lines, uint64_t offset)
{
	struct own_lines *r = lines->own;

	while (r && r->offset != offset)
		r = r->next;
	if (r)
		return r;
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->offset = offset;
	r->next = lines->own;
	lines->own = r;
	/* rows before damage are valid */
	if (line_head_read(&r->head, lines->section, offset))
		line_table_read(&r->table, lines->section, offset);
	return r;
}

/* Numbers of existing files are smaller than this. */
#define FILES_MAX	65536u

static const char *name_of(const struct elf_lines *lines, struct own_lines *r, Dwarf_Die *unit,
			   uint32_t number)
{
	Dwarf_Attribute attribute;
	const char *dir;
	char **grown;

	if (number >= FILES_MAX)
		return NULL;
	if (number >= r->n_name) {
		grown = realloc(r->name, (number + 1) * sizeof(*grown));
		if (!grown)
			return NULL;
		memset(grown + r->n_name, 0, (number + 1 - r->n_name) * sizeof(*grown));
		r->name = grown;
		r->n_name = number + 1;
	}
	if (!r->name[number]) {
		dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
		r->name[number] = line_name(&r->head, &lines->strings, dir, number);
	}
	return r->name[number];
}

static bool find_own(struct elf_lines *lines, Dwarf_Die *unit, uint64_t addr,
		     struct elf_line *line)
{
	Dwarf_Attribute list;
	Dwarf_Word offset;
	const struct line_row *row;
	struct own_lines *r;
	const char *name;

	if (dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &list), &offset))
		return false;
	r = own_at(lines, offset);
	row = r ? line_table_find(&r->table, addr) : NULL;
	if (!row || !row->line || row->line > INT32_MAX)
		return false;
	name = name_of(lines, r, unit, row->file);
	if (name)
		*line = (struct elf_line){ name, row->line };
	return name;
}

/* ---------------------------------------------------------------- modules */

bool elf_lines_place(const struct elf_lines *lines, uint64_t offset, uint64_t *addr)
{
	Dwarf_Addr bias;
	Elf *elf = lines->module ? dwfl_module_getelf(lines->module, &bias) : NULL;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while (elf && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_EXECINSTR) ||
		    sh.sh_type == SHT_NOBITS || offset - sh.sh_offset >= sh.sh_size)
			continue;
		*addr = sh.sh_addr + bias + (offset - sh.sh_offset);
		return true;
	}
	return false;
}

/* ---------------------------------------------------------------- all units */

bool elf_lines_find(struct elf_lines *lines, uint64_t addr, struct elf_line *line)
{
	size_t next = LOWER_BOUND(lines->n, i, lines->range[i].start <= addr);
	Dwarf_Line *found;
	Dwarf_Lines *all;
	Dwarf_Die *unit;
	size_t n_all;

	if (!next || addr >= lines->range[next - 1].end)
		return false;
	unit = &lines->range[next - 1].unit;
	if (dwarf_getsrclines(unit, &all, &n_all))
		return find_own(lines, unit, addr, line);
	found = dwarf_getsrc_die(unit, addr);
	if (!found || dwarf_lineno(found, &line->line) || line->line <= 0)
		return false;
	line->file = dwarf_linesrc(found, NULL, NULL);
	if (line->file && *line->file != '/')
		find_own(lines, unit, addr, line);
	return line->file;
}
