// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "line-cache.h"

#define SHIFT_FIRST	52	/* at first 4,096 slots */
#define SHIFT_LAST	46	/* at most 262,144, half of which may be used: 4 MiB */
#define TEXT_FIRST	(64u << 10)
#define TEXT_LAST	(16u << 20)
/* Texts are aligned for their numbers, and none is at 0. */
#define ALIGN		(sizeof(struct line_text))

static size_t n_slots(const struct line_cache *cache)
{
	return (UINT64_MAX >> cache->shift) + 1;
}

int line_cache_init(struct line_cache *cache)
{
	*cache = (struct line_cache){ .shift = SHIFT_FIRST, .n_text = ALIGN,
				      .size_text = TEXT_FIRST, .age = 1 };
	cache->slot = calloc(n_slots(cache), sizeof(*cache->slot));
	cache->text = malloc(cache->size_text);
	if (cache->slot && cache->text)
		return 0;
	line_cache_fini(cache);
	return -1;
}

void line_cache_fini(struct line_cache *cache)
{
	free(cache->slot);
	free(cache->text);
	*cache = (struct line_cache){ 0 };
}

static void forget(struct line_cache *cache)
{
	if (cache->forgets)
		cache->forgets(cache->owner);
	memset(cache->slot, 0, n_slots(cache) * sizeof(*cache->slot));
	cache->n = 0;
	cache->n_text = ALIGN;
	cache->age++;
}

static bool same(const struct line_world *a, const struct line_world *b)
{
	return a->space == b->space && a->until == b->until &&
	       a->in_transaction == b->in_transaction;
}

uint32_t line_cache_world(struct line_cache *cache, const struct line_world *world)
{
	for (uint32_t i = 0; i < cache->n_world; i++)
		if (same(&cache->world[i], world))
			return i;
	if (cache->n_world == LINE_WORLDS) {
		forget(cache);
		cache->n_world = 0;
	}
	cache->world[cache->n_world] = *world;
	return cache->n_world++;
}

/* A slot for a new entry. */
static struct line_slot *free_slot(const struct line_cache *cache, const struct line_slot *key)
{
	uint64_t i = line_hash(key->from, key->to, key->world) >> cache->shift;

	while (cache->slot[i].at)
		i = (i + 1) & (UINT64_MAX >> cache->shift);
	return &cache->slot[i];
}

/* Doubles the slots. */
static void more_slots(struct line_cache *cache)
{
	const size_t n = n_slots(cache);
	struct line_slot *old = cache->slot;
	struct line_slot *slot = cache->shift > SHIFT_LAST ? calloc(2 * n, sizeof(*slot)) : NULL;

	if (!slot) {
		forget(cache);
		return;
	}
	cache->slot = slot;
	cache->shift--;
	for (size_t i = 0; i < n; i++)
		if (old[i].at)
			*free_slot(cache, &old[i]) = old[i];
	free(old);
}

/* Doubles the room for text. */
static void more_text(struct line_cache *cache)
{
	char *text = cache->size_text < TEXT_LAST ? realloc(cache->text, 2 * cache->size_text) :
						    NULL;

	if (!text) {
		forget(cache);
		return;
	}
	cache->text = text;
	cache->size_text *= 2;
}

void line_cache_add(struct line_cache *cache, const struct line_slot *key, const char *text,
		    size_t n)
{
	struct line_text *t;
	struct line_slot *s;

	if (2 * cache->n >= n_slots(cache))
		more_slots(cache);
	/* a copy may read a piece too much */
	if (cache->n_text + sizeof(*t) + n + LINE_PIECE > cache->size_text)
		more_text(cache);
	s = free_slot(cache, key);
	*s = *key;
	s->at = cache->n_text;
	cache->n++;
	t = (struct line_text *)(cache->text + cache->n_text);
	t->n = n;
	memcpy(t->text, text, n);
	cache->n_text += (sizeof(*t) + n + ALIGN - 1) / ALIGN * ALIGN;
}
