/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts of an old build of a program, carried to a new build of it.
 *
 *	struct carry c = { .table = &table, .from = old, .elf = { old_elf, new_elf } };
 *
 *	err = carry(&c, &new_dso_key);
 *	... c.carried of c.all instructions; c.function, c.n_function
 *	carry_fini(&c);
 *
 * Functions are matched by name, then by their code; inside of a function, see carry-match.h.
 */
#ifndef CSF_CARRY_H
#define CSF_CARRY_H

#include "../count/count.h"

/**
 * struct carried_function - what was carried of a function of the old build
 * @name: borrowed; @other: its name in the new build; NULL: it has no such function
 * @addr: of code of it that ran
 * @all: executed instructions; @carried: those of them that the new build has
 */
struct carried_function {
	const char *name, *other;
	uint64_t addr, all, carried;
};

/**
 * struct carry - @table, @from and @elf are the caller's; the rest is private, or the result
 * @from: the index of the old build in the table
 * @elf: the old build and the new one
 * @all, @carried: executed instructions of the old build, and those that the new build has
 * @function: @n_function that ran, by address
 */
struct carry {
	struct count_table *table;
	size_t from;
	struct elf_file *elf[2];
	uint64_t all, carried;
	struct carried_function *function;
	size_t n_function;
	struct carry_state *state;
};

/**
 * carry() - move the counts
 * @to: the key of the new build, which is added to the table if it is not there
 *
 * The table is settled then.  Counts that the new build has no place for are lost: they are those
 * in @all that are not in @carried.
 *
 * Return: 0; -EOPNOTSUPP: one of the files is not for a 64-bit processor, or a kernel module;
 * -ENODATA: one of them has no symbols; -ENOMEM.  But for the last the table is as it was.
 */
int carry(struct carry *c, const struct dso_key *to);
void carry_fini(struct carry *c);

#endif /* CSF_CARRY_H */
