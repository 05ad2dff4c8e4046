/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text of branches that were printed before.
 *
 * A branch is two block numbers.  What is printed of it depends on where their
 * code is mapped, too: that is a world, and has a number here.  When there is
 * too much of anything, all is forgotten, and learned anew.
 */
#ifndef CSF_LINE_CACHE_H
#define CSF_LINE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Texts are copied by so much at a time: that much may be written behind a copy. */
#define LINE_PIECE	64u
/* Longest text that is kept */
#define LINE_MAX	4096u
#define LINE_WORLDS	64u

/**
 * struct line_world - what else a branch depends on, but for its two blocks
 * @space: address space
 * @until: the maps of that space that change at this time
 * @in_transaction: as in struct csf_run
 */
struct line_world {
	int space;
	bool in_transaction;
	uint64_t until;
};

/* Where the text of a branch is: at @at; 0: a free place. */
struct line_slot {
	uint32_t from, to;
	uint32_t world;
	uint32_t at;
};

/* A text; 0 bytes: nothing is printed. */
struct line_text {
	uint32_t n;
	char text[];
};

/**
 * struct line_cache - all of them
 * @slot: hash table of 1 << (64 - @shift); @n of them are used
 * @text: struct line_text, one behind the other, @n_text bytes
 * @world: @n_world of them
 * @age: how often all was forgotten, from 1
 * @forgets: NULL, or what is called before all is forgotten, with @owner
 */
struct line_cache {
	struct line_slot *slot;
	unsigned int shift;
	size_t n;
	char *text;
	size_t n_text, size_text;
	struct line_world world[LINE_WORLDS];
	uint32_t n_world;
	uint32_t age;
	void (*forgets)(void *owner);
	void *owner;
};

/* Return: 0; -1: no memory. */
int line_cache_init(struct line_cache *cache);
void line_cache_fini(struct line_cache *cache);

/* The number of a world; others may not hold any more. */
uint32_t line_cache_world(struct line_cache *cache, const struct line_world *world);

/**
 * line_cache_add() - keep a text
 * @key: its @at does not matter; its world is one that holds
 * @n: at most LINE_MAX
 *
 * Others may be forgotten for it.
 */
void line_cache_add(struct line_cache *cache, const struct line_slot *key, const char *text,
		    size_t n);

/* Not 0.  Where a text of @world is stays the same as long as this does. */
static inline uint32_t line_cache_stamp(const struct line_cache *cache, uint32_t world)
{
	return cache->age * LINE_WORLDS + world;
}

static inline uint64_t line_hash(uint32_t from, uint32_t to, uint32_t world)
{
	return (((uint64_t)from << 32 | to) + ((uint64_t)world << 20)) * 0x9e3779b97f4a7c15ull;
}

/* The text of a branch; NULL: it is not known. */
static inline const struct line_text *line_cache_find(const struct line_cache *cache, uint32_t from,
						      uint32_t to, uint32_t world)
{
	const uint64_t mask = UINT64_MAX >> cache->shift;
	uint64_t i = line_hash(from, to, world) >> cache->shift;

	for (;; i = (i + 1) & mask) {
		const struct line_slot *s = &cache->slot[i];

		if (!s->at)
			return NULL;
		if (s->from == from && s->to == to && s->world == world)
			return (const struct line_text *)(cache->text + s->at);
	}
}

/* Return: behind the copy of @n bytes. */
static inline char *line_copy(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i += LINE_PIECE)
		memcpy(to + i, from + i, LINE_PIECE);
	return to + n;
}

#endif /* CSF_LINE_CACHE_H */
