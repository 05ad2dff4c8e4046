// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source lines.  Our own code also reads the lines of units that libdw rejects, and of those whose
 * paths libdw leaves relative to an unknown directory; and rows with discriminators.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf-lines.h"

/*
 * Lines of a unit read by our own code, at @offset.  @name: by number of the file, if known.
 * @read: @table was read.
 */
struct own_lines {
	uint64_t offset;
	struct line_head head;
	struct line_table table;
	char **name;
	uint32_t n_name;
	bool valid, read;
	struct own_lines *next;
};

struct elf_lines {
	const struct elf_dwarf *dwarf;
	struct own_lines *own;
};

struct elf_lines *elf_lines_new(const struct elf_dwarf *dwarf)
{
	struct elf_lines *lines = calloc(1, sizeof(*lines));

	if (lines)
		lines->dwarf = dwarf;
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
	free(lines);
}

/* ---------------------------------------------------------------- our own */

static struct own_lines *own_at(struct elf_lines *lines, uint64_t offset)
{
	struct own_lines **at = &lines->own, *r;

	while (*at && (*at)->offset != offset)
		at = &(*at)->next;
	r = *at;
	if (r) {
		/* it is needed again soon */
		*at = r->next;
		r->next = lines->own;
		lines->own = r;
		return r;
	}
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->offset = offset;
	r->next = lines->own;
	lines->own = r;
	r->valid = line_head_read(&r->head, lines->dwarf->section, offset);
	return r;
}

/* The row of @addr in the lines of @unit; NULL: none.  Return: 0 or -ENOMEM. */
static int find_row(struct elf_lines *lines, Dwarf_Die *unit, uint64_t addr,
		    const struct line_row **row)
{
	struct own_lines *r;
	uint64_t offset;

	*row = NULL;
	if (!elf_dwarf_lines(unit, &offset))
		return 0;
	r = own_at(lines, offset);
	if (!r)
		return -ENOMEM;
	/* rows before damage are valid */
	if (r->valid && !r->read &&
	    line_table_read(&r->table, lines->dwarf->section, offset) == -ENOMEM)
		return -ENOMEM;
	r->read = true;
	*row = line_table_find(&r->table, addr);
	return 0;
}

/* Numbers of existing files are smaller than this. */
#define FILES_MAX	65536u

static const char *name_of(const struct elf_lines *lines, struct own_lines *r, Dwarf_Die *unit,
			   uint32_t number)
{
	char **grown;

	if (!r->valid || number >= FILES_MAX)
		return NULL;
	if (number >= r->n_name) {
		grown = realloc(r->name, (number + 1) * sizeof(*grown));
		if (!grown)
			return NULL;
		memset(grown + r->n_name, 0, (number + 1 - r->n_name) * sizeof(*grown));
		r->name = grown;
		r->n_name = number + 1;
	}
	if (!r->name[number])
		r->name[number] = line_name(&r->head, &lines->dwarf->strings, elf_dwarf_dir(unit),
					    number);
	return r->name[number];
}

static bool find_own(struct elf_lines *lines, Dwarf_Die *unit, uint64_t addr,
		     struct elf_line *line)
{
	const struct line_row *row;
	const char *name;

	if (find_row(lines, unit, addr, &row) || !row || !row->line || row->line > INT32_MAX)
		return false;
	/* the lines of this unit are the first ones now */
	name = name_of(lines, lines->own, unit, row->file);
	if (name)
		*line = (struct elf_line){ name, row->line };
	return name;
}

const char *elf_lines_file(struct elf_lines *lines, Dwarf_Die *unit, uint32_t number)
{
	struct own_lines *r;
	Dwarf_Files *files;
	uint64_t offset;
	size_t n;

	if (dwarf_cu_getdwarf(unit->cu) == lines->dwarf->main && elf_dwarf_lines(unit, &offset)) {
		r = own_at(lines, offset);
		return r ? name_of(lines, r, unit, number) : NULL;
	}
	/* the unit is in another file: split DWARF, or one that dwz made */
	if (dwarf_getsrcfiles(unit, &files, &n) || number >= n)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

/* ---------------------------------------------------------------- all units */

bool elf_lines_find(struct elf_lines *lines, uint64_t addr, struct elf_line *line)
{
	struct elf_range range;
	const size_t number = elf_dwarf_unit(lines->dwarf, addr, &range);
	Dwarf_Line *found;
	Dwarf_Lines *all;
	Dwarf_Die *unit;
	size_t n_all;

	if (number == DWARF_NO_UNIT)
		return false;
	unit = &lines->dwarf->unit[number];
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

int elf_lines_row(struct elf_lines *lines, uint64_t addr, const struct line_row **row)
{
	struct elf_range range;
	const size_t number = elf_dwarf_unit(lines->dwarf, addr, &range);

	*row = NULL;
	return number == DWARF_NO_UNIT ? 0 :
	       find_row(lines, &lines->dwarf->unit[number], addr, row);
}
