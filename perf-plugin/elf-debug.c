// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf-debug.h"

#define DEBUG_DIR	"/usr/lib/debug"

static bool is_at(const char *top, size_t n, const char *dir, const char *sub, const char *name)
{
	char path[PATH_MAX];
	const int size = snprintf(path, sizeof(path), "%s%.*s/%s%s", top, (int)n, dir, sub, name);

	return size > 0 && (size_t)size < sizeof(path) && !access(path, F_OK);
}

/* Is @name in the folder @dir, of @n characters, or in its .debug? */
static bool is_beside(const char *dir, size_t n, const char *name)
{
	return is_at("", n, dir, "", name) || is_at("", n, dir, ".debug/", name);
}

/* Is @name in DEBUG_DIR: below all folders of @dir, or below the last ones, or below none? */
static bool is_apart(const char *dir, size_t n, const char *name)
{
	const char *const end = dir + n;

	for (; dir && dir < end; dir = strchr(dir + 1, '/'))
		if (is_at(DEBUG_DIR, end - dir, dir, "", name))
			return true;
	return is_at(DEBUG_DIR, 0, "", "", name);
}

/*
 * Does the file at @path, an absolute path, have a debug file named as @link, or else as the file
 * itself?
 */
static bool has_file(const char *path, const char *link)
{
	const char *const base = strrchr(path, '/') + 1;
	const size_t n = base - 1 - path;
	char name[NAME_MAX + 1];

	if (link)
		return is_beside(path, n, link) || is_apart(path, n, link);
	snprintf(name, sizeof(name), "%s.debug", base);
	return is_beside(path, n, name) || is_apart(path, n, name) || is_apart(path, n, base);
}

/* By its own name, or by the name that links lead to. */
static bool may_have_file(const char *path, const char *link)
{
	char *real = realpath(path, NULL);
	const bool has = !real || (*path == '/' && has_file(path, link)) || has_file(real, link);

	free(real);
	return has;
}

/*
 * As libdwfl does.  But where that finds nothing, it loads libdebuginfod and thirty more libraries
 * before it checks whether a server is configured, which takes 5 ms.
 */
static int find_debuginfo(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base,
			  const char *path, const char *link, GElf_Word crc, char **found)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if ((urls && *urls) || !path || may_have_file(path, link))
		return dwfl_standard_find_debuginfo(mod, user, name, base, path, link, crc, found);
	return dwfl_build_id_find_debuginfo(mod, user, name, base, path, link, crc, found);
}

static char *debug_path;	/* NULL: the distribution's place for debug files */

const Dwfl_Callbacks elf_debug_callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};
