/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of a file that the compiler inlined.  A unit, and a function, are read when an address
 * of theirs is first asked for.
 */
#ifndef ELF_INLINE_H
#define ELF_INLINE_H

#include "elf-lines.h"

/* Borrows @dwarf and @lines.  Return: NULL: no memory. */
struct elf_inlines *elf_inlines_new(const struct elf_dwarf *dwarf, struct elf_lines *lines);
void elf_inlines_free(struct elf_inlines *in);

/*
 * As elf_file_inlined().  @shift: of @addr, how much more the debug information has as its
 * address; it is the same for a whole function.
 */
const struct elf_inlined *elf_inlines_find(struct elf_inlines *in, uint64_t addr, uint64_t shift,
					   struct elf_range *range);

/* As elf_file_function(), for an address of the debug information. */
const struct elf_function *elf_inlines_function(struct elf_inlines *in, uint64_t addr);

/* As elf_file_bodies(), for addresses of the debug information. */
bool elf_inlines_bodies(struct elf_inlines *in, struct elf_bodies *bodies);

#endif /* ELF_INLINE_H */
