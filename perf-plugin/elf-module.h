/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel modules: files without addresses, and code whose branches are not filled in yet. */
#ifndef ELF_MODULE_H
#define ELF_MODULE_H

#include "elf.h"

/* Lays the module out as the kernel does when it loads it.  Return: 0, -ENOMEM. */
int elf_module_layout(struct elf_file *file);

/*
 * Fills in its branches.  One that leaves the module becomes an indirect one:
 * where the kernel made it go the file does not know, only the trace may.
 */
void elf_module_link(struct elf_file *file);

/* Return: @addr of the kernel's, or another module's, symbol @name at run time is known. */
typedef bool (*elf_module_fn)(void *context, const char *name, uint64_t *addr);

/*
 * Where it is known at which address the module was, @base, and where other symbols were: fills in
 * the branches that leave it.
 */
void elf_module_resolve(struct elf_file *file, uint64_t base, elf_module_fn fn, void *context);

#endif /* ELF_MODULE_H */
