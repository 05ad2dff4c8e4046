/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel modules: files without addresses, and code whose branches are not filled in yet. */
#ifndef ELF_MODULE_H
#define ELF_MODULE_H

#include "elf.h"

/* Lays the module out as the kernel does when loading it.  Return: 0, -ENOMEM. */
int elf_module_layout(struct elf_file *file);

/*
 * Fills in its branches.  A branch that leaves the module becomes an indirect one: the file does
 * not know the target that the kernel set; only the trace may know it.
 */
void elf_module_link(struct elf_file *file);

/*
 * Sets @addr to the run-time address of the kernel's, or another module's, symbol @name.  Return:
 * it is known.
 */
typedef bool (*elf_module_fn)(void *context, const char *name, uint64_t *addr);

/*
 * Fills in the branches that leave a module that was loaded at the known address @base, as far as
 * @fn knows the addresses of other symbols.
 */
void elf_module_resolve(struct elf_file *file, uint64_t base, elf_module_fn fn, void *context);

#endif /* ELF_MODULE_H */
