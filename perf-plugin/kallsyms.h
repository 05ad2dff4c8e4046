/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's table of its functions: /proc/kallsyms, or the copy that perf made when recording.
 * Its addresses are run-time addresses.
 */
#ifndef KALLSYMS_H
#define KALLSYMS_H

#include "elf.h"

struct kallsyms;

/* A fault of a table: @why, NULL: none; @line: from 1, or 0: it is not in one line */
struct kallsyms_problem {
	const char *why;
	size_t line;
};

/*
 * @problem: set in case of -EINVAL.
 *
 * Return: 0; -ENOENT and so on; -EINVAL: it is not such a table, or it has no addresses, as for
 * users who may not see them; -ENOMEM.
 */
int kallsyms_open(struct kallsyms **kallsyms, const char *path,
		  struct kallsyms_problem *problem);
void kallsyms_close(struct kallsyms *kallsyms);

/* The address of the first function with this name.  Return: there is one. */
bool kallsyms_address(const struct kallsyms *k, const char *name, uint64_t *addr);

/* The function at @addr; names are borrowed.  Return: there is one. */
bool kallsyms_find(const struct kallsyms *kallsyms, uint64_t addr, struct elf_symbol *symbol);

/* The address at which the kernel has its vDSO for 64-bit programs; 0: not known. */
uint64_t kallsyms_vdso(const struct kallsyms *kallsyms);

#endif /* KALLSYMS_H */
