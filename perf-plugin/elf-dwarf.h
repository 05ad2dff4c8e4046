/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The debug information of a file, in it or beside it, and its units.  The unit of an address is
 * looked up in a table of our own, as not every compiler writes .debug_aranges.
 */
#ifndef ELF_DWARF_H
#define ELF_DWARF_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "elf.h"
#include "line-names.h"

/* Addresses of a unit; @unit: its number. */
struct dwarf_range {
	uint64_t start, end;
	size_t unit;
};

/**
 * struct elf_dwarf - the debug information of a file; one without any has no units
 * @main: that file's own; units may refer to others
 * @unit: @n_unit of them
 * @range: @n addresses of them, by @start
 * @section: the section .debug_line; @strings: those with the names of its files
 */
struct elf_dwarf {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf *main;
	Dwarf_Die *unit;
	size_t n_unit, size_unit;
	struct dwarf_range *range;
	size_t n, size;
	struct section section;
	struct line_strings strings;
};

/* Return: NULL: no memory. */
struct elf_dwarf *elf_dwarf_new(const struct elf_file *file);
void elf_dwarf_free(struct elf_dwarf *dwarf);

/* Of a module: the address, in the debug information, of the code at @offset in the file. */
bool elf_dwarf_place(const struct elf_dwarf *dwarf, uint64_t offset, uint64_t *addr);

#define DWARF_NO_UNIT	SIZE_MAX

/* The number of the unit of @addr, which is that of all addresses in @range. */
size_t elf_dwarf_unit(const struct elf_dwarf *dwarf, uint64_t addr, struct elf_range *range);

/* The offset of the lines of @unit in their section.  Return: it has lines. */
bool elf_dwarf_lines(Dwarf_Die *unit, uint64_t *offset);

/* The directory in which @unit was compiled; NULL: unknown. */
const char *elf_dwarf_dir(Dwarf_Die *unit);

#endif /* ELF_DWARF_H */
