/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The image: sections of code, and where each address space has them mapped, when.
 *
 * Everything that several decoders share is here, block table included, and is
 * guarded by one lock.  Nothing in a decoder's hot loop takes it: a decoder
 * remembers what it has looked up until the generation changes.
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

#define SECTION_PAGE	4096u	/* how much is read at a time; divides every section base */
#define SECTION_MAX	(1ull << 32)

/* A page of code that came from a read call-back. */
struct code_page {
	uint8_t *bytes;		/* owned; NULL: not read yet */
	uint16_t n;		/* bytes there are, from the page's start */
};

/**
 * struct section - code, by offset
 * @code: borrowed, @n_code bytes of it; NULL: then it is read a page at a time
 * @n: size
 * @read: where the pages come from
 * @whole: where @code may come from, before any page; NULL: nowhere; @asked: it was
 * @context: for @read and @whole
 * @page: owned, one for each page of the section
 * @version: how often its code was declared stale
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
 * @order: counts calls of csf_map(): of two maps the later one is seen
 * @reach: highest @last of this and all maps in front of it
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
 * @map: sorted by @addr; @n of them
 * @change: when what is mapped may become other
 * @changed: generation of the image that last changed it
 * @alone: CSF_SPACE_ALL is not seen behind them
 */
struct space {
	struct map *map;
	size_t n, size;
	struct times change;
	uint32_t changed;
	bool alone;
};

/**
 * struct block_maps - those of all mappings
 * @size: bytes of them
 * @n: how many there are
 * @from: they begin with so many blocks: MANY_BLOCKS, but for tests
 * @begun: there are as many
 */
struct block_maps {
	uint64_t size;
	uint32_t n, from;
	bool begun;
};

/**
 * struct csf_image - see csflow.h
 * @generation: changes whenever an address may mean something else than before
 * @change: those of all spaces
 * @timed: some map is not valid for ever, so time matters
 * @classify: NULL: csf_insn()
 * @filter: for csf_insn() only
 * @page: NULL: where nothing is mapped there is no code
 * @quiet: under the lock: whoever holds it must not have code read, or classified by the caller;
 * @missed: and that would have been necessary
 * @read_ahead: of decoders that have others decode
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

/* Is @map there at @time? */
static inline bool map_at(const struct map *map, uint64_t time)
{
	return map->from <= time && (time < map->until || map->until == UINT64_MAX);
}

/* Index of the first map that starts behind @addr. */
size_t space_behind(const struct space *s, uint64_t addr);

/* The map of @s that is seen at @addr; NULL: none. */
const struct map *space_find(const struct space *s, uint64_t addr, uint64_t time);

/* The space that is seen behind @space; one without maps where that is alone. */
const struct space *image_behind(const struct csf_image *image, int space);

/* What is mapped at @addr, in @space or else behind it; NULL: nothing.  Under the lock. */
const struct map *image_map(const struct csf_image *image, int space, uint64_t addr,
			    uint64_t time);

/* Address of offset 0 of @section in @space at @time; 0 if it is not mapped.  Takes the lock. */
uint64_t image_base(struct csf_image *image, int space, uint32_t section, uint64_t time);

/* Some map is not valid for ever. */
static inline bool image_timed(const struct csf_image *image)
{
	return __atomic_load_n(&image->timed, __ATOMIC_RELAXED);
}

/* The generation in which what is seen in @space last became other. */
static inline uint32_t image_changed(const struct csf_image *image, int space)
{
	const uint32_t all = image->space[CSF_SPACE_ALL].changed;
	const uint32_t own = image->space[space].changed;

	return own > all ? own : all;
}

/* Around @time: in @space, of which @n says nothing, or everywhere.  Takes the lock. */
struct steady image_steady_in(struct csf_image *image, int space, uint64_t time);
struct steady image_steady(struct csf_image *image, uint64_t time);

/* Is all that is mapped at @time as it was when @s was found? */
static inline bool image_is_steady(const struct csf_image *image, const struct steady *s,
				   uint64_t time)
{
	return !image_timed(image) || times_same(&image->change, s, time);
}

/* section_at() for code that is read. */
size_t section_page(struct section *s, uint64_t offset, const uint8_t **p);

/* Would section_at() call whoever has the code? */
static inline bool section_unread(const struct section *s, uint64_t offset)
{
	if (s->code || !s->page || offset >= s->n)
		return false;
	return (s->whole && !s->asked) || !s->page[offset / SECTION_PAGE].bytes;
}

/*
 * The code at @offset of @section: returns how many bytes of it follow one
 * another at *p, 0 if there is none or, with *p NULL, no memory.  Under the lock.
 */
static inline size_t section_at(struct section *s, uint64_t offset, const uint8_t **p)
{
	if (offset >= s->n_code)
		return section_page(s, offset, p);
	*p = s->code + offset;
	return s->n_code - offset;
}

#endif /* CSF_IMAGE_H */
