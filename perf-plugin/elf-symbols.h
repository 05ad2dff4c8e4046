/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols of a file, read when they are first needed. */
#ifndef ELF_SYMBOLS_H
#define ELF_SYMBOLS_H

#include "elf.h"

/*
 * Those of @file, or of the file that has them in its place: see elf_file_symbol().  Return: NULL:
 * no memory; a file without symbols has an empty table.
 */
struct elf_symbols *elf_symbols_new(const struct elf_file *file);
void elf_symbols_free(struct elf_symbols *symbols);

/* Return: there is one. */
bool elf_symbols_find(struct elf_symbols *symbols, uint64_t addr, struct elf_symbol *symbol);

/* The address of the one with the linker's name @name.  Return: there is one. */
bool elf_symbols_address(const struct elf_symbols *symbols, const char *name, uint64_t *addr);

/* The code of number @i, 0 and up, by address.  Return: there are so many. */
bool elf_symbols_range(const struct elf_symbols *symbols, size_t i, struct elf_range *range);

#endif /* ELF_SYMBOLS_H */
