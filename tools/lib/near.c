// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "near.h"

/* Longer names are not compared letter by letter. */
#define LETTERS_MAX	256

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

unsigned int near_distance(const char *a, const char *b)
{
	/* distances of the beginnings of @b to that of @a, and to one and two letters less of it */
	unsigned int rows[3][LETTERS_MAX + 1];
	unsigned int *before = rows[0], *above = rows[1], *row = rows[2];
	size_t n = strlen(b);

	if (n > LETTERS_MAX || strlen(a) > LETTERS_MAX)
		return UINT_MAX;
	for (size_t k = 0; k <= n; k++)
		row[k] = k;
	for (size_t i = 0; a[i]; i++) {
		unsigned int *spare = before;

		before = above;
		above = row;
		row = spare;
		row[0] = i + 1;
		for (size_t k = 0; k < n; k++) {
			row[k + 1] = least(above[k] + (a[i] != b[k]),
					   least(above[k + 1], row[k]) + 1);
			if (i && k && a[i] == b[k - 1] && a[i - 1] == b[k])
				row[k + 1] = least(row[k + 1], before[k - 1] + 1);
		}
	}
	return row[n];
}

/* A name of two letters has one wrong at most, or every other would be near. */
void near_try(struct near *n, const char *name)
{
	const size_t letters = strlen(n->typed);
	const unsigned int d = near_distance(n->typed, name);

	if (d > 1 + letters / 4 || d >= letters || (n->name && d >= n->distance))
		return;
	n->name = name;
	n->distance = d;
}
