// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Address spaces: which maps are visible at an address, and when that changes. */
#include <stdlib.h>

#include "image.h"

size_t space_behind(const struct space *s, uint64_t addr)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->map[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Maps from @i on changed; after @sure, only their reach may have changed. */
static void set_reach(struct space *s, size_t i, size_t sure)
{
	uint64_t reach = i ? s->map[i - 1].reach : 0;

	for (; i < s->n; i++) {
		if (s->map[i].last > reach)
			reach = s->map[i].last;
		if (i >= sure && s->map[i].reach == reach)
			return;
		s->map[i].reach = reach;
	}
}

int space_insert(struct space *s, const struct map *m)
{
	size_t i = space_behind(s, m->addr);

	if (s->n == s->size) {
		size_t size = s->size ? 2 * s->size : 8;
		struct map *map = realloc(s->map, size * sizeof(*map));

		if (!map)
			return CSF_ERR_MEMORY;
		s->map = map;
		s->size = size;
	}
	memmove(s->map + i + 1, s->map + i, (s->n - i) * sizeof(*s->map));
	s->map[i] = *m;
	s->n++;
	set_reach(s, i, i + 1);
	return 0;
}

int space_cut(struct space *s, const struct map *hole)
{
	size_t end = hole->last == UINT64_MAX ? s->n : space_behind(s, hole->last);
	size_t first = end;

	while (first && s->map[first - 1].reach >= hole->addr)
		first--;
	for (size_t i = first; i < end; i++) {
		struct map *m = &s->map[i];
		struct map tail = *m;

		if (m->last < hole->addr || m->addr > hole->last ||
		    m->from < hole->from || m->until > hole->until)
			continue;
		if (m->addr < hole->addr) {
			m->last = hole->addr - 1;
		} else {
			memmove(m, m + 1, (s->n - i - 1) * sizeof(*m));
			s->n--;
			end--;
			i--;
		}
		if (tail.last > hole->last) {
			tail.addr = hole->last + 1;
			if (space_insert(s, &tail))
				return CSF_ERR_MEMORY;
		}
	}
	set_reach(s, first, end);
	return 0;
}

bool space_overlaps(const struct space *s, const struct map *m)
{
	size_t i = m->last == UINT64_MAX ? s->n : space_behind(s, m->last);

	for (; i && s->map[i - 1].reach >= m->addr; i--)
		if (s->map[i - 1].last >= m->addr)
			return true;
	return false;
}

const struct map *space_find(const struct space *s, uint64_t addr, uint64_t time)
{
	const struct map *found = NULL;

	for (size_t i = space_behind(s, addr); i && s->map[i - 1].reach >= addr; i--) {
		const struct map *m = &s->map[i - 1];

		if (m->last >= addr && map_at(m, time) && (!found || m->order > found->order))
			found = m;
	}
	return found;
}

const struct space *image_behind(const struct csf_image *image, int space)
{
	static const struct space nothing;

	return image->space[space].alone ? &nothing : &image->space[CSF_SPACE_ALL];
}

const struct map *image_map(const struct csf_image *image, int space, uint64_t addr,
			    uint64_t time)
{
	const struct map *m = NULL;

	if (space)
		m = space_find(&image->space[space], addr, time);
	return m ? m : space_find(image_behind(image, space), addr, time);
}

static const struct map *find_section(const struct space *s, uint32_t section, uint64_t time)
{
	const struct map *found = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const struct map *m = &s->map[i];

		if (m->section == section && map_at(m, time) &&
		    (!found || m->order > found->order))
			found = m;
	}
	return found;
}

uint64_t image_base(struct csf_image *image, int space, uint32_t section, uint64_t time)
{
	const struct map *m = NULL;
	uint64_t base;

	lock_take(&image->lock);
	if (space < 0 || (uint32_t)space >= image->n_space)
		space = CSF_SPACE_ALL;
	if (space)
		m = find_section(&image->space[space], section, time);
	if (!m)
		m = find_section(image_behind(image, space), section, time);
	base = m ? m->base : 0;
	lock_release(&image->lock);
	return base;
}

struct steady image_steady_in(struct csf_image *image, int space, uint64_t time)
{
	struct steady s = { .until = UINT64_MAX };

	lock_take(&image->lock);
	times_narrow(&image->space[CSF_SPACE_ALL].change, time, &s);
	times_narrow(&image->space[space].change, time, &s);
	lock_release(&image->lock);
	return s;
}

struct steady image_steady(struct csf_image *image, uint64_t time)
{
	struct steady s = { .until = UINT64_MAX };

	lock_take(&image->lock);
	s.n = image->change.n;
	times_narrow(&image->change, time, &s);
	lock_release(&image->lock);
	return s;
}
