/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of a Go program by the table that its run-time system has for stack traces. */
#ifndef ELF_GO_H
#define ELF_GO_H

#include "elf.h"

/* @n functions, sorted by address; none overlaps another.  Their names are before @end. */
struct elf_go {
	struct elf_symbol *symbol;
	size_t n, size;
	const uint8_t *end;
};

/* Reads the table of @file; none if it has no such table.  Return: false: no memory. */
bool elf_go_read(const struct elf_file *file, struct elf_go *go);
void elf_go_free(struct elf_go *go);

/* The function that holds @addr.  Return: there is one. */
bool elf_go_find(const struct elf_go *go, uint64_t addr, struct elf_symbol *symbol);

/* The address of the function @name.  Return: there is one. */
bool elf_go_address(const struct elf_go *go, const char *name, uint64_t *addr);

#endif /* ELF_GO_H */
