/* SPDX-License-Identifier: GPL-2.0-only */
/* Ways to the file of a dso; only dso*.c include this. */
#ifndef DSO_LOOK_H
#define DSO_LOOK_H

#include "dso.h"

/* Compares @elf, a candidate for the file of @dso. */
enum dso_state dso_judge(const struct dso *dso, const struct elf_file *elf);

/* Takes @elf if @state allows that, or closes it; remembers @path.  Return: it was taken. */
bool dso_take(struct dso *dso, struct elf_file *elf, const char *path, enum dso_state state);

/* Tries one file; @forced: with any build-id.  Return: it was taken. */
bool dso_try(struct dso *dso, const char *path, bool forced);
bool dso_try_at(struct dso *dso, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The build-id cache; NULL: there is none.  May use @home, a buffer of @n bytes. */
const char *dso_cache(const struct dso_table *table, char *home, size_t n);

/* Writes a build-id as text: @s has room for 2 * @n + 1. */
void dso_hex(char *s, const uint8_t *id, size_t n);

/*
 * dso-kernel.c: the kernel at the place given by the user; at common places; or, for want of these,
 * the image of its memory
 */
bool dso_look_kernel(struct dso_table *table, struct dso *dso);
bool dso_look_vmlinux(struct dso_table *table, struct dso *dso);
bool dso_take_kcore(struct dso_table *table, struct dso *dso);
/* A module of which only the name is known: "[nf_tables]" */
bool dso_look_module(struct dso_table *table, struct dso *dso);
/* dso-below.c: anywhere below a folder, by build-id */
bool dso_try_below(struct dso *dso, const char *folder);
/* dso-debuginfod.c: from a server, by build-id */
bool dso_try_debuginfod(struct dso *dso);
/*
 * The vDSO: in the image of the kernel's memory; in the cache, by the kernel's release; that of
 * this machine, if its build-id fits or, without one, if it is the same kernel
 */
bool dso_look_vdso(struct dso_table *table, struct dso *dso);

#endif /* DSO_LOOK_H */
