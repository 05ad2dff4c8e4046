/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables with look-ups at random places. */
#ifndef CSF_TABLE_H
#define CSF_TABLE_H

#include "bytes.h"

#define TABLE_PAGE	(2ul << 20)

/*
 * Size in bytes of the table that replaces one of @size that has become too small.  For memory that
 * is new to the process, a page costs as much as the work on its contents, and a large page an
 * eighth of its small pages.  So there are few sizes below a large page, and none just below it.
 */
static inline size_t table_larger(size_t size)
{
	if (size < TABLE_PAGE / 64)
		return TABLE_PAGE / 64;
	if (size < TABLE_PAGE / 8)
		return TABLE_PAGE / 8;
	return size < TABLE_PAGE ? TABLE_PAGE : 2 * size;
}

/*
 * @size bytes of zeros, a power of two, in whole cache lines.  A large table is in large pages, as
 * every look-up touches another one.
 * Return: NULL: no memory.
 */
void *table_new(size_t size);
void table_free(void *table, size_t size);

/* Notes that @size bytes could not be allocated, for csf_no_memory(). */
void table_refused(size_t size);

/*
 * Address space for @size bytes of zeros that never move.  The first @few are in small pages, the
 * others in large pages.  Return: NULL: there is no address space.
 */
void *table_reserve(size_t size, size_t few);
void table_release(void *table, size_t size);

/**
 * struct table_space - a table that grows and never moves
 * @at: address space of @max bytes, owned
 * @size: bytes that can be used; zeros until written
 * @few: bytes at the start that are in small pages; the others are in large pages
 */
struct table_space {
	uint8_t *at;
	size_t size, few, max;
};

/* Reserves address space, none of which can be used yet.  Returns false: there is not enough. */
bool table_space_init(struct table_space *s, size_t max, size_t few);
void table_space_fini(struct table_space *s);

/* Makes at least @size bytes usable.  Returns false: no memory. */
bool table_space_grow(struct table_space *s, size_t size);

static inline bool table_space_has(struct table_space *s, size_t size)
{
	return likely(size <= s->size) || table_space_grow(s, size);
}

/*
 * Number of entries of @each bytes, at most @n, that a table reserves address space for: where
 * address space is limited (ulimit -v), a sixteenth of the limit, as there are several tables, and
 * files and threads besides.
 */
uint64_t table_space_share(uint64_t n, size_t each);

/*
 * A cell holds a number, and in the bits above it bits of the hash of the entry with that number;
 * 0: it is free.  A different entry differs in these bits 63 of 64 times, so almost no other entry
 * is compared.
 */
#define CELL_NUMBER	(BIT(26) - 1)

/**
 * struct cells - numbers by hash, with open addressing
 * @cell: @mask + 1 cells, a power of two
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

/* The first cell from number @i on that may be of an entry with @hash, or is free. */
static __always_inline uint32_t *cells_from(const struct cells *cells, uint32_t i, uint32_t hash)
{
	i &= cells->mask;
	while (cells->cell[i] && (cells->cell[i] ^ hash) & ~CELL_NUMBER)
		i = (i + 1) & cells->mask;
	return &cells->cell[i];
}

/* The first place of an entry with @hash; cells_next(): the next, if that was another entry. */
static __always_inline uint32_t *cells_first(const struct cells *cells, uint32_t hash)
{
	return cells_from(cells, hash, hash);
}

static __always_inline uint32_t *cells_next(const struct cells *cells, const uint32_t *cell,
					    uint32_t hash)
{
	return cells_from(cells, cell - cells->cell + 1, hash);
}

/* Puts the @number of an entry with @hash into a cell. */
static inline void cells_put(uint32_t *cell, uint32_t hash, uint32_t number)
{
	*cell = (hash & ~CELL_NUMBER) | number;
}

/* Half of the cells stay free. */
static inline bool cells_has_room(const struct cells *cells, uint32_t n)
{
	return n <= cells->mask / 2;
}

/*
 * Makes room for more.  @hash_of gives the hash of a number of @table.  Returns false: no memory.
 */
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
