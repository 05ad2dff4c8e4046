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

#endif /* ELF_MODULE_H */
