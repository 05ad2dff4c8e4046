/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of csflow pgo share. */
#ifndef CSF_PGO_H
#define CSF_PGO_H

#include <stdbool.h>
#include <stddef.h>

enum pgo_for { PGO_CLANG, PGO_GCC, PGO_BOLT, PGO_PROPELLER };

/**
 * struct pgo - one profile on its way
 * @whom: who takes it
 * @binary: what is to become faster
 * @out: the profile
 *
 * What is known of @binary:
 * @arm: it is AArch32
 * @clang: version of the clang that compiled it, 0: none did
 * @probes: clang put probes in, which say what belongs together better than lines do
 * @relocs: the linker left relocations
 * @blocks: there is a map of its blocks
 * @lines: there is debug information, here or in a file of its own; @symbols: the same of symbols
 * @unique: local functions have names of their own
 */
struct pgo {
	enum pgo_for whom;
	const char *binary, *out;
	bool arm;
	int clang;
	bool probes, relocs, blocks, lines, symbols, unique;
};

/* Looks at @p->binary, and says what makes a profile of it impossible.  Return: nothing does. */
bool pgo_look(struct pgo *p);

/* The compiler or optimiser that takes the profile: into @path.  Return: it is there. */
bool pgo_find_taker(const struct pgo *p, char *path, size_t n);

/* Has the profile read by a tool of those who take it, and says so.  Return: as a command. */
int pgo_check(const struct pgo *p);

/* What to type now: the last lines of standard error. */
void pgo_tell(const struct pgo *p);

#endif /* CSF_PGO_H */
