/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash tables of numbers: those of the elements of an array, which have the keys.
 *
 *	if (!HASH_ROOM(&table, n, 1, i, hash_mix(0, array[i].key)))
 *		return -ENOMEM;
 *	slot = HASH_SLOT(&table, hash_mix(0, key), i, array[i].key == key);
 *	if (!*slot) {
 *		array[++n].key = key;
 *		*slot = n;
 *	}
 */
#ifndef CSF_HASH_H
#define CSF_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * struct hash_table - zero is an empty one
 * @slot: @n of them, a power of two; 0: it is free
 */
struct hash_table {
	uint32_t *slot;
	size_t n;
};

/**
 * hash_mix() - the hash of one more number
 * @hash: that of those before it; 0 at first
 * @v: the number
 *
 * Return: a hash; the lowest 32 bits depend on all numbers.
 */
static inline uint64_t hash_mix(uint64_t hash, uint64_t v)
{
	hash ^= v;
	hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

/**
 * HASH_SLOT() - find an element
 * @table: a table with at least one free slot
 * @hash: the hash of a key
 * @i: name of a number in @same
 * @same: has element @i that key?
 *
 * Return: the slot with its number, or a free one to enter it.
 */
#define HASH_SLOT(table, hash, i, same) ({				\
	const struct hash_table *table_##i = (table);			\
	size_t at_##i = (hash) & (table_##i->n - 1);			\
	uint32_t i;							\
									\
	while ((i = table_##i->slot[at_##i]) && !(same))		\
		at_##i = (at_##i + 1) & (table_##i->n - 1);		\
	&table_##i->slot[at_##i];					\
})

/*
 * Makes more slots, at least twice as many as @count; all are free then.
 * Return: false: no memory, and nothing changed.
 */
static inline bool hash_more(struct hash_table *table, size_t count)
{
	size_t n = table->n ? 2 * table->n : 64;
	uint32_t *slot;

	while (n <= 2 * count)
		n *= 2;
	slot = calloc(n, sizeof(*slot));
	if (!slot)
		return false;
	free(table->slot);
	*table = (struct hash_table){ slot, n };
	return true;
}

/**
 * HASH_ROOM() - make room for one more element, with half of the slots free
 * @table: the table
 * @count: how many elements the array has; all of them are entered if the table has to grow
 * @first: the number of the first; the others follow
 * @i: name of a number in @hash
 * @hash: the hash of the key of element @i
 *
 * Return: false: no memory, and nothing changed.
 */
#define HASH_ROOM(table, count, first, i, hash) ({			\
	struct hash_table *room_##i = (table);				\
	const uint32_t end_##i = (first) + (count);			\
	const bool full_##i = 2 * (size_t)(count) >= room_##i->n;	\
	const bool ok_##i = !full_##i || hash_more(room_##i, count);	\
									\
	if (full_##i && ok_##i)						\
		for (uint32_t i = (first); i < end_##i; i++)		\
			*HASH_SLOT(room_##i, hash, any_##i, false) = i;	\
	ok_##i;								\
})

#endif /* CSF_HASH_H */
