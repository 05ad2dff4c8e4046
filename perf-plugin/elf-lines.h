/* SPDX-License-Identifier: GPL-2.0-only */
/* Source lines of a file. */
#ifndef ELF_LINES_H
#define ELF_LINES_H

#include "elf-dwarf.h"

/* Borrows @dwarf.  Return: NULL: no memory. */
struct elf_lines *elf_lines_new(const struct elf_dwarf *dwarf);
void elf_lines_free(struct elf_lines *lines);
bool elf_lines_find(struct elf_lines *lines, uint64_t addr, struct elf_line *line);

/* As elf_file_row(), for an address of the debug information. */
int elf_lines_row(struct elf_lines *lines, uint64_t addr, const struct line_row **row);

/* The path of source file @number of @unit; borrowed.  NULL: unknown. */
const char *elf_lines_file(struct elf_lines *lines, Dwarf_Die *unit, uint32_t number);

#endif /* ELF_LINES_H */
