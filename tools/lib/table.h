/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of text, with columns as wide as the widest of them, as perf report prints them.
 *
 *	struct table t = { 0 };
 *
 *	table_column(&t, "Overhead", true);
 *	table_cell(&t, "%u", n);
 *	err = table_print(&t);
 */
#ifndef CSF_TABLE_H
#define CSF_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_COLUMNS	12

/* @right: aligned so. */
struct table_column {
	const char *title;
	bool right;
	int width;
};

/* Zero is empty.  @cell: row by row. */
struct table {
	struct table_column column[TABLE_COLUMNS];
	int n_column;
	char **cell;
	size_t n, size;
	bool failed;
};

/* All columns before the first cell; @title is borrowed. */
void table_column(struct table *t, const char *title, bool right);

/* The next cell, formatted as by printf().  Characters that move the cursor are not shown. */
__attribute__((format(printf, 2, 3)))
void table_cell(struct table *t, const char *format, ...);

/* A number; "12.34%" of @all; @n / @by with two decimals, "-" if @by is 0. */
void table_number(struct table *t, uint64_t n);
void table_share(struct table *t, uint64_t n, uint64_t all);
void table_quotient(struct table *t, uint64_t n, uint64_t by);

/* Prints the table and frees its contents.  Return: 0 or -ENOMEM. */
int table_print(struct table *t);

#endif /* CSF_TABLE_H */
