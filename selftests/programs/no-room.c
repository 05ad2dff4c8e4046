// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded: only the program's own allocation number $NO_ROOM, from 1, fails.  With $NO_ROOM_COUNT
 * their number is written to that file at the end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static uintptr_t first, last;
static unsigned long which, done;

/* The program comes first of all. */
static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X))
			continue;
		first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		last = first + info->dlpi_phdr[i].p_memsz;
	}
	return 1;
}

__attribute__((constructor))
static void begin(void)
{
	const char *text = getenv("NO_ROOM");

	which = text ? strtoul(text, NULL, 10) : 0;
	dl_iterate_phdr(look, NULL);
}

__attribute__((destructor))
static void end(void)
{
	const char *path = getenv("NO_ROOM_COUNT");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (f)
		fprintf(f, "%lu\n", done), fclose(f);
}

static int fails(const void *caller)
{
	const uintptr_t at = (uintptr_t)caller;

	if (at < first || at >= last || __atomic_add_fetch(&done, 1, __ATOMIC_RELAXED) != which)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}
