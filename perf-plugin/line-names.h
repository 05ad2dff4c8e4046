/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of source files in line tables. */
#ifndef LINE_NAMES_H
#define LINE_NAMES_H

#include "line-table.h"

/**
 * struct line_strings - sections that may have the names
 * @str: .debug_str; @line_str: .debug_line_str
 */
struct line_strings {
	struct section str, line_str;
};

/*
 * The path of file @number.  A relative path is appended to @dir, the directory where the unit was
 * compiled; NULL: not known.  Return: the path, which the caller frees; NULL: there is no such
 * file, or no memory.
 */
char *line_name(const struct line_head *head, const struct line_strings *strings, const char *dir,
		uint32_t number);

#endif /* LINE_NAMES_H */
