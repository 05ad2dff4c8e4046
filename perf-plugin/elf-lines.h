/* SPDX-License-Identifier: GPL-2.0-only */
/* Source lines of a file: its debug information is read when it is first needed. */
#ifndef ELF_LINES_H
#define ELF_LINES_H

#include "elf.h"

/* Return: NULL: no memory; a file without debug information has no lines. */
struct elf_lines *elf_lines_new(const struct elf_file *file);
void elf_lines_free(struct elf_lines *lines);
bool elf_lines_find(struct elf_lines *lines, uint64_t addr, struct elf_line *line);
/* Of a module: the address, for elf_lines_find(), of the code at @offset in the file. */
bool elf_lines_place(const struct elf_lines *lines, uint64_t offset, uint64_t *addr);

#endif /* ELF_LINES_H */
