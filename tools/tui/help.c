// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "help.h"
#include "list.h"

#define KEYS_WIDTH	22

struct help {
	const char *title;
	const struct key_row *const *table;
	size_t n;
	struct list list;
};

static const struct key_row *row_at(const struct help *help, int64_t i)
{
	for (size_t t = 0; t < help->n; t++)
		for (const struct key_row *row = help->table[t]; row->keys; row++)
			if (row->help && !i--)
				return row;
	return NULL;
}

static void limits(void *ctx, int64_t *first, int64_t *last)
{
	*first = 0;
	*last = -1;
	while (row_at(ctx, *last + 1))
		(*last)++;
}

static void draw_row(void *ctx, int64_t i, struct screen_pen *pen)
{
	const struct key_row *row = row_at(ctx, i);

	if (!*row->keys) {
		screen_print(pen, SCREEN_STRONG, 0, row->help);
		return;
	}
	screen_print(pen, SCREEN_PLAIN, 2, "");
	screen_print(pen, SCREEN_NAME, KEYS_WIDTH, row->keys);
	screen_print(pen, SCREEN_PLAIN, 0, row->help);
}

static const struct list_rows rows = { .limits = limits, .draw = draw_row };

static void draw(struct help *help)
{
	struct screen_pen bar = { 0 };
	struct list_box box = { .row = 1 };
	int n_rows, n_cols;

	screen_size(&n_rows, &n_cols);
	bar.end = n_cols;
	screen_print(&bar, SCREEN_BAR, n_cols, help->title);
	box.rows = n_rows - 2;
	box.cols = n_cols;
	list_draw(&help->list, &box);
	bar.row = n_rows - 1;
	bar.col = 0;
	screen_print(&bar, SCREEN_BAR, n_cols, "arrows, PgUp, PgDn: more; q, Esc or Enter: back");
}

void help_show(const char *title, const struct key_row *const table[], size_t n)
{
	struct help help = { .title = title, .table = table, .n = n, .list = { .rows = &rows } };
	int key;

	help.list.ctx = &help;
	do {
		draw(&help);
		key = screen_key(-1);
		list_key(&help.list, key);
	} while (key != 'q' && key != KEY_ESC && key != KEY_RETURN && key != KEY_LEAVE &&
		 key != KEY_INTERRUPT);
}
