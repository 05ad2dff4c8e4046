// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "times.h"

#define TIMES_MIN	8

void times_free(struct times *t)
{
	free(t->at);
	*t = (struct times){ 0 };
}

bool times_add(struct times *t, uint64_t time)
{
	if (t->n == t->size) {
		size_t size = t->size ? 2 * t->size : TIMES_MIN;
		uint64_t *grown = realloc(t->at, size * sizeof(*grown));

		if (!grown)
			return false;
		t->at = grown;
		t->size = size;
	}
	t->sorted = !t->n || (t->sorted && t->at[t->n - 1] <= time);
	t->at[t->n] = time;
	__atomic_store_n(&t->n, t->n + 1, __ATOMIC_RELAXED);
	return true;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void times_narrow(struct times *t, uint64_t time, struct steady *s)
{
	size_t lo = 0, hi = t->n;

	if (!t->sorted && t->n)
		qsort(t->at, t->n, sizeof(*t->at), compare);
	t->sorted = true;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->at[mid] <= time)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo && t->at[lo - 1] > s->from)
		s->from = t->at[lo - 1];
	if (lo < t->n && t->at[lo] < s->until)
		s->until = t->at[lo];
}
