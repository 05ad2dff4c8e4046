// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "image.h"
#include "view.h"

/* Addresses, around one, at which the same map is seen; or the same section. */
struct extent {
	const struct map *map;
	uint64_t first, last;
};

/* Leaves of @e what maps of @s, of @order or later, do not hide; none of them hides @place. */
static void narrow(struct extent *e, const struct space *s, const struct view_place *place,
		   uint64_t order)
{
	size_t i = space_behind(s, place->addr);

	for (size_t k = i; k < s->n && s->map[k].addr <= e->last; k++)
		if (s->map[k].order >= order && map_at(&s->map[k], place->time))
			e->last = s->map[k].addr - 1;
	for (; i && s->map[i - 1].reach >= e->first; i--) {
		const struct map *m = &s->map[i - 1];

		if (m->last >= e->first && m->order >= order && map_at(m, place->time))
			e->first = m->last + 1;
	}
}

/* Returns whether anything is seen there. */
static bool see_map(const struct csf_image *image, const struct view_place *place,
		    struct extent *e)
{
	const struct space *all = image_behind(image, place->space);
	const struct space *own = &image->space[place->space];
	const struct space *in = own;
	const struct map *m = space_find(own, place->addr, place->time);

	if (!m) {
		in = all;
		m = space_find(all, place->addr, place->time);
	}
	if (!m || place->addr > place->top)
		return false;
	*e = (struct extent){ m, m->addr, m->last < place->top ? m->last : place->top };
	narrow(e, in, place, m->order + 1);
	if (in != own)
		narrow(e, own, place, 0);
	return true;
}

static bool same_code(const struct extent *a, const struct extent *b)
{
	return a->map->section == b->map->section && a->map->base == b->map->base;
}

/* Side by side, parts of one section are as good as mapped at once. */
static bool see_section(const struct csf_image *image, const struct view_place *place,
			struct extent *e)
{
	struct view_place next = *place;
	struct extent more;

	if (!see_map(image, place, e))
		return false;
	while (e->last < place->top) {
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

static int64_t add(struct csf_image *image, const struct view *v)
{
	struct view_table *t = &image->views;

	if (t->n == t->size) {
		uint32_t size = t->size ? 2 * t->size : 16;
		struct view *view = realloc(t->view, size * sizeof(*view));

		if (!view)
			return CSF_ERR_MEMORY;
		t->view = view;
		t->size = size;
	}
	if (!t->n)
		t->view[t->n++] = (struct view){ 0 };
	t->view[t->n] = *v;
	image->section[v->section].view = t->n;
	return t->n++;
}

/* The number of @v, of which @next is not filled in. */
static int64_t number_of(struct csf_image *image, struct view *v)
{
	uint32_t first = image->section[v->section].view;

	for (uint32_t i = first; i; i = image->views.view[i].next)
		if (image->views.view[i].from == v->from && image->views.view[i].to == v->to)
			return i;
	v->next = first;
	return add(image, v);
}

static void see_chart(const struct csf_image *image, struct view_seen *seen)
{
	const struct view *v = &image->views.view[seen->view];
	const struct section *s = &image->section[v->section];

	seen->chart = v->chart;
	seen->code = v->to <= s->n_code ? s->code + v->from : NULL;
}

int view_find(struct csf_image *image, const struct view_place *place, struct view_seen *seen)
{
	struct extent e;
	struct view v;
	int64_t number = 0;

	lock_take(&image->lock);
	if (see_section(image, place, &e)) {
		v = (struct view){
			.from = e.first - e.map->base,
			.to = e.last - e.map->base + 1,
			.section = e.map->section,
		};
		number = number_of(image, &v);
		*seen = (struct view_seen){
			.first = e.first, .last = e.last, .base = e.map->base, .view = number,
		};
		if (number > 0)
			see_chart(image, seen);
	}
	lock_release(&image->lock);
	return number > 0 ? 1 : number;
}

void view_chart(struct csf_image *image, struct view_seen *seen)
{
	lock_take(&image->lock);
	see_chart(image, seen);
	lock_release(&image->lock);
}

size_t view_at(struct csf_image *image, const struct view *view, uint64_t offset,
	       const uint8_t **p)
{
	struct section *s = &image->section[view->section];
	size_t n;

	if (unlikely(image->quiet) && section_unread(s, offset)) {
		image->missed = true;
		*p = (const uint8_t *)"";
		return 0;
	}
	n = section_at(s, offset, p);
	if (offset < view->from || offset >= view->to)
		return 0;
	return n < view->to - offset ? n : view->to - offset;
}
