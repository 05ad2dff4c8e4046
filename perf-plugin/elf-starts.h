/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places in a file where functions begin, for code that nothing names: what the tables for stack
 * walks say, the file's own calls, and the ends of what has a name.
 */
#ifndef ELF_STARTS_H
#define ELF_STARTS_H

#include "elf-frames.h"
#include "elf.h"

/* @n addresses, sorted, no two equal: code from one up to the next is taken as one function. */
struct elf_starts {
	uint64_t *addr;
	size_t n, size;
};

/* Return: false: no memory. */
bool elf_starts_add(struct elf_starts *starts, uint64_t addr);

/*
 * Reads those of @file, and sorts them together with those that were added.  They depend on the
 * file alone.  Without @calls, which take the most time, they are good for code that is in one of
 * @frames.  Return: false: no memory.
 */
bool elf_starts_read(const struct elf_file *file, const struct elf_frames *frames, bool calls,
		     struct elf_starts *starts);
void elf_starts_free(struct elf_starts *starts);

/*
 * The number @i of the last one up to @addr; there is another one after it.  Return: @addr is in
 * executable memory.
 */
bool elf_starts_find(const struct elf_file *file, const struct elf_starts *starts, uint64_t addr,
		     size_t *i);

#endif /* ELF_STARTS_H */
