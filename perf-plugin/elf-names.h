/* SPDX-License-Identifier: GPL-2.0-only */
/* Names for all code of a file. */
#ifndef ELF_NAMES_H
#define ELF_NAMES_H

#include "elf.h"

/* Return: NULL: no memory. */
struct elf_names *elf_names_new(const struct elf_file *file);
void elf_names_free(struct elf_names *names);

/* As elf_file_symbol() and elf_file_address(). */
bool elf_names_find(struct elf_names *names, uint64_t addr, struct elf_symbol *symbol);
bool elf_names_address(const struct elf_names *names, const char *name, uint64_t *addr);

#endif /* ELF_NAMES_H */
