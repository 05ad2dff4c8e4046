/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables that look-ups jump about in. */
#ifndef CSF_TABLE_H
#define CSF_TABLE_H

#include "bytes.h"

#define TABLE_PAGE	(2ul << 20)
#define TABLE_PART	(TABLE_PAGE / 8)	/* of a large page: a table among others */

/*
 * Bytes of the table that takes the place of one of @size, which has become too small.  Memory that
 * nobody had before costs as much for a page as is done with what is in it, and a large page an
 * eighth of what its small ones would: so there are few sizes below that, and none just below.
 */
static inline size_t table_larger(size_t size)
{
	if (size < TABLE_PAGE / 64)
		return TABLE_PAGE / 64;
	if (size < TABLE_PART)
		return TABLE_PART;
	return size < TABLE_PAGE ? TABLE_PAGE : 2 * size;
}

/*
 * @size bytes of zeros, a power of two, in whole cache lines.  A large table is in large pages, for
 * every look-up is in another one; one of TABLE_PART shares such a page with others, whosever they
 * are.  NULL: no memory.
 */
void *table_new(size_t size);
void table_free(void *table, size_t size);

/*
 * Address space for @size bytes of zeros that never move.  The first @few are in small pages, the
 * others in large ones.  NULL: there is none.
 */
void *table_reserve(size_t size, size_t few);
void table_release(void *table, size_t size);

/**
 * struct table_space - a table that grows and never moves
 * @at: address space for @max bytes, owned
 * @size: so many can be used; zeros, where nobody wrote
 * @few: the first of them are in small pages, the others in large ones
 */
struct table_space {
	uint8_t *at;
	size_t size, few, max;
};

/* Address space, and none of it can be used yet.  Returns false: there is not so much. */
bool table_space_init(struct table_space *s, size_t max, size_t few);
void table_space_fini(struct table_space *s);

/* @size bytes can be used, and more.  Returns false: no memory. */
bool table_space_grow(struct table_space *s, size_t size);

static inline bool table_space_has(struct table_space *s, size_t size)
{
	return likely(size <= s->size) || table_space_grow(s, size);
}

/*
 * How many entries of @each bytes, @n at most, a table gets address space for: where that has a
 * limit (ulimit -v) a sixteenth of it, for there are several tables, and files and threads besides.
 */
uint64_t table_space_share(uint64_t n, size_t each);

/*
 * A cell has a number, and in the bits above it those of the hash of what has the number; 0: it is
 * free.  What is not it has another hash, 63 of 64 times; so nearly nothing else is looked at.
 */
#define CELL_NUMBER	(BIT(26) - 1)

/**
 * struct cells - numbers by hash: open addressing
 * @cell: @mask + 1 of them, a power of two
 */
struct cells {
	uint32_t *cell;
	uint32_t mask;
};

static inline bool cells_init(struct cells *cells, uint32_t n)
{
	cells->mask = n - 1;
	cells->cell = table_new(n * sizeof(*cells->cell));
	return cells->cell;
}

static inline void cells_fini(struct cells *cells)
{
	table_free(cells->cell, (cells->mask + 1ul) * sizeof(*cells->cell));
}

/* The first cell from number @i on that may be of what has @hash, or is free. */
static __always_inline uint32_t *cells_from(const struct cells *cells, uint32_t i, uint32_t hash)
{
	i &= cells->mask;
	while (cells->cell[i] && (cells->cell[i] ^ hash) & ~CELL_NUMBER)
		i = (i + 1) & cells->mask;
	return &cells->cell[i];
}

/* Where what has @hash is, or belongs; and if it was something else, the next such place. */
static __always_inline uint32_t *cells_first(const struct cells *cells, uint32_t hash)
{
	return cells_from(cells, hash, hash);
}

static __always_inline uint32_t *cells_next(const struct cells *cells, const uint32_t *cell,
					    uint32_t hash)
{
	return cells_from(cells, cell - cells->cell + 1, hash);
}

/* What has @hash, and belongs into a cell, gets a @number. */
static inline void cells_put(uint32_t *cell, uint32_t hash, uint32_t number)
{
	*cell = (hash & ~CELL_NUMBER) | number;
}

/* Half of the cells stay free. */
static inline bool cells_has_room(const struct cells *cells, uint32_t n)
{
	return n <= cells->mask / 2;
}

/* Room for more.  @hash_of says what a number of @table has.  Returns false: no memory. */
static inline bool cells_grow(struct cells *cells, const void *table,
			      uint32_t (*hash_of)(const void *table, uint32_t number))
{
	const uint32_t n = cells->mask + 1;
	struct cells more;

	if (!cells_init(&more, table_larger(n * sizeof(*cells->cell)) / sizeof(*cells->cell)))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t number = cells->cell[i] & CELL_NUMBER;
		uint32_t hash, k;

		if (!number)
			continue;
		hash = hash_of(table, number);
		for (k = hash & more.mask; more.cell[k]; k = (k + 1) & more.mask)
			;
		cells_put(&more.cell[k], hash, number);
	}
	cells_fini(cells);
	*cells = more;
	return true;
}

#endif /* CSF_TABLE_H */
