/* SPDX-License-Identifier: GPL-2.0-only */
/* Search in what is sorted. */
#ifndef CSF_LOWER_BOUND_H
#define CSF_LOWER_BOUND_H

#include <stddef.h>

/**
 * LOWER_BOUND() - the first of several sorted elements that is not before something
 * @n: number of elements
 * @i: name of the index in @before
 * @before: is element @i before it?  True for none, or for the first ones, or for all
 *
 *	first = LOWER_BOUND(n, i, entry[i].time < time);
 *
 * Return: its index; @n: all are before it.
 */
#define LOWER_BOUND(n, i, before) ({					\
	size_t low_##i = 0, high_##i = (n);				\
									\
	while (low_##i < high_##i) {					\
		const size_t i = low_##i + (high_##i - low_##i) / 2;	\
									\
		if (before)						\
			low_##i = i + 1;				\
		else							\
			high_##i = i;					\
	}								\
	low_##i;							\
})

#endif /* CSF_LOWER_BOUND_H */
