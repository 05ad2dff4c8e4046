/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of a file by their symbols, of which none is left out or put into plain words: as the
 * tools of others name them.  A file that was stripped may have its symbols in a file beside it.
 */
#ifndef CSF_FUNCTIONS_H
#define CSF_FUNCTIONS_H

#include "../../perf-plugin/elf.h"

/**
 * struct function - a symbol of code
 * @name: borrowed from the file
 * @index: in the table of symbols
 * @t32: of Arm: it is T32
 * @number: of local ones, the how manieth of its name by address, from 1; else 0
 */
struct function {
	uint64_t addr, size;
	const char *name;
	uint32_t index, number;
	bool t32;
};

/**
 * struct functions - of a file, by address: of those at one address the first in the table
 * @dwfl, @module: the file as libdwfl has it
 */
struct functions {
	struct function *function;
	size_t n;
	struct Dwfl *dwfl;
	struct Dwfl_Module *module;
};

/**
 * functions_read() - read the symbols of @elf
 *
 * Return: 0; -ENODATA: there are none; -EOPNOTSUPP: it is a kernel module; -ENOMEM.  In any case
 * functions_fini() is to be called.
 */
int functions_read(struct functions *f, const struct elf_file *elf);
void functions_fini(struct functions *f);

/* The function that holds @addr; NULL: none. */
const struct function *functions_at(const struct functions *f, uint64_t addr);

#endif /* CSF_FUNCTIONS_H */
