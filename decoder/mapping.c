// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "image.h"
#include "mapping.h"

/* The addresses around an address at which the same map, or section, is visible. */
struct extent {
	const struct map *map;
	uint64_t first, last;
};

/* Removes from @e what maps of @s, of @order or later, hide; none of them hides @query. */
static void narrow(struct extent *e, const struct space *s, const struct mapping_query *query,
		   uint64_t order)
{
	size_t i = space_behind(s, query->addr);

	for (size_t k = i; k < s->n && s->map[k].addr <= e->last; k++)
		if (s->map[k].order >= order && map_at(&s->map[k], query->time))
			e->last = s->map[k].addr - 1;
	for (; i && s->map[i - 1].reach >= e->first; i--) {
		const struct map *m = &s->map[i - 1];

		if (m->last >= e->first && m->order >= order && map_at(m, query->time))
			e->first = m->last + 1;
	}
}

/* Returns true if a map is visible there. */
static bool see_map(const struct csf_image *image, const struct mapping_query *query,
		    struct extent *e)
{
	const struct space *all = image_behind(image, query->space);
	const struct space *own = &image->space[query->space];
	const struct space *in = own;
	const struct map *m = space_find(own, query->addr, query->time);

	if (!m) {
		in = all;
		m = space_find(all, query->addr, query->time);
	}
	if (!m || query->addr > query->top)
		return false;
	*e = (struct extent){ m, m->addr, m->last < query->top ? m->last : query->top };
	narrow(e, in, query, m->order + 1);
	if (in != own)
		narrow(e, own, query, 0);
	return true;
}

static bool same_code(const struct extent *a, const struct extent *b)
{
	return a->map->section == b->map->section && a->map->base == b->map->base;
}

/* Adjacent parts of one section count as one. */
static bool see_section(const struct csf_image *image, const struct mapping_query *query,
			struct extent *e)
{
	struct mapping_query next = *query;
	struct extent more;

	if (!see_map(image, query, e))
		return false;
	while (e->last < query->top) {
		next.addr = e->last + 1;
		if (!see_map(image, &next, &more) || !same_code(e, &more))
			break;
		e->last = more.last;
	}
	while (e->first) {
		next.addr = e->first - 1;
		if (!see_map(image, &next, &more) || !same_code(e, &more))
			break;
		e->first = more.first;
	}
	return true;
}

static int64_t add(struct csf_image *image, const struct mapping *v)
{
	struct mapping_table *t = &image->mappings;

	if (t->n == t->size) {
		uint32_t size = t->size ? 2 * t->size : 16;
		struct mapping *mapping = realloc(t->mapping, size * sizeof(*mapping));

		if (!mapping)
			return CSF_ERR_MEMORY;
		t->mapping = mapping;
		t->size = size;
	}
	if (!t->n)
		t->mapping[t->n++] = (struct mapping){ 0 };
	t->mapping[t->n] = *v;
	image->section[v->section].mapping = t->n;
	return t->n++;
}

/* The number of @v, whose @next is not filled in. */
static int64_t number_of(struct csf_image *image, struct mapping *v)
{
	uint32_t first = image->section[v->section].mapping;

	for (uint32_t i = first; i; i = image->mappings.mapping[i].next)
		if (image->mappings.mapping[i].from == v->from &&
		    image->mappings.mapping[i].to == v->to)
			return i;
	v->next = first;
	return add(image, v);
}

static void see_block_map(const struct csf_image *image, struct mapping_seen *seen)
{
	const struct mapping *v = &image->mappings.mapping[seen->mapping];
	const struct section *s = &image->section[v->section];

	seen->block_map = v->block_map;
	seen->code = v->to <= s->n_code ? s->code + v->from : NULL;
}

int mapping_find(struct csf_image *image, const struct mapping_query *query,
		 struct mapping_seen *seen)
{
	struct extent e;
	struct mapping v;
	int64_t number = 0;

	lock_take(&image->lock);
	if (see_section(image, query, &e)) {
		v = (struct mapping){
			.from = e.first - e.map->base,
			.to = e.last - e.map->base + 1,
			.section = e.map->section,
		};
		number = number_of(image, &v);
		*seen = (struct mapping_seen){
			.first = e.first, .last = e.last, .base = e.map->base, .mapping = number,
		};
		if (number > 0)
			see_block_map(image, seen);
	}
	lock_release(&image->lock);
	return number > 0 ? 1 : number;
}

void mapping_block_map(struct csf_image *image, struct mapping_seen *seen)
{
	lock_take(&image->lock);
	see_block_map(image, seen);
	lock_release(&image->lock);
}

size_t mapping_at(struct csf_image *image, const struct mapping *mapping, uint64_t offset,
		  const uint8_t **p)
{
	struct section *s = &image->section[mapping->section];
	size_t n;

	if (unlikely(image->quiet) && section_unread(s, offset)) {
		image->missed = true;
		*p = (const uint8_t *)"";
		return 0;
	}
	n = section_at(s, offset, p);
	if (offset < mapping->from || offset >= mapping->to)
		return 0;
	return n < mapping->to - offset ? n : mapping->to - offset;
}
