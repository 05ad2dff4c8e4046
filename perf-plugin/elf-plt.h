/* SPDX-License-Identifier: GPL-2.0-only */
/* Stubs of a file's procedure linkage table, through which it calls functions of other files. */
#ifndef ELF_PLT_H
#define ELF_PLT_H

#include "elf.h"

/**
 * struct elf_stub - a stub
 * @addr: address of its first instruction; @size: bytes
 * @name: owned: "strlen@plt", not demangled; ".plt" is the common target of lazy stubs
 */
struct elf_stub {
	uint64_t addr;
	uint64_t size;
	char *name;
};

/* @n stubs; those of one section are in the order of their addresses. */
struct elf_stubs {
	struct elf_stub *stub;
	size_t n, size;
};

/* Appends the stubs of @file; none if it is a module or not for Arm.  Return: false: no memory. */
bool elf_plt_read(const struct elf_file *file, struct elf_stubs *stubs);
void elf_plt_free(struct elf_stubs *stubs);

#endif /* ELF_PLT_H */
