// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "block-map.h"
#include "image.h"

#define BLOCK_MAP_MAX	(256ull << 20)	/* bytes of all block maps: further code is hashed */

/* A whole number of cache lines; for large maps of pages. */
static uint64_t size_of(const struct mapping *v)
{
	const uint64_t bytes = (v->to - v->from + 3) / 4 * sizeof(*v->block_map.number);
	const uint64_t unit = bytes < TABLE_PAGE ? 64 : TABLE_PAGE;

	return (bytes + unit - 1) / unit * unit;
}

/* Makes the block map of @v, for its first block that can be in one: that of @key. */
static void make(struct csf_image *image, struct mapping *v, const struct block_key *key)
{
	const uint64_t size = size_of(v);

	v->block_map.tried = true;
	if (v->from % 4 || image->block_maps.size + size > BLOCK_MAP_MAX)
		return;
	v->block_map.rule = key->rule;
	v->block_map.number = table_new(size);
	if (!v->block_map.number)
		return;
	image->block_maps.size += size;
	__atomic_store_n(&image->block_maps.n, image->block_maps.n + 1, __ATOMIC_RELEASE);
}

uint32_t *block_map_find(struct csf_image *image, const struct block_key *key)
{
	struct mapping *v = &image->mappings.mapping[key->mapping];

	if (!v->block_map.tried && !key->cut && key->isa == CSF_A64)
		make(image, v, key);
	return block_map_entry(v, key);
}

static struct block_key key_of(const struct block *b)
{
	return (struct block_key){
		.offset = b->pub.offset, .mapping = b->mapping, .cut = b->cut, .isa = b->pub.isa,
		.rule = b->rule,
	};
}

void block_map_begin(struct csf_image *image)
{
	const struct block_table *t = &image->blocks;

	image->block_maps.begun = true;
	for (uint32_t i = 1; i < t->n; i++) {
		const struct block *b = &t->block[i];
		const struct block_key key = key_of(b);
		uint32_t *entry = block_map_find(image, &key);

		if (entry && b->version == image->section[b->pub.section].version)
			block_map_put(entry, b, i);
	}
}

void block_map_forget(struct csf_image *image, const struct block *b)
{
	const struct block_key key = key_of(b);
	uint32_t *entry = block_map_entry(&image->mappings.mapping[b->mapping], &key);

	if (entry)
		__atomic_store_n(entry, 0, __ATOMIC_RELAXED);
}

void block_map_free(struct mapping *v)
{
	table_free(v->block_map.number, v->block_map.number ? size_of(v) : 0);
}
