// SPDX-License-Identifier: GPL-2.0-only
/* Source: DWARF 5, 6.2.4, and DWARF 4, 6.2.4. */
#define _GNU_SOURCE
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "line-names.h"

/**
 * struct names - names that are being read
 * @wide: as in struct line_head
 */
struct names {
	const struct line_strings *strings;
	int wide;
	struct section at;
};

/* A directory, or a file in the directory @dir. */
struct name {
	const char *name;
	uint64_t dir;
};

/* The string up to the next 0; NULL: there is none. */
static const char *string(struct section *s)
{
	const uint8_t *end = s->at < s->end ? memchr(s->at, 0, s->end - s->at) : NULL;
	const char *text = (const char *)s->at;

	s->bad |= !end;
	s->at = end ? end + 1 : s->end;
	return end ? text : NULL;
}

static const char *string_at(struct section s, uint64_t offset)
{
	section_part(&s, offset);
	return string(&s);
}

/* ---------------------------------------------------------------- DWARF 5 */

/* Reads a field of @form: a number goes to *@number.  Return: a string, or NULL. */
static const char *read_form(struct names *n, uint64_t form, uint64_t *number)
{
	*number = 0;
	switch (form) {
	case DW_FORM_string:
		return string(&n->at);
	case DW_FORM_line_strp:
		return string_at(n->strings->line_str, section_number(&n->at, n->wide));
	case DW_FORM_strp:
		return string_at(n->strings->str, section_number(&n->at, n->wide));
	case DW_FORM_udata:
		*number = section_leb(&n->at, false);
		break;
	case DW_FORM_data1:
		*number = section_byte(&n->at);
		break;
	case DW_FORM_data2:
		*number = section_number(&n->at, 2);
		break;
	case DW_FORM_data4:
		*number = section_number(&n->at, 4);
		break;
	case DW_FORM_data8:
		*number = section_number(&n->at, 8);
		break;
	case DW_FORM_data16:
		section_part(&n->at, 16);
		break;
	case DW_FORM_block:
		section_part(&n->at, section_leb(&n->at, false));
		break;
	default:
		n->at.bad = true;
	}
	return NULL;
}

/* Reads an entry of a list, with the fields of @format. */
static struct name read_entry(struct names *n, struct section format, int n_format)
{
	struct name entry = { NULL, 0 };

	for (int i = 0; i < n_format; i++) {
		uint64_t type = section_leb(&format, false), number;
		const char *text = read_form(n, section_leb(&format, false), &number);

		if (type == DW_LNCT_path)
			entry.name = text;
		else if (type == DW_LNCT_directory_index)
			entry.dir = number;
	}
	return entry;
}

/* Reads a whole list.  Return: its entry @number. */
static struct name read_list(struct names *n, uint64_t number)
{
	const int n_format = section_byte(&n->at);
	const struct section format = n->at;
	struct name found = { NULL, 0 };
	uint64_t count;

	for (int i = 0; i < 2 * n_format; i++)
		section_leb(&n->at, false);
	count = section_leb(&n->at, false);
	for (uint64_t i = 0; i < count && !n->at.bad && n_format; i++) {
		const struct name entry = read_entry(n, format, n_format);

		if (i == number)
			found = entry;
	}
	return found;
}

/* The name of file @number, and its directory. */
static const char *find_5(struct names n, uint64_t number, const char **dir)
{
	const struct section begin = n.at;
	struct name file;

	read_list(&n, 0);
	file = read_list(&n, number);
	n.at = begin;
	*dir = read_list(&n, file.dir).name;
	return file.name;
}

/* ---------------------------------------------------------------- DWARF 2 to 4 */

/* Reads names up to an empty one.  Return: name @number, counted from 1. */
static const char *read_dirs(struct names *n, uint64_t number)
{
	const char *found = NULL, *text;

	while ((text = string(&n->at)) && *text)
		if (!--number)
			found = text;
	return found;
}

static struct name read_files(struct names *n, uint64_t number)
{
	struct name found = { NULL, 0 };
	const char *text;

	while ((text = string(&n->at)) && *text) {
		const uint64_t dir = section_leb(&n->at, false);

		/* time of modification, and length */
		section_leb(&n->at, false);
		section_leb(&n->at, false);
		if (!--number)
			found = (struct name){ text, dir };
	}
	return found;
}

static const char *find_4(struct names n, uint64_t number, const char **dir)
{
	const struct section begin = n.at;
	struct name file;

	read_dirs(&n, 0);
	file = read_files(&n, number);
	n.at = begin;
	*dir = file.dir ? read_dirs(&n, file.dir) : NULL;
	return file.name;
}

/* ---------------------------------------------------------------- all versions */

char *line_name(const struct line_head *head, const struct line_strings *strings, const char *dir,
		uint32_t number)
{
	const struct names n = { .strings = strings, .wide = head->wide, .at = head->names };
	const char *in = NULL, *name;
	char *path;

	name = head->version >= 5 ? find_5(n, number, &in) : find_4(n, number, &in);
	if (!name)
		return NULL;
	if (*name == '/' || !in)
		in = "";
	if (*name == '/' || *in == '/' || !dir)
		dir = "";
	if (asprintf(&path, "%s%s%s%s%s", dir, *dir ? "/" : "", in, *in ? "/" : "", name) < 0)
		return NULL;
	return path;
}
