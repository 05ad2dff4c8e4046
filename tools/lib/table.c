// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ratio.h"
#include "table.h"
#include "terminal.h"

void table_column(struct table *t, const char *title, bool right)
{
	t->column[t->n_column++] = (struct table_column){ title, right, strlen(title) };
}

/* The width of a text on a terminal; an unprintable byte takes one column. */
static int width_of(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((uint8_t)*s & 0xc0) != 0x80;
	return n;
}

void table_cell(struct table *t, const char *format, ...)
{
	struct table_column *c = &t->column[t->n % t->n_column];
	va_list args;
	char *text;

	if (t->failed)
		return;
	if (t->n == t->size) {
		size_t size = 2 * t->size + 256;
		char **cell = realloc(t->cell, size * sizeof(*cell));

		t->failed = !cell;
		if (t->failed)
			return;
		t->cell = cell;
		t->size = size;
	}
	va_start(args, format);
	t->failed = vasprintf(&text, format, args) < 0;
	va_end(args);
	if (t->failed)
		return;
	/* names may have characters that move the cursor */
	for (char *p = text; *p; p++)
		if ((uint8_t)*p < ' ' || *p == 0x7f)
			*p = '?';
	t->cell[t->n++] = text;
	if (width_of(text) > c->width)
		c->width = width_of(text);
}

static void pad(int n)
{
	while (n-- > 0)
		putchar(' ');
}

static void print_title(const struct table *t)
{
	printf("#");
	for (int i = 0; i < t->n_column; i++) {
		const struct table_column *c = &t->column[i];

		printf("%s%s", i ? "  " : " ", c->title);
		if (i + 1 < t->n_column)
			pad(c->width - width_of(c->title));
	}
	printf("\n#");
	for (int i = 0; i < t->n_column; i++) {
		printf("%s", i ? "  " : " ");
		for (int k = 0; k < t->column[i].width; k++)
			putchar('.');
	}
	printf("\n#\n");
}

/* Shares are coloured, as in perf report. */
static void print_cell(const char *cell)
{
	const size_t n = strlen(cell);
	const bool share = n && cell[n - 1] == '%';
	const enum colour colour = share ? terminal_share(100 * atof(cell)) : COLOUR_NONE;

	if (colour == COLOUR_NONE)
		printf("%s", cell);
	else
		printf("%s%s%s", terminal_colour(colour), cell, terminal_colour(COLOUR_NONE));
}

int table_print(struct table *t)
{
	if (!t->failed)
		print_title(t);
	for (size_t i = 0; i < t->n; i++) {
		const struct table_column *c = &t->column[i % t->n_column];
		int blanks = c->width - width_of(t->cell[i]);
		bool last = i % t->n_column + 1 == (size_t)t->n_column;

		if (!t->failed) {
			pad(2);
			if (c->right)
				pad(blanks);
			print_cell(t->cell[i]);
			if (!c->right && !last)
				pad(blanks);
			if (last)
				putchar('\n');
		}
		free(t->cell[i]);
	}
	free(t->cell);
	printf("\n");
	return t->failed ? -ENOMEM : 0;
}

void table_share(struct table *t, uint64_t n, uint64_t all)
{
	uint64_t share = ratio_share(n, all);

	table_cell(t, "%" PRIu64 ".%02" PRIu64 "%%", share / 100, share % 100);
}

void table_number(struct table *t, uint64_t n)
{
	table_cell(t, "%" PRIu64, n);
}

void table_quotient(struct table *t, uint64_t n, uint64_t by)
{
	uint64_t q = ratio_near(n, 100, by);

	if (by)
		table_cell(t, "%" PRIu64 ".%02" PRIu64, q / 100, q % 100);
	else
		table_cell(t, "-");
}
