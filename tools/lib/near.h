/* SPDX-License-Identifier: GPL-2.0-only */
/* How alike two names are: for "did you mean". */
#ifndef CSF_NEAR_H
#define CSF_NEAR_H

#include <stdbool.h>

/*
 * The number of letters to change, add, remove, or swap with the next one.  Return: UINT_MAX if a
 * name is too long to be compared.
 */
unsigned int near_distance(const char *a, const char *b);

/**
 * struct near - the most similar of some names
 * @typed: the name that does not exist
 * @name: the best of the names so far; NULL: none is similar
 */
struct near {
	const char *typed, *name;
	/* private */
	unsigned int distance;
};

/* Looks at one more name, which is borrowed.  The first of several that are as near is kept. */
void near_try(struct near *n, const char *name);

#endif /* CSF_NEAR_H */
