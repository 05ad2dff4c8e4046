/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text of branches that were printed before.
 *
 * A branch is two block numbers.  Its text also depends on where their code is mapped: these
 * conditions are a world, which has a number here.  If there is too much of anything, everything
 * is forgotten, and learned anew.
 */
#ifndef CSF_LINE_CACHE_H
#define CSF_LINE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Texts are copied in pieces of this size: so many bytes may be written after a copy. */
#define LINE_PIECE	64u
/* Longest text that is kept */
#define LINE_MAX	4096u
#define LINE_WORLDS	64u

/**
 * struct line_world - what the text of a branch depends on, besides its two blocks
 * @space: address space
 * @until: identifies the maps of that space, by the time when they change
 * @in_transaction: as in struct csf_run
 */
struct line_world {
	int space;
	bool in_transaction;
	uint64_t until;
};

/* The place of a branch's text, @at; 0: a free slot. */
struct line_slot {
	uint32_t from, to;
	uint32_t world;
	uint32_t at;
};

/* A text; 0 bytes: an empty text. */
struct line_text {
	uint32_t n;
	char text[];
};

/**
 * struct line_cache - all of them
 * @slot: hash table of 1 << (64 - @shift); @n of them are used
 * @text: struct line_text, one after another, @n_text bytes
 * @world: @n_world of them
 * @age: how often everything was forgotten, from 1
 * @forgets: NULL, or called with @owner before everything is forgotten
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

/* The number of a world; the numbers of others may become invalid. */
uint32_t line_cache_world(struct line_cache *cache, const struct line_world *world);

/**
 * line_cache_add() - keep a text
 * @key: its @at is ignored; its world is valid
 * @n: at most LINE_MAX
 *
 * Other texts may be forgotten for it.
 */
void line_cache_add(struct line_cache *cache, const struct line_slot *key, const char *text,
		    size_t n);

/* Not 0.  The texts of @world stay in place as long as this stays the same. */
static inline uint32_t line_cache_stamp(const struct line_cache *cache, uint32_t world)
{
	return cache->age * LINE_WORLDS + world;
}

static inline uint64_t line_hash(uint32_t from, uint32_t to, uint32_t world)
{
	return (((uint64_t)from << 32 | to) + ((uint64_t)world << 20)) * 0x9e3779b97f4a7c15ull;
}

/* The text of a branch; NULL: unknown. */
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

/* Return: the end of the copy of @n bytes. */
static inline char *line_copy(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i += LINE_PIECE)
		memcpy(to + i, from + i, LINE_PIECE);
	return to + n;
}

#endif /* CSF_LINE_CACHE_H */
