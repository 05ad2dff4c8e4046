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
 * struct elf_names - the names of @file
 * @starts: read when a name is first missing: @searched
 * @made: for each start, a name that was made of it; NULL: it was not needed yet
 */
struct elf_names {
	const struct elf_file *file;
	struct elf_symbols *symbols;
	struct elf_go go;
	struct elf_starts starts;
	bool searched;
	char **made;
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

void elf_names_free(struct elf_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; names->made && i < names->starts.n; i++)
		free(names->made[i]);
	free(names->made);
	elf_starts_free(&names->starts);
	elf_go_free(&names->go);
	elf_symbols_free(names->symbols);
	free(names);
}

/* ---------------------------------------------------------------- names that are made */

/* What has a name ends there, and what has none begins. */
static bool add_ends(struct elf_names *names)
{
	struct elf_range range;

	for (size_t i = 0; elf_symbols_range(names->symbols, i, &range); i++)
		if (!elf_starts_add(&names->starts, range.start) ||
		    !elf_starts_add(&names->starts, range.end))
			return false;
	for (size_t i = 0; i < names->go.n; i++)
		if (!elf_starts_add(&names->starts, names->go.symbol[i].addr) ||
		    !elf_starts_add(&names->starts,
				    names->go.symbol[i].addr + names->go.symbol[i].size))
			return false;
	return true;
}

/* Without memory for all starts there are no names: some would have wrong ones. */
static void search(struct elf_names *names)
{
	names->searched = true;
	if (add_ends(names) && elf_starts_read(names->file, &names->starts))
		names->made = calloc(names->starts.n + 1, sizeof(*names->made));
	if (!names->made)
		elf_starts_free(&names->starts);
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
	char **name;
	size_t i;

	/* a module has no addresses to make a name of */
	if (names->file->is_module || names->file->is_core)
		return false;
	if (!names->searched)
		search(names);
	if (!names->made || !elf_starts_find(names->file, &names->starts, addr, &i))
		return false;
	start = &names->starts.addr[i];
	name = &names->made[i];
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
