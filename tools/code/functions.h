/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of a file by their symbols, all of them and with their raw names, as other tools name
 * them.  A stripped file may have its symbols in a file beside it.
 */
#ifndef CSF_FUNCTIONS_H
#define CSF_FUNCTIONS_H

#include "../../perf-plugin/elf.h"

/**
 * struct function - a symbol of code
 * @name: borrowed from the file
 * @index: in the table of symbols
 * @t32: for Arm, whether it is T32
 * @number: for a local one, its rank among those of its name by address, from 1; else 0
 */
struct function {
	uint64_t addr, size;
	const char *name;
	uint32_t index, number;
	bool t32;
};

/**
 * struct functions - of a file, by address; only the first in the table at each address
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
 * Return: 0; -ENODATA: there are none; -EOPNOTSUPP: it is a kernel module; -ENOMEM.  Call
 * functions_fini() in any case.
 */
int functions_read(struct functions *f, const struct elf_file *elf);
void functions_fini(struct functions *f);

/* The function that holds @addr; NULL: none. */
const struct function *functions_at(const struct functions *f, uint64_t addr);

#endif /* CSF_FUNCTIONS_H */
