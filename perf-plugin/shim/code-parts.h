/* SPDX-License-Identifier: GPL-2.0-only */
/* What code.c, of processes and dsos, and code-kernel.c share. */
#ifndef SHIM_CODE_PARTS_H
#define SHIM_CODE_PARTS_H

#include "code.h"
#include "../plugin-module.h"

/* The library's limit, and more than a kernel has. */
#define SECTION_MAX	(1ULL << 32)
#define PAGE		4096ULL

/**
 * struct code_section - a section of the image
 * @dso: whose bytes it is; NULL: of a kernel, read by address
 * @skew: of a dso: its first byte is at @skew, so that in a space what is at a multiple of 4 in the
 *        section is at one: code of T32 that was made at run time may lie anywhere in its file
 * @base: of a kernel: address of its first byte
 * @n: bytes
 * @module: of a kernel: its code is that of a module's file, which was @looked for
 * @checked: what the file is has been looked at, and it is @foreign: of another machine
 * @missing: that has been told
 */
struct code_section {
	struct code_section *next;
	struct csflow_code *code;
	struct machine *machine;
	struct dso *dso;
	struct plugin_module *module;
	u64 base, n;
	u32 skew;
	int number;
	bool looked, checked, foreign, missing;
};

/* A section has one place in a space. */
struct code_place {
	int section;
	u64 base;
};

/* The space of @maps; @guest: what is seen there is a guest's. */
struct code_space {
	struct code_space *next;
	struct csflow_code *code;
	struct machine *machine;
	struct maps *maps;
	int number;
	bool guest;
	struct code_place *place;
	size_t n_place, size_place;
};

/* A section as @as says, to be read by @fn.  Return: NULL: there is no memory. */
struct code_section *csflow_section_new(const struct code_section *as, csf_read_fn fn,
					struct code_section **head);

/* Tells, once, that what ran in @name is left out. */
void csflow_section_missing(struct code_section *s, const char *name);

/* Code of a kernel's map may be another: [@start, @start + @n), @n ~0: all.  Return: 0, -ENOMEM. */
int csflow_kernel_changed(struct csflow_code *code, struct machine *machine, int space, u64 start,
			  u64 n);

/* What the recording says of code that changes.  Return: 0, -ENOMEM. */
int csflow_kernel_pokes(struct csflow_code *code);

/* Code that was patched at @addr is read again, unless csflow_kernel_pokes() knows it. */
void csflow_kernel_poked(struct csflow_code *code, u64 addr);

#endif /* SHIM_CODE_PARTS_H */
