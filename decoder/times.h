/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Times at which what is mapped may become other, and between which it is the same. */
#ifndef CSF_TIMES_H
#define CSF_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct times - zero it
 * @at: @n of them, room for @size; in order if @sorted; owned
 */
struct times {
	uint64_t *at;
	size_t n, size;
	bool sorted;
};

/**
 * struct steady - from when until when all is the same
 * @from: not before that; @until: before that
 * @n: of the times by which that was found
 */
struct steady {
	uint64_t from, until;
	size_t n;
};

void times_free(struct times *t);

/* Return: false: no memory. */
bool times_add(struct times *t, uint64_t time);

/* Leaves of @s what is around @time; s->n stays. */
void times_narrow(struct times *t, uint64_t time, struct steady *s);

/* Others may add some. */
static inline size_t times_n(const struct times *t)
{
	return __atomic_load_n(&t->n, __ATOMIC_RELAXED);
}

/* Was @s found by all of @t, and is @time in it? */
static inline bool times_same(const struct times *t, const struct steady *s, uint64_t time)
{
	return s->n == times_n(t) && time >= s->from && time < s->until;
}

#endif /* CSF_TIMES_H */
