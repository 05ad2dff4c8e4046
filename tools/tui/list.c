// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>

#include "list.h"

/* Rows between two looks for Ctrl-C. */
#define LOOK_EVERY	1024

enum { DOWN = 1, UP, PAGE_DOWN, PAGE_UP, HALF_DOWN, HALF_UP, FIRST, LAST };

const struct key_row list_keys[] = {
	{ "j Down",		"next row",		DOWN },
	{ "k Up",		"row before",		UP },
	{ "Space PgDn ^F",	"next page",		PAGE_DOWN },
	{ "b PgUp ^B",		"page before",		PAGE_UP },
	{ "^D",			"half a page down",	HALF_DOWN },
	{ "^U",			"half a page up",	HALF_UP },
	{ "g Home",		"first row",		FIRST },
	{ "G End",		"last row",		LAST },
	{ }
};

/* The cursor is on a row, and in sight, as far as there are rows. */
static void settle(struct list *list, int64_t first, int64_t last)
{
	const int height = list->height > 0 ? list->height : 1;

	if (list->at > last)
		list->at = last;
	if (list->at < first)
		list->at = first;
	if (list->top > list->at)
		list->top = list->at;
	if (list->top < list->at - (height - 1))
		list->top = list->at - (height - 1);
	if (list->top > last - (height - 1))
		list->top = last - (height - 1);
	if (list->top < first)
		list->top = first;
}

void list_draw(struct list *list, const struct list_box *box)
{
	int64_t first, last;

	list->height = box->rows;
	list->rows->limits(list->ctx, &first, &last);
	settle(list, first, last);
	for (int n = 0; n < box->rows; n++) {
		const int64_t i = list->top + n;
		struct screen_pen pen = {
			.row = box->row + n, .col = box->col, .end = box->col + box->cols,
			.style = i == list->at && !list->idle && i <= last ? SCREEN_HERE : 0,
		};

		if (i <= last)
			list->rows->draw(list->ctx, i, &pen);
		screen_rest(&pen, SCREEN_PLAIN);
	}
}

/* How far an action moves the cursor. */
static int64_t step(const struct list *list, int action)
{
	const int page = list->height > 1 ? list->height - 1 : 1;

	switch (action) {
	case DOWN:	return 1;
	case UP:	return -1;
	case PAGE_DOWN:	return page;
	case PAGE_UP:	return -page;
	case HALF_DOWN:	return (page + 1) / 2;
	case HALF_UP:	return -(page + 1) / 2;
	}
	return 0;
}

bool list_key(struct list *list, int key)
{
	const int action = key_action(list_keys, key);
	const int64_t by = step(list, action);
	int64_t first, last;

	if (!action)
		return false;
	list->rows->limits(list->ctx, &first, &last);
	if (action == FIRST)
		list->at = first;
	else if (action == LAST)
		list->at = last;
	else
		list->at += by;
	/* A page moves what is in sight, too. */
	if (by > 1 || by < -1)
		list->top += by;
	settle(list, first, last);
	return true;
}

static bool has_capital(const char *text)
{
	while (*text && !isupper((unsigned char)*text))
		text++;
	return *text;
}

static bool matches(const struct list *list, int64_t i, const char *text, bool exact)
{
	char row[1024];

	list->rows->text(list->ctx, i, row, sizeof(row));
	return exact ? strstr(row, text) : strcasestr(row, text);
}

enum list_found list_find(struct list *list, const char *text, int by)
{
	const bool exact = has_capital(text);
	bool wrapped = false;
	int64_t first, last, i = list->at;

	list->rows->limits(list->ctx, &first, &last);
	if (!list->rows->text || last < first)
		return LIST_NOT_FOUND;
	for (uint64_t n = 1; ; n++) {
		i += by;
		if (i > last || i < first) {
			wrapped = true;
			i = by > 0 ? first : last;
		}
		if (matches(list, i, text, exact))
			break;
		if (i == list->at)
			return LIST_NOT_FOUND;
		if (!(n % LOOK_EVERY) && screen_interrupted())
			return LIST_INTERRUPTED;
	}
	list->at = i;
	return wrapped ? LIST_WRAPPED : LIST_FOUND;
}
