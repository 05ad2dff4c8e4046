// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source lines.  libdwfl finds the debug information, in the file or beside it;
 * which unit an address belongs to is looked up in a table of our own, because
 * not every compiler writes .debug_aranges.
 */
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>

#include "elf-lines.h"

struct unit_range {
	uint64_t start, end;
	Dwarf_Die unit;
};

struct elf_lines {
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct unit_range *range;	/* by @start */
	size_t n, size;
};

static char *debug_path;	/* NULL: where the distribution puts debug files */

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

static bool add(struct elf_lines *lines, const struct unit_range *range)
{
	if (lines->n == lines->size) {
		size_t size = lines->size ? 2 * lines->size : 64;
		struct unit_range *p = realloc(lines->range, size * sizeof(*p));

		if (!p)
			return false;
		lines->range = p;
		lines->size = size;
	}
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

struct elf_lines *elf_lines_new(const struct elf_file *file)
{
	struct elf_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->dwfl = dwfl_begin(&callbacks);
	if (!lines->dwfl)
		return lines;
	dwfl_report_begin(lines->dwfl);
	lines->module = dwfl_report_offline(lines->dwfl, "", file->path, -1);
	dwfl_report_end(lines->dwfl, NULL, NULL);
	if (lines->module)
		read_units(lines);
	return lines;
}

void elf_lines_free(struct elf_lines *lines)
{
	if (!lines)
		return;
	if (lines->dwfl)
		dwfl_end(lines->dwfl);
	free(lines->range);
	free(lines);
}

bool elf_lines_find(struct elf_lines *lines, uint64_t addr, struct elf_line *line)
{
	size_t low = 0, high = lines->n;
	Dwarf_Line *found;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (lines->range[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || addr >= lines->range[low - 1].end)
		return false;
	found = dwarf_getsrc_die(&lines->range[low - 1].unit, addr);
	if (!found || dwarf_lineno(found, &line->line) || line->line <= 0)
		return false;
	line->file = dwarf_linesrc(found, NULL, NULL);
	return line->file;
}
