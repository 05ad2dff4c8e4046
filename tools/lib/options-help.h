/* SPDX-License-Identifier: GPL-2.0-only */
/* A table of options as text: for --help, and for shells that complete them. */
#ifndef CSF_OPTIONS_HELP_H
#define CSF_OPTIONS_HELP_H

#include <stdio.h>

#include "options.h"

/* Room for the name of an option and its value. */
#define OPTIONS_NAME_MAX	96

/* The row that each table ends with: it is not in the tables. */
extern const struct opt options_help_row;

/* "--output", and "--no-progress" for a flag that is on without it. */
const char *options_name(const struct opt *o, char text[OPTIONS_NAME_MAX]);

/* Prints the lines of @usage, as in options_parse(). */
void options_print_usage(FILE *f, const char *usage);

/* Prints the table for a reader.  @first: the value of each row before the options were read. */
void options_print_help(const struct opt *table, const int *first);

/*
 * Prints the table for a program, a line for each option, with tabs between its fields; a field
 * that has nothing is "-":
 *
 *	--for	-	FORMAT	word	lcov,cobertura	the format to write (default: lcov)
 *
 * They are: the name; its short form; the name of its value; the kind of it: none, word (one of the
 * words), words (some of them, with commas between them), file, dir, any or, after "=" only, maybe
 * (a file, or one of the words if there are any); the words; the help text.  A first line without a
 * name has the words of which one follows the command: "plan" and more, of @usage "shard plan ...":
 *
 *	-	-	-	verb	plan,run,join,submit	-
 */
void options_print_list(const struct opt *table, const int *first, const char *usage);

/* The same of the options that all commands have, before the command and after it. */
void options_print_common_list(void);

#endif /* CSF_OPTIONS_HELP_H */
