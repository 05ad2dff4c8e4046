/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow. */
#ifndef CSF_ARRAY_H
#define CSF_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Makes room for one more after the @n elements of *@array, a pointer to elements of @element
 * bytes, with room for *@size of them.  Returns false if there is no memory.
 */
static inline bool array_room(void *array, size_t n, size_t *size, size_t element)
{
	void **p = array, *grown;
	size_t more = 2 * *size + 32;

	if (n < *size)
		return true;
	grown = realloc(*p, more * element);
	if (!grown)
		return false;
	*p = grown;
	*size = more;
	return true;
}

/* The same for an array without a size: it always has room for the next power of two. */
static inline bool array_next(void *array, size_t n, size_t element)
{
	void **p = array, *grown;

	if (n & (n - 1))
		return true;
	grown = realloc(*p, (n ? 2 * n : 1) * element);
	if (!grown)
		return false;
	*p = grown;
	return true;
}

/* Resizes *@array from @was to @n elements of @size bytes; new ones are zero.  Returns likewise. */
static inline bool array_zeros(void *array, size_t was, size_t n, size_t size)
{
	void **p = array;
	char *grown = realloc(*p, n * size);

	if (!grown)
		return false;
	memset(grown + was * size, 0, (n - was) * size);
	*p = grown;
	return true;
}

#endif /* CSF_ARRAY_H */
