/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of the files that lines are of. */
#ifndef LINE_NAMES_H
#define LINE_NAMES_H

#include "line-table.h"

/**
 * struct line_strings - where names may stand, too
 * @str: .debug_str; @line_str: .debug_line_str
 */
struct line_strings {
	struct section str, line_str;
};

/*
 * The path of file @number, relative ones behind @dir, where the unit was compiled; NULL: that is
 * not known.  Return: to be freed; NULL: there is no such file, or no memory.
 */
char *line_name(const struct line_head *head, const struct line_strings *strings, const char *dir,
		uint32_t number);

#endif /* LINE_NAMES_H */
