/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own table of its functions: /proc/kallsyms, or a copy of it that
 * perf made when it recorded.  Its addresses are those at run time.
 */
#ifndef KALLSYMS_H
#define KALLSYMS_H

#include "elf.h"

struct kallsyms;

/* What is wrong with a table: @why, NULL: nothing; @line: from 1, or 0: it is not in one line */
struct kallsyms_problem {
	const char *why;
	size_t line;
};

/*
 * @problem: in case of -EINVAL.
 *
 * Return: 0; -ENOENT and so on; -EINVAL: it is no such table, or one without addresses, as those
 * see it who may not know them; -ENOMEM.
 */
int kallsyms_open(struct kallsyms **kallsyms, const char *path,
		  struct kallsyms_problem *problem);
void kallsyms_close(struct kallsyms *kallsyms);

/* The function at @addr; names are borrowed.  Return: there is one. */
bool kallsyms_find(const struct kallsyms *kallsyms, uint64_t addr, struct elf_symbol *symbol);

#endif /* KALLSYMS_H */
