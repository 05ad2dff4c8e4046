/* SPDX-License-Identifier: GPL-2.0-only */
/* Common parts of code.c, for processes and dsos, and code-kernel.c. */
#ifndef SHIM_CODE_PARTS_H
#define SHIM_CODE_PARTS_H

#include "code.h"
#include "../plugin-changes.h"
#include "../plugin-module.h"

/* The library's limit, which is more than a kernel has. */
#define SECTION_MAX	(1ULL << 32)
#define PAGE		4096ULL

/**
 * struct code_section - a section of the image
 * @dso: the source of its bytes; NULL: a kernel, read by address
 * @skew: for a dso: offset of its first byte, so that multiples of 4 in the section are multiples
 *        of 4 in a space, as T32 code that was made at run time may be anywhere in its file
 * @base: for a kernel: address of its first byte
 * @n: bytes
 * @module: for a kernel: the module's file that has its code; @looked: it was looked for
 * @checked: the kind of the file was checked; @foreign: it is for another machine
 * @missing: it was reported as missing
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

/* A section is mapped once in a space. */
struct section_base {
	int section;
	u64 base;
};

/* The space of @maps; @guest: its maps are a guest's. */
struct code_space {
	struct code_space *next;
	struct csflow_code *code;
	struct machine *machine;
	struct maps *maps;
	int number;
	bool guest;
	struct section_base *mapped;
	size_t n_mapped, size_mapped;
};

/* Makes a section as in @as, to be read by @fn.  Return: NULL: no memory. */
struct code_section *csflow_section_new(const struct code_section *as, csf_read_fn fn,
					struct code_section **head);

/* Reports, once, that execution in @name is left out. */
void csflow_section_missing(struct code_section *s, const char *name);

/*
 * The code of a kernel's map may have changed: [@start, @start + @n), @n ~0: all.  Return: 0,
 * -ENOMEM.
 */
int csflow_kernel_changed(struct csflow_code *code, struct machine *machine, int space, u64 start,
			  u64 n);

/* Takes the recording's changes of code.  Return: 0, -ENOMEM. */
int csflow_kernel_pokes(struct csflow_code *code);

/*
 * Compares the kernel's code from the start of the recording with that from its end, if it has
 * both.  Return: 0, -ENOMEM.
 */
int csflow_kernel_compare(struct csflow_code *code);

/* Hides code in [@start, @last] that changed: either code may have run.  Return: 0, -ENOMEM. */
int csflow_hide_changes(struct csflow_code *code, u64 start, u64 last);

/*
 * Makes the code that was patched at @addr be read again, unless csflow_kernel_pokes() has the
 * change.
 */
void csflow_kernel_poked(struct csflow_code *code, u64 addr);

#endif /* SHIM_CODE_PARTS_H */
