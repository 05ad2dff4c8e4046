// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first that knows a name gives it: symbols and stubs; Go's own table; and where no name is
 * known, the place where the function begins.
 */
#define _GNU_SOURCE	/* asprintf() */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf-go.h"
#include "elf-names.h"
#include "elf-starts.h"
#include "elf-symbols.h"

/**
 * struct made - names that are made
 * @starts: read when a name is first missing: @searched
 * @name: for each start, the name; NULL: it was not needed yet
 */
struct made {
	struct elf_starts starts;
	char **name;
	bool searched;
};

/**
 * struct elf_names - the names of @file
 * @frames: read when a name is first missing: @searched
 * @walked: for code that is in one of @frames; @rest: for other code
 */
struct elf_names {
	const struct elf_file *file;
	struct elf_symbols *symbols;
	struct elf_go go;
	struct elf_frames frames;
	bool searched;
	struct made walked, rest;
};

struct elf_names *elf_names_new(const struct elf_file *file)
{
	struct elf_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->file = file;
	names->symbols = elf_symbols_new(file);
	if (!names->symbols || !elf_go_read(file, &names->go)) {
		elf_names_free(names);
		return NULL;
	}
	return names;
}

static void free_made(struct made *made)
{
	for (size_t i = 0; made->name && i < made->starts.n; i++)
		free(made->name[i]);
	free(made->name);
	elf_starts_free(&made->starts);
}

void elf_names_free(struct elf_names *names)
{
	if (!names)
		return;
	free_made(&names->walked);
	free_made(&names->rest);
	elf_frames_free(&names->frames);
	elf_go_free(&names->go);
	elf_symbols_free(names->symbols);
	free(names);
}

/* ---------------------------------------------------------------- names that are made */

/* Code with a name ends there, and code without one begins. */
static bool add_ends(const struct elf_names *names, struct elf_starts *starts)
{
	struct elf_range range;

	for (size_t i = 0; elf_symbols_range(names->symbols, i, &range); i++)
		if (!elf_starts_add(starts, range.start) ||
		    !elf_starts_add(starts, range.end))
			return false;
	for (size_t i = 0; i < names->go.n; i++)
		if (!elf_starts_add(starts, names->go.symbol[i].addr) ||
		    !elf_starts_add(starts, names->go.symbol[i].addr + names->go.symbol[i].size))
			return false;
	return true;
}

/* Without memory for all starts there are no names: some would have wrong ones. */
static void search(const struct elf_names *names, struct made *made)
{
	const bool calls = made == &names->rest;

	made->searched = true;
	if (add_ends(names, &made->starts) &&
	    elf_starts_read(names->file, &names->frames, calls, &made->starts))
		made->name = calloc(made->starts.n + 1, sizeof(*made->name));
	if (!made->name)
		elf_starts_free(&made->starts);
}

/* The names for code at @addr; NULL: no memory. */
static struct made *made_for(struct elf_names *names, uint64_t addr)
{
	struct made *made;

	if (!names->searched && !elf_frames_read(names->file, &names->frames))
		elf_frames_free(&names->frames);
	names->searched = true;
	made = elf_frames_has(&names->frames, addr) ? &names->walked : &names->rest;
	if (!made->searched)
		search(names, made);
	return made->name ? made : NULL;
}

static const char *base_name(const struct elf_file *file)
{
	const char *path = file->name ? file->name : file->path ? file->path : "";
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool make(struct elf_names *names, uint64_t addr, struct elf_symbol *symbol)
{
	const uint64_t *start;
	struct made *made;
	char **name;
	size_t i;

	/* a module has no addresses to make a name of */
	if (names->file->is_module || names->file->is_core)
		return false;
	made = made_for(names, addr);
	if (!made || !elf_starts_find(names->file, &made->starts, addr, &i))
		return false;
	start = &made->starts.addr[i];
	name = &made->name[i];
	if (!*name && asprintf(name, "%s+0x%" PRIx64, base_name(names->file), *start) < 0)
		*name = NULL;
	*symbol = (struct elf_symbol){ .name = *name, .addr = *start,
				       .size = start[1] - *start, .made = true };
	return *name;
}

/* ---------------------------------------------------------------- all */

bool elf_names_find(struct elf_names *names, uint64_t addr, struct elf_symbol *symbol)
{
	return elf_symbols_find(names->symbols, addr, symbol) ||
	       elf_go_find(&names->go, addr, symbol) || make(names, addr, symbol);
}

bool elf_names_address(const struct elf_names *names, const char *name, uint64_t *addr)
{
	return elf_symbols_address(names->symbols, name, addr) ||
	       elf_go_address(&names->go, name, addr);
}
