/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the parts of csflow pgo. */
#ifndef CSF_PGO_H
#define CSF_PGO_H

#include <stdbool.h>
#include <stddef.h>

enum pgo_for { PGO_CLANG, PGO_GCC, PGO_BOLT, PGO_PROPELLER };

/**
 * struct pgo - a profile to make
 * @whom: the tool that takes it
 * @binary: the file to make faster
 * @out: the profile
 *
 * Properties of @binary:
 * @arm: it is AArch32
 * @clang: version of the clang that compiled it, 0: not clang
 * @probes: it has clang's probes, which match code better than lines do
 * @relocs: the linker left relocations
 * @blocks: it has a map of its blocks
 * @lines: it has debug information, or a debug file; @symbols: the same for symbols
 * @unique: local functions have unique names
 */
struct pgo {
	enum pgo_for whom;
	const char *binary, *out;
	bool arm;
	int clang;
	bool probes, relocs, blocks, lines, symbols, unique;
};

/* Reads @p->binary, and reports why no profile is possible.  Return: one is possible. */
bool pgo_look(struct pgo *p);

/* Finds the compiler or optimiser that takes the profile.  @path: set.  Return: it was found. */
bool pgo_find_taker(const struct pgo *p, char *path, size_t n);

/* Lets a tool of its taker read the profile, and reports the result.  Return: exit status. */
int pgo_check(const struct pgo *p);

/* Prints the command to use next: the last lines of standard error. */
void pgo_tell(const struct pgo *p);

#endif /* CSF_PGO_H */
