// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "carry-hashed.h"

static int by_hash(const void *p, const void *q)
{
	const struct carry_hashed *a = p, *b = q;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

void carry_hashed_sort(struct carry_hashed *list, size_t n)
{
	if (n)
		qsort(list, n, sizeof(*list), by_hash);
}

static size_t alike(const struct carry_hashed *h, size_t n)
{
	size_t i = 1;

	while (i < n && h[i].hash == h[0].hash)
		i++;
	return i;
}

bool carry_common_next(struct carry_common *c)
{
	c->first[0] += c->alike[0];
	c->first[1] += c->alike[1];
	while (c->first[0] < c->n[0] && c->first[1] < c->n[1]) {
		const uint64_t a = c->list[0][c->first[0]].hash, b = c->list[1][c->first[1]].hash;

		if (a == b) {
			for (int side = 0; side < 2; side++)
				c->alike[side] = alike(&c->list[side][c->first[side]],
						       c->n[side] - c->first[side]);
			return true;
		}
		c->first[a > b]++;
	}
	return false;
}
