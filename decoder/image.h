/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The image: sections of code, and where and when each address space maps them.
 *
 * Everything that several decoders share is here, including the block table.  One lock guards it.
 * Nothing in a decoder's hot loop takes that lock: a decoder remembers what it looked up until the
 * generation changes.
 */
#ifndef CSF_IMAGE_H
#define CSF_IMAGE_H

#include "block.h"
#include "bytes.h"
#include "csflow.h"
#include "insn.h"
#include "lock.h"
#include "path.h"
#include "times.h"
#include "mapping.h"

#define SECTION_PAGE	4096u	/* bytes read at a time; divides every section base */
#define SECTION_MAX	(1ull << 32)

/* A page of code that came from a read callback. */
struct code_page {
	uint8_t *bytes;		/* owned; NULL: not read yet */
	uint16_t n;		/* number of bytes, from the start of the page */
};

/**
 * struct section - code, by offset
 * @code: borrowed, @n_code bytes; NULL: the code is read a page at a time
 * @n: size in bytes
 * @read: reads the pages
 * @whole: gives @code, before any page is read; NULL: there is none; @asked: it was called
 * @context: for @read and @whole
 * @page: owned, one for each page of the section
 * @version: number of times that its code was declared stale
 * @mapping: number of the youngest of its mappings; 0: there is none
 */
struct section {
	const uint8_t *code;
	uint64_t n, n_code;
	csf_read_fn read;
	csf_whole_fn whole;
	void *context;
	struct code_page *page;
	uint32_t version;
	uint32_t mapping;
	bool asked;
};

/**
 * struct map - part of a section, mapped
 * @addr: first address
 * @last: last address: inclusive, for the map may end at the top of memory
 * @base: address of offset 0 of the section, modulo 2^64
 * @from: valid from this time
 * @until: up to but not including this time; UINT64_MAX: for ever
 * @order: counts calls of csf_map(): the later of two maps is visible
 * @reach: highest @last of this map and all maps before it
 * @section: number
 */
struct map {
	uint64_t addr, last;
	uint64_t base;
	uint64_t from, until;
	uint64_t order;
	uint64_t reach;
	uint32_t section;
};

/**
 * struct space - one address space
 * @map: maps sorted by @addr; @n of them
 * @change: times at which the maps may change
 * @changed: generation of the image at its last change
 * @alone: CSF_SPACE_ALL is not visible in it
 */
struct space {
	struct map *map;
	size_t n, size;
	struct times change;
	uint32_t changed;
	bool alone;
};

/**
 * struct block_maps - the block maps of all mappings
 * @size: their bytes
 * @n: number of block maps
 * @from: number of blocks at which they begin: MANY_BLOCKS except in tests
 * @begun: there are that many blocks
 */
struct block_maps {
	uint64_t size;
	uint32_t n, from;
	bool begun;
};

/**
 * struct csf_image - see csflow.h
 * @generation: changes whenever the meaning of an address may change
 * @change: times of changes in all spaces
 * @timed: some map is not valid for ever, so time matters
 * @classify: NULL: csf_insn()
 * @filter: for csf_insn() only
 * @page: the pager; NULL: there is no code where nothing is mapped
 * @quiet: under the lock: the thread that holds it must not call the caller's functions to read or
 *         classify code
 * @missed: @quiet, and such a call would have been necessary
 * @read_ahead: list of those of decoders with threads
 */
struct csf_image {
	pthread_mutex_t lock;
	struct section *section;	/* [0] is unused */
	uint32_t n_section, section_size;
	struct space *space;
	uint32_t n_space, space_size;
	uint64_t n_order;
	uint32_t generation;
	struct times change;
	bool timed;
	csf_insn_fn classify;
	void *classify_context;
	struct insn_filter filter;
	csf_page_fn page;
	void *page_context;
	bool quiet, missed;
	struct read_ahead *read_ahead;
	struct mapping_table mappings;
	struct block_table blocks;
	struct block_maps block_maps;
	struct path_table paths;
};

/* Is @map valid at @time? */
static inline bool map_at(const struct map *map, uint64_t time)
{
	return map->from <= time && (time < map->until || map->until == UINT64_MAX);
}

/* Index of the first map that starts after @addr. */
size_t space_behind(const struct space *s, uint64_t addr);

/* Adds a map, at the place of its address.  Return: 0; CSF_ERR_MEMORY. */
int space_insert(struct space *s, const struct map *m);

/*
 * Removes addresses @addr..@last from what is mapped within the time from @from until @until.  A
 * map that is valid for longer stays: the new one hides it by @order.
 */
int space_cut(struct space *s, const struct map *hole);

/* Is any address of @m mapped, at any time? */
bool space_overlaps(const struct space *s, const struct map *m);

/* The map of @s that is visible at @addr; NULL: none. */
const struct map *space_find(const struct space *s, uint64_t addr, uint64_t time);

/*
 * The space whose maps are visible where @space maps nothing; if @space is alone, a space without
 * maps.
 */
const struct space *image_behind(const struct csf_image *image, int space);

/*
 * The map that is visible at @addr, of @space or of image_behind(); NULL: none.  Call with the lock
 * held.
 */
const struct map *image_map(const struct csf_image *image, int space, uint64_t addr,
			    uint64_t time);

/* Address of offset 0 of @section in @space at @time; 0 if it is not mapped.  Takes the lock. */
uint64_t image_base(struct csf_image *image, int space, uint32_t section, uint64_t time);

/* Some map is not valid for ever. */
static inline bool image_timed(const struct csf_image *image)
{
	return __atomic_load_n(&image->timed, __ATOMIC_RELAXED);
}

/* The generation of the last change to what is visible in @space. */
static inline uint32_t image_changed(const struct csf_image *image, int space)
{
	const uint32_t all = image->space[CSF_SPACE_ALL].changed;
	const uint32_t own = image->space[space].changed;

	return own > all ? own : all;
}

/*
 * The span around @time without changes: in @space (@n is not set), or everywhere.  Takes the lock.
 */
struct steady image_steady_in(struct csf_image *image, int space, uint64_t time);
struct steady image_steady(struct csf_image *image, uint64_t time);

/* Are all maps at @time as they were when @s was found? */
static inline bool image_is_steady(const struct csf_image *image, const struct steady *s,
				   uint64_t time)
{
	return !image_timed(image) || times_same(&image->change, s, time);
}

/* section_at() for code that is read in pages. */
size_t section_page(struct section *s, uint64_t offset, const uint8_t **p);

/* Would section_at() call a function of the caller? */
static inline bool section_unread(const struct section *s, uint64_t offset)
{
	if (s->code || !s->page || offset >= s->n)
		return false;
	return (s->whole && !s->asked) || !s->page[offset / SECTION_PAGE].bytes;
}

/*
 * The code at @offset of @section: returns the number of bytes that follow one another at *p; 0:
 * there is no code or, with *p NULL, no memory.  Call with the lock held.
 */
static inline size_t section_at(struct section *s, uint64_t offset, const uint8_t **p)
{
	if (offset >= s->n_code)
		return section_page(s, offset, p);
	*p = s->code + offset;
	return s->n_code - offset;
}

#endif /* CSF_IMAGE_H */
