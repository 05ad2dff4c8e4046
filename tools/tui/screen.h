/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terminal: one screen of rows and columns, and the keys that are typed.
 *
 *	err = screen_begin(SCREEN_COLOR_AUTO);
 *	if (err)
 *		return say(screen_problem(err));
 *	screen_draw_with(draw, ctx);
 *	do {
 *		draw(ctx);
 *		key = screen_key(-1);
 *	} while (key != 'q' && key != KEY_LEAVE);
 *	screen_end();
 *
 * Only screen.c knows the library for it.  Without that library screen-none.c takes its place.
 * While the screen is up, standard error is kept and comes out after the screen's end.
 */
#ifndef CSF_SCREEN_H
#define CSF_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "key.h"

/* --color=WHEN: the index of the word is the value. */
enum screen_color {
	SCREEN_COLOR_AUTO,	/* if the terminal has colours and $NO_COLOR is empty */
	SCREEN_COLOR_ALWAYS,
	SCREEN_COLOR_NEVER,
};

#define SCREEN_COLOR_WORDS	{ "auto", "always", "never", NULL }

/* The meaning of a text; colours follow from it, and without colours attributes do. */
enum screen_style {
	SCREEN_PLAIN,
	SCREEN_FAINT,		/* less important than what is around it */
	SCREEN_STRONG,
	SCREEN_NAME,		/* functions and files */
	SCREEN_NUMBER,		/* addresses, times, line numbers */
	SCREEN_WARM,		/* ran often */
	SCREEN_HOT,		/* ran most often */
	SCREEN_ALARM,		/* gaps, losses */
	SCREEN_BAR,		/* title and status lines */
	SCREEN_N_STYLES,
	SCREEN_HERE = 0x100,	/* or-ed to one of them: the row of the cursor */
};

/**
 * struct screen_pen - a part of one row, and how far it is written
 * @row, @col: the next column to be written; from 0
 * @end: the first column that is not the pen's
 * @style: or-ed to the style of each text, such as SCREEN_HERE
 */
struct screen_pen {
	int row, col, end;
	int style;
};

/* Return: 0; -ENOTTY: no terminal; -EINVAL: type not known; -EOPNOTSUPP: built without; -errno. */
int screen_begin(enum screen_color color);

/* The meaning of an error of screen_begin(), and what to do. */
const char *screen_problem(int err);

/* The terminal is as before.  What was written to standard error meanwhile is written now. */
void screen_end(void);

/* The signal that asked for the end, after KEY_LEAVE; 0: none. */
int screen_signal(void);

void screen_size(int *rows, int *cols);

/* @draw draws everything.  It is called after the size has changed, or another program was here. */
void screen_draw_with(void (*draw)(void *ctx), void *ctx);

/* Calls it. */
void screen_draw(void);

void screen_clear(void);

/**
 * screen_print() - write text with the pen
 * @width: columns to fill: the text is cut, or blanks are added; 0: as many as the text has
 * @text: UTF-8 from anywhere: a byte or character that is not printable becomes "?", a tab blanks
 */
void screen_print(struct screen_pen *pen, enum screen_style style, int width, const char *text);

__attribute__((format(printf, 4, 5)))
void screen_printf(struct screen_pen *pen, enum screen_style style, int width,
		   const char *format, ...);

/* Blanks up to the pen's end. */
void screen_rest(struct screen_pen *pen, enum screen_style style);

/* The visible cursor; @row -1: none. */
void screen_cursor(int row, int col);

/* Shows what was written. */
void screen_show(void);

/**
 * screen_key() - the next key
 * @wait_ms: -1: as long as it takes
 *
 * Return: a character, or enum key; KEY_NONE after @wait_ms.
 */
int screen_key(int wait_ms);

/* During long work: was Ctrl-C typed since the last call, or did another signal ask for the end? */
bool screen_interrupted(void);

#endif /* CSF_SCREEN_H */
