/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The .ini files of snapshots, read tolerantly.
 *
 * [section], key = value, comments after ; or # at the start of a line or
 * after white space; any line end; a byte order mark; one pair of double quotes
 * round a value.  Everything else is reported and ignored.
 */
#ifndef CSF_INI_H
#define CSF_INI_H

#include <stdbool.h>
#include <stddef.h>

#include "problems.h"

struct ini_entry {
	const char *key;
	const char *value;
	unsigned int line;
};

struct ini_section {
	const char *name;
	struct ini_entry *entry;
	size_t n;
	unsigned int line;
};

/**
 * struct ini - a file; zero is an empty one
 * @name: its path, for reports
 * @section: in the order of the file, repeated names included
 */
struct ini {
	char *name;
	char *text;
	struct ini_section *section;
	size_t n;
};

/* Return: 0, or a negative errno: the file cannot be read or is over 16 MiB, or no memory. */
int ini_read(struct ini *ini, const char *path, struct problems *problems);
int ini_parse(struct ini *ini, const char *text, size_t n, struct problems *problems);
void ini_free(struct ini *ini);

/* Names are equal if they differ only in case, or in blank, _ and -, which are the same. */
bool ini_same(const char *a, const char *b);
bool ini_begins(const char *text, const char *start);

/* The first section of that name, and the last entry of that key; or NULL. */
const struct ini_section *ini_section(const struct ini *ini, const char *name);
const struct ini_entry *ini_entry(const struct ini_section *section, const char *key);

/* Reports sections not in @names (ended by NULL) that do not begin with @start. */
void ini_warn_unknown(const struct ini *ini, const char *const names[], const char *start,
		      struct problems *problems);

#endif /* CSF_INI_H */
