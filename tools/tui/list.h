/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A list on the screen that asks for its rows when it shows them: it may have any number of rows,
 * and holds none.
 *
 *	static const struct list_rows rows = { .limits = limits, .draw = draw_row, .text = text };
 *	struct list list = { .rows = &rows, .ctx = this };
 *
 *	list_draw(&list, &box);
 *	if (!list_key(&list, key))
 *		... a key of the caller's ...
 */
#ifndef CSF_LIST_H
#define CSF_LIST_H

#include "screen.h"

/* A part of the screen. */
struct list_box {
	int row, col, rows, cols;
};

/**
 * struct list_rows - where rows come from
 * @limits: the first and the last row; last < first: there are none
 * @draw: writes row @i; the list fills the rest of it with blanks
 * @text: row @i, for a search; cut to @size bytes with the final 0; NULL: no search
 */
struct list_rows {
	void (*limits)(void *ctx, int64_t *first, int64_t *last);
	void (*draw)(void *ctx, int64_t i, struct screen_pen *pen);
	void (*text)(void *ctx, int64_t i, char *text, size_t size);
};

/**
 * struct list - zero it, and set @rows and @ctx
 * @top: the row at the top; the list keeps @at in sight
 * @at: the row of the cursor
 * @height: rows of the box that list_draw() had
 * @idle: the cursor is not shown, as the list has no keys now
 */
struct list {
	const struct list_rows *rows;
	void *ctx;
	int64_t top, at;
	int height;
	bool idle;
};

void list_draw(struct list *list, const struct list_box *box);

/* Keys of a list, for the help window. */
extern const struct key_row list_keys[];

/* Return: it is a key of the list, and the cursor moved if there was a row for it. */
bool list_key(struct list *list, int key);

/* Result of list_find(). */
enum list_found {
	LIST_FOUND,
	LIST_WRAPPED,		/* after the end of the list, from its other end */
	LIST_NOT_FOUND,
	LIST_INTERRUPTED,
};

/**
 * list_find() - move the cursor to the next row that has a text
 * @by: 1: forward, -1: backward
 *
 * Letters of both cases are the same, unless @text has a capital letter.  Ctrl-C ends a long
 * search.
 */
enum list_found list_find(struct list *list, const char *text, int by);

#endif /* CSF_LIST_H */
