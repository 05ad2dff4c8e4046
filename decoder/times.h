/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Times at which maps may change; between two of them nothing changes. */
#ifndef CSF_TIMES_H
#define CSF_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct times - a set of times; initialise to zero
 * @at: @n times, with room for @size; in order if @sorted; owned
 */
struct times {
	uint64_t *at;
	size_t n, size;
	bool sorted;
};

/**
 * struct steady - a span of time without changes
 * @from: first time of the span; @until: the end, not included
 * @n: number of times that it was found with
 */
struct steady {
	uint64_t from, until;
	size_t n;
};

void times_free(struct times *t);

/* Return: false: no memory. */
bool times_add(struct times *t, uint64_t time);

/* Narrows @s to the span around @time; s->n stays. */
void times_narrow(struct times *t, uint64_t time, struct steady *s);

/* The number of times, which other threads may be adding to. */
static inline size_t times_n(const struct times *t)
{
	return __atomic_load_n(&t->n, __ATOMIC_RELAXED);
}

/* Was @s found with all times of @t, and is @time in it? */
static inline bool times_same(const struct times *t, const struct steady *s, uint64_t time)
{
	return s->n == times_n(t) && time >= s->from && time < s->until;
}

#endif /* CSF_TIMES_H */
