/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Standard output on a terminal: a pager and colours, as git has them, and no binary data.
 *
 * Options of all commands, before the command and after it: --no-pager, --color[=WHEN],
 * --no-color.
 */
#ifndef CSF_TERMINAL_H
#define CSF_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is an option named so, with @n letters, one of these? */
bool terminal_is_option(const char *name, size_t n);

/* @value: what is after its "="; NULL: nothing.  Return: NULL, or what is wrong. */
const char *terminal_option(const char *name, size_t n, const char *value);

/* The words of --color, ended by NULL. */
extern const char *const terminal_colours[];

/* The output of this command goes to a pager: terminal_begin() calls terminal_page(). */
void terminal_pages(void);

/* After the options are known: looks at standard output. */
void terminal_begin(void);

/*
 * Starts the pager, if standard output is a terminal, before anything is printed.  Standard error
 * goes to it, too, if that is a terminal, so that nothing is written over the text; then no
 * progress is shown.  The process ends after the pager.  If the pager ends first, SIGPIPE ends the
 * process, as with any pipe.
 */
void terminal_page(void);

/* Is standard output a terminal, or a pager on one? */
bool terminal_is(void);

/*
 * Binary data to standard output: reports that a terminal cannot show it.  @path: where the output
 * goes; NULL: standard output.  Return: it may be written.
 */
bool terminal_takes_binary(const char *path);

enum colour { COLOUR_NONE, COLOUR_RED, COLOUR_GREEN, COLOUR_YELLOW, COLOUR_BLUE, COLOUR_MAGENTA,
	      COLOUR_CYAN, COLOUR_NR };

/* The bytes that begin a colour, or end it: COLOUR_NONE; "" without colours. */
const char *terminal_colour(enum colour colour);

/* Perf's colours of a share in hundredths of a per cent: from 5 % on red, from 0.5 % on green. */
enum colour terminal_share(uint64_t share);

#endif /* CSF_TERMINAL_H */
