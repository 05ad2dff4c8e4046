/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols of a file, read when they are first needed. */
#ifndef ELF_SYMBOLS_H
#define ELF_SYMBOLS_H

#include "elf.h"

/* Return: NULL: no memory; a file without symbols has an empty table. */
struct elf_symbols *elf_symbols_new(const struct elf_file *file);
void elf_symbols_free(struct elf_symbols *symbols);
bool elf_symbols_find(struct elf_symbols *symbols, uint64_t addr, struct elf_symbol *symbol);

#endif /* ELF_SYMBOLS_H */
