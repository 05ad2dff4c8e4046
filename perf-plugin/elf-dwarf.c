// SPDX-License-Identifier: GPL-2.0-only
#include <dwarf.h>
#include <stdlib.h>

#include "array.h"
#include "elf-debug.h"
#include "elf-dwarf.h"
#include "lower-bound.h"

static bool add_range(struct elf_dwarf *dwarf, const struct dwarf_range *range)
{
	if (!array_room(&dwarf->range, dwarf->n, &dwarf->size, sizeof(*dwarf->range)))
		return false;
	dwarf->range[dwarf->n++] = *range;
	return true;
}

static bool add_unit(struct elf_dwarf *dwarf, const Dwarf_Die *unit)
{
	if (!array_room(&dwarf->unit, dwarf->n_unit, &dwarf->size_unit, sizeof(*dwarf->unit)))
		return false;
	dwarf->unit[dwarf->n_unit++] = *unit;
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct dwarf_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static bool read_units(struct elf_dwarf *dwarf)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias, base;

	while ((unit = dwfl_module_nextcu(dwarf->module, unit, &bias))) {
		struct dwarf_range range = { .unit = dwarf->n_unit };
		ptrdiff_t at = 0;

		if (!add_unit(dwarf, unit))
			return false;
		while ((at = dwarf_ranges(unit, at, &base, &range.start, &range.end)) > 0)
			if (range.end > range.start && !add_range(dwarf, &range))
				return false;
	}
	if (dwarf->n)
		qsort(dwarf->range, dwarf->n, sizeof(*dwarf->range), by_start);
	return true;
}

static void find_sections(struct elf_dwarf *dwarf)
{
	Dwarf_Addr bias;
	Elf *elf;

	dwarf->main = dwfl_module_getdwarf(dwarf->module, &bias);
	elf = dwarf_getelf(dwarf->main);
	dwarf->section = section_find(elf, ".debug_line");
	dwarf->strings.str = section_find(elf, ".debug_str");
	dwarf->strings.line_str = section_find(elf, ".debug_line_str");
}

struct elf_dwarf *elf_dwarf_new(const struct elf_file *file)
{
	struct elf_dwarf *dwarf = calloc(1, sizeof(*dwarf));

	if (!dwarf)
		return NULL;
	dwarf->dwfl = dwfl_begin(&elf_debug_callbacks);
	if (!dwarf->dwfl)
		return dwarf;
	dwfl_report_begin(dwarf->dwfl);
	dwarf->module = dwfl_report_offline(dwarf->dwfl, "", file->path, -1);
	dwfl_report_end(dwarf->dwfl, NULL, NULL);
	if (!dwarf->module)
		return dwarf;
	if (!read_units(dwarf)) {
		elf_dwarf_free(dwarf);
		return NULL;
	}
	find_sections(dwarf);
	return dwarf;
}

void elf_dwarf_free(struct elf_dwarf *dwarf)
{
	if (!dwarf)
		return;
	if (dwarf->dwfl)
		dwfl_end(dwarf->dwfl);
	free(dwarf->unit);
	free(dwarf->range);
	free(dwarf);
}

bool elf_dwarf_place(const struct elf_dwarf *dwarf, uint64_t offset, uint64_t *addr)
{
	Dwarf_Addr bias;
	Elf *elf = dwarf->module ? dwfl_module_getelf(dwarf->module, &bias) : NULL;
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

size_t elf_dwarf_unit(const struct elf_dwarf *dwarf, uint64_t addr, struct elf_range *range)
{
	const size_t next = LOWER_BOUND(dwarf->n, i, dwarf->range[i].start <= addr);
	const struct dwarf_range *before = next ? &dwarf->range[next - 1] : NULL;

	range->start = before ? before->start : 0;
	range->end = next < dwarf->n ? dwarf->range[next].start : UINT64_MAX;
	if (!before || addr >= before->end) {
		range->start = before ? before->end : 0;
		return DWARF_NO_UNIT;
	}
	if (range->end > before->end)
		range->end = before->end;
	return before->unit;
}

bool elf_dwarf_lines(Dwarf_Die *unit, uint64_t *offset)
{
	Dwarf_Attribute list;
	Dwarf_Word at;

	if (dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &list), &at))
		return false;
	*offset = at;
	return true;
}

const char *elf_dwarf_dir(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}
