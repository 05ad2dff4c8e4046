/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keys and their names.  A table gives each action its keys, by name, and its line of help:
 *
 *	static const struct key_row keys[] = {
 *		{ "j Down", "next row", NEXT },
 *		{ }
 *	};
 */
#ifndef CSF_KEY_H
#define CSF_KEY_H

#include <stddef.h>

/* Below these are characters: Unicode, Ctrl-A is 1. */
enum key {
	KEY_NONE = 0x110000,	/* no key: time passed */
	KEY_SIZE,		/* the screen has another size, and was drawn */
	KEY_INTERRUPT,		/* Ctrl-C */
	KEY_LEAVE,		/* a signal asked for the end */
	KEY_ESC,
	KEY_RETURN,
	KEY_ARROW_UP,
	KEY_ARROW_DOWN,
	KEY_ARROW_LEFT,
	KEY_ARROW_RIGHT,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_TOP,
	KEY_BOTTOM,
	KEY_ERASE,
	KEY_DELETE,
	KEY_BACK_TAB,
	KEY_F_1,		/* KEY_F_1 + n - 1 is Fn, up to F12 */
	KEY_F_12 = KEY_F_1 + 11,
};

/**
 * struct key_row - an action
 * @keys: names with a blank between them; NULL: the end of the table
 * @help: one line; NULL: the keys are not shown; if @keys is "", a heading
 * @action: the caller's number, not 0
 */
struct key_row {
	const char *keys;
	const char *help;
	int action;
};

/* The key of a name of @n bytes: "Down", "Enter", "^F", "g"; KEY_NONE: there is none. */
int key_named(const char *name, size_t n);

/* The action of @key in @table; 0: none. */
int key_action(const struct key_row *table, int key);

#endif /* CSF_KEY_H */
