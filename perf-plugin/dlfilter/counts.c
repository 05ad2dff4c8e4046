// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "counts.h"

/* ---------------------------------------------------------------- files */

static uint32_t add_dso(struct counts *counts, const struct dso *like)
{
	struct dso *dso = counts->dso;
	uint32_t n = counts->n_dso;
	char *name;

	/* Make room for twice as many, at powers of two. */
	if (!(n & (n - 1))) {
		dso = realloc(dso, (n ? 2 * (size_t)n : 1) * sizeof(*dso));
		if (!dso)
			return DSO_NONE;
		counts->dso = dso;
	}
	name = strdup(like->name);
	if (!name)
		return DSO_NONE;
	dso[n] = *like;
	dso[n].name = name;
	return counts->n_dso++;
}

uint32_t counts_dso(struct counts *counts, const struct dso *like)
{
	uint32_t i = counts->last_dso;

	/*
	 * Compare names, not pointers: perf may have freed a name and used its memory for another.
	 */
	if (i >= counts->n_dso || strcmp(counts->dso[i].name, like->name)) {
		for (i = 0; i < counts->n_dso; i++)
			if (!strcmp(counts->dso[i].name, like->name))
				break;
		if (i == counts->n_dso)
			i = add_dso(counts, like);
		if (i != DSO_NONE)
			counts->last_dso = i;
	}
	return i;
}

/* ---------------------------------------------------------------- counts */

static size_t hash(const struct count *c)
{
	uint64_t h = c->from * 0x9e3779b97f4a7c15 + c->to;

	h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
	h += ((uint64_t)c->dso << 34) + ((uint64_t)c->to_dso << 4) + c->kind;
	h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
	return h ^ h >> 32;
}

/* The slot of @what, or where it would be. */
static struct count *find(const struct counts *counts, const struct count *what)
{
	size_t mask = counts->n_slot - 1;

	for (size_t i = hash(what) & mask;; i = (i + 1) & mask) {
		struct count *c = &counts->slot[i];

		if (!c->n || (c->from == what->from && c->to == what->to && c->dso == what->dso &&
			      c->to_dso == what->to_dso && c->kind == what->kind))
			return c;
	}
}

static int grow(struct counts *counts)
{
	struct counts larger = { .n_slot = counts->n_slot ? 2 * counts->n_slot : 1 << 12 };

	larger.slot = calloc(larger.n_slot, sizeof(*larger.slot));
	if (!larger.slot)
		return -1;
	for (size_t i = 0; i < counts->n_slot; i++)
		if (counts->slot[i].n)
			*find(&larger, &counts->slot[i]) = counts->slot[i];
	free(counts->slot);
	counts->slot = larger.slot;
	counts->n_slot = larger.n_slot;
	return 0;
}

int counts_add(struct counts *counts, const struct count *what)
{
	struct count *c;

	if (counts->n >= counts->n_slot / 2 && grow(counts))
		return -1;
	c = find(counts, what);
	if (!c->n) {
		*c = *what;
		counts->n++;
		return 0;
	}
	c->n += what->n;
	c->missed += what->missed;
	return 0;
}

void counts_free(struct counts *counts)
{
	for (uint32_t i = 0; i < counts->n_dso; i++)
		free(counts->dso[i].name);
	free(counts->dso);
	free(counts->slot);
	*counts = (struct counts){ 0 };
}
