/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols that were taken out of a file, and put in another one or in a section of it. */
#ifndef ELF_APART_H
#define ELF_APART_H

#include "elf.h"

/*
 * The file that has them: the debug file of @file, or else what is packed in its .gnu_debugdata,
 * which lacks the symbols of .dynsym.  elf_file_close() it.  Return: NULL: there is none, or no
 * memory.
 */
struct elf_file *elf_apart_open(const struct elf_file *file);

#endif /* ELF_APART_H */
