// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "read-ahead.h"
#include "block-map.h"
#include "config.h"
#include "image.h"

CSF_API int csf_image_new(struct csf_image **image)
{
	struct csf_image *im = calloc(1, sizeof(*im));

	if (!im)
		return CSF_ERR_MEMORY;
	im->section = calloc(16, sizeof(*im->section));
	im->space = calloc(16, sizeof(*im->space));
	if (!im->section || !im->space || block_table_init(&im->blocks))
		goto free_image;

	im->section_size = 16;
	im->space_size = 16;
	im->n_section = 1;
	im->n_space = 1;
	im->generation = 1;
	im->block_maps.from = MANY_BLOCKS;
	insn_filter_init(&im->filter);
	pthread_mutex_init(&im->lock, NULL);
	*image = im;
	return 0;

free_image:
	free(im->section);
	free(im->space);
	free(im);
	return CSF_ERR_MEMORY;
}

static void free_pages(struct section *s)
{
	if (!s->page)
		return;
	for (uint64_t i = 0; i <= (s->n - 1) / SECTION_PAGE; i++)
		free(s->page[i].bytes);
}

CSF_API void csf_image_free(struct csf_image *image)
{
	if (!image)
		return;
	for (uint32_t i = 1; i < image->n_section; i++) {
		free_pages(&image->section[i]);
		free(image->section[i].page);
	}
	for (uint32_t i = 0; i < image->n_space; i++) {
		free(image->space[i].map);
		times_free(&image->space[i].change);
	}
	for (uint32_t i = 1; i < image->mappings.n; i++)
		block_map_free(&image->mappings.mapping[i]);
	times_free(&image->change);
	free(image->section);
	free(image->space);
	free(image->mappings.mapping);
	block_table_fini(&image->blocks);
	path_table_fini(&image->paths);
	pthread_mutex_destroy(&image->lock);
	free(image);
}

CSF_API void csf_image_classifier(struct csf_image *image, csf_insn_fn fn, void *context)
{
	image->classify = fn;
	image->classify_context = context;
}

CSF_API void csf_image_pager(struct csf_image *image, csf_page_fn fn, void *context)
{
	image->page = fn;
	image->page_context = context;
}

/* Makes room for one more element of *array, by doubling it.  Returns true if there is room. */
static bool grow(void **array, uint32_t n, uint32_t *size, size_t element)
{
	void *p;

	if (n < *size)
		return true;
	p = realloc(*array, 2 * (size_t)*size * element);
	if (!p)
		return false;
	*array = p;
	*size *= 2;
	return true;
}

static int add_section(struct csf_image *image, const struct section *s)
{
	int ret = CSF_ERR_MEMORY;

	lock_take(&image->lock);
	if (grow((void **)&image->section, image->n_section, &image->section_size,
		 sizeof(*image->section))) {
		image->section[image->n_section] = *s;
		ret = image->n_section++;
	}
	lock_release(&image->lock);
	return ret;
}

CSF_API int csf_section_bytes(struct csf_image *image, const void *code, size_t n)
{
	struct section s = { .code = code, .n = n, .n_code = n };

	if (!code || !n || n > SECTION_MAX)
		return CSF_ERR_ARG;
	return add_section(image, &s);
}

CSF_API int csf_section_read(struct csf_image *image, uint64_t n, csf_read_fn fn, void *context)
{
	struct section s = { .n = n, .read = fn, .context = context };
	int ret;

	if (!fn || !n || n > SECTION_MAX)
		return CSF_ERR_ARG;
	s.page = calloc((n - 1) / SECTION_PAGE + 1, sizeof(*s.page));
	if (!s.page)
		return CSF_ERR_MEMORY;
	ret = add_section(image, &s);
	if (ret < 0)
		free(s.page);
	return ret;
}

CSF_API int csf_section_whole(struct csf_image *image, int section, csf_whole_fn fn)
{
	struct section *s;

	if (section <= 0 || (uint32_t)section >= image->n_section ||
	    !image->section[section].page)
		return CSF_ERR_ARG;
	lock_take(&image->lock);
	s = &image->section[section];
	s->whole = fn;
	lock_release(&image->lock);
	return 0;
}

/* What is visible in @space changes; CSF_SPACE_ALL: in every space. */
static void change(struct csf_image *image, int space)
{
	__atomic_store_n(&image->generation, image->generation + 1, __ATOMIC_RELEASE);
	image->space[space].changed = image->generation;
}

CSF_API int csf_section_stale(struct csf_image *image, int section)
{
	struct section *s;

	if (section <= 0 || (uint32_t)section >= image->n_section)
		return CSF_ERR_ARG;

	read_ahead_image_changes(image, CSF_SPACE_ALL);
	lock_take(&image->lock);
	s = &image->section[section];
	free_pages(s);
	if (s->page) {
		memset(s->page, 0, ((s->n - 1) / SECTION_PAGE + 1) * sizeof(*s->page));
		s->code = NULL;
		s->n_code = 0;
		s->asked = false;
	}
	s->version++;
	block_unlink(image, section);
	change(image, CSF_SPACE_ALL);
	lock_release(&image->lock);
	return 0;
}

static int space_add(struct csf_image *image, bool alone)
{
	int ret = CSF_ERR_MEMORY;

	lock_take(&image->lock);
	if (grow((void **)&image->space, image->n_space, &image->space_size,
		 sizeof(*image->space))) {
		image->space[image->n_space] = (struct space){ .alone = alone };
		ret = image->n_space++;
	}
	lock_release(&image->lock);
	return ret;
}

CSF_API int csf_space_new(struct csf_image *image)
{
	return space_add(image, false);
}

CSF_API int csf_space_alone(struct csf_image *image)
{
	return space_add(image, true);
}

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

static int insert(struct space *s, const struct map *m)
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

/*
 * Removes addresses @addr..@last from what is mapped within the time from @from until @until.  A
 * map that is valid for longer stays: the new one hides it by @order.
 */
static int cut_out(struct space *s, const struct map *hole)
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
			if (insert(s, &tail))
				return CSF_ERR_MEMORY;
		}
	}
	set_reach(s, first, end);
	return 0;
}

/* Is any address of @m mapped, at any time? */
static bool overlaps(const struct space *s, const struct map *m)
{
	size_t i = m->last == UINT64_MAX ? s->n : space_behind(s, m->last);

	for (; i && s->map[i - 1].reach >= m->addr; i--)
		if (s->map[i - 1].last >= m->addr)
			return true;
	return false;
}

static bool insert_time(struct csf_image *image, struct space *s, uint64_t time)
{
	return times_add(&s->change, time) && times_add(&image->change, time);
}

static int insert_times(struct csf_image *image, struct space *s, const struct map *m)
{
	bool ok = true;

	if (!m->from && m->until == UINT64_MAX)
		return 0;
	__atomic_store_n(&image->timed, true, __ATOMIC_RELAXED);
	if (m->from)
		ok = insert_time(image, s, m->from);
	if (ok && m->until != UINT64_MAX)
		ok = insert_time(image, s, m->until);
	return ok ? 0 : CSF_ERR_MEMORY;
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

/* @more: nothing is mapped there yet. */
static int add_map(struct csf_image *image, int space, struct map *m, bool more)
{
	int err;

	/* no decoder has missed yet what a pager maps */
	if (!more || !image->page)
		read_ahead_image_changes(image, space);
	lock_take(&image->lock);
	m->order = image->n_order++;
	if (more)
		err = overlaps(&image->space[space], m) ? CSF_ERR_ARG : 0;
	else
		err = cut_out(&image->space[space], m);
	if (!err)
		err = insert(&image->space[space], m);
	if (!err)
		err = insert_times(image, &image->space[space], m);
	if (!more)
		change(image, space);
	lock_release(&image->lock);
	return err;
}

/* Is @m valid? */
static bool good_map(const struct csf_image *image, int space, const struct map *m, uint64_t n,
		     uint64_t offset)
{
	return n && m->last >= m->addr && !(m->base & 3) && m->from < m->until &&
	       m->section && m->section < image->n_section &&
	       space >= 0 && (uint32_t)space < image->n_space &&
	       offset < image->section[m->section].n && n <= image->section[m->section].n - offset;
}

CSF_API int csf_map_span(struct csf_image *image, int space, uint64_t addr, uint64_t n,
			 int section, uint64_t offset, uint64_t from, uint64_t until)
{
	struct map m = {
		.addr = addr, .last = addr + n - 1, .base = addr - offset,
		.from = from, .until = until, .section = section < 0 ? 0 : section,
	};

	return good_map(image, space, &m, n, offset) ? add_map(image, space, &m, false) :
						       CSF_ERR_ARG;
}

CSF_API int csf_map_more(struct csf_image *image, int space, uint64_t addr, uint64_t n,
			 int section, uint64_t offset)
{
	struct map m = {
		.addr = addr, .last = addr + n - 1, .base = addr - offset,
		.until = UINT64_MAX, .section = section < 0 ? 0 : section,
	};

	return good_map(image, space, &m, n, offset) ? add_map(image, space, &m, true) :
						       CSF_ERR_ARG;
}

CSF_API int csf_map(struct csf_image *image, int space, uint64_t addr, uint64_t n, int section,
		    uint64_t offset)
{
	return csf_map_span(image, space, addr, n, section, offset, 0, UINT64_MAX);
}

CSF_API int csf_unmap(struct csf_image *image, int space, uint64_t addr, uint64_t n)
{
	struct map hole = { .addr = addr, .last = addr + n - 1, .until = UINT64_MAX };
	int err;

	if (!n || hole.last < addr || space < 0 || (uint32_t)space >= image->n_space)
		return CSF_ERR_ARG;
	read_ahead_image_changes(image, space);
	lock_take(&image->lock);
	err = cut_out(&image->space[space], &hole);
	change(image, space);
	lock_release(&image->lock);
	return err;
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

CSF_API int csf_image_find(struct csf_image *image, int space, uint64_t addr, uint64_t time,
			   uint64_t *base)
{
	const struct map *m;
	int section = 0;

	if (space < 0 || (uint32_t)space >= image->n_space)
		return CSF_ERR_ARG;
	lock_take(&image->lock);
	m = image_map(image, space, addr, time);
	if (m) {
		section = m->section;
		if (base)
			*base = m->base;
	}
	lock_release(&image->lock);
	return section;
}

/* All of the code, if it is available in one piece; asks only once. */
static void have_whole(struct section *s)
{
	const void *code = NULL;
	uint64_t n = s->whole(s->context, &code);

	s->asked = true;
	if (!n || !code)
		return;
	s->code = code;
	s->n_code = n < s->n ? n : s->n;
}

/* All reads of code come here, so each byte is read only once. */
static bool read_page(struct section *s, uint64_t page)
{
	uint64_t offset = page * SECTION_PAGE;
	uint64_t want = s->n - offset < SECTION_PAGE ? s->n - offset : SECTION_PAGE;
	uint8_t *bytes = malloc(SECTION_PAGE);
	size_t n = 0, got;

	if (!bytes)
		return false;
	while (n < want) {
		got = s->read(s->context, offset + n, bytes + n, want - n);
		if (!got)
			break;
		n += got < want - n ? got : want - n;
	}
	s->page[page].bytes = bytes;
	s->page[page].n = n;
	return true;
}

size_t section_page(struct section *s, uint64_t offset, const uint8_t **p)
{
	static const uint8_t none;
	uint64_t page = offset / SECTION_PAGE, in_page = offset % SECTION_PAGE;

	*p = &none;
	if (offset >= s->n)
		return 0;
	if (s->whole && !s->asked)
		have_whole(s);
	if (offset < s->n_code) {
		*p = s->code + offset;
		return s->n_code - offset;
	}
	if (s->code)
		return 0;
	if (!s->page[page].bytes && !read_page(s, page)) {
		*p = NULL;
		return 0;
	}
	if (in_page >= s->page[page].n)
		return 0;
	*p = s->page[page].bytes + in_page;
	return s->page[page].n - in_page;
}

CSF_API size_t csf_image_read(struct csf_image *image, int space, uint64_t addr, uint64_t time,
			      void *buf, size_t n)
{
	size_t done = 0;

	if (space < 0 || (uint32_t)space >= image->n_space)
		return 0;
	lock_take(&image->lock);
	while (done < n) {
		const struct map *m = image_map(image, space, addr + done, time);
		const uint8_t *p;
		size_t have;

		if (!m)
			break;
		have = section_at(&image->section[m->section], addr + done - m->base, &p);
		if (!have)
			break;
		if (have > n - done)
			have = n - done;
		if (have - 1 > m->last - (addr + done))
			have = m->last - (addr + done) + 1;
		memcpy((uint8_t *)buf + done, p, have);
		done += have;
	}
	lock_release(&image->lock);
	return done;
}

CSF_API uint32_t csf_block_count(const struct csf_image *image)
{
	return block_table_n(&image->blocks) - 1;
}

CSF_API uint32_t csf_path_count(const struct csf_image *image)
{
	/* a caller that asks for blocks next finds those of all these paths */
	return image->paths.step ? __atomic_load_n(&image->paths.n, __ATOMIC_ACQUIRE) - 1 : 0;
}

CSF_API size_t csf_path(const struct csf_image *image, uint32_t step, const uint32_t **steps)
{
	const struct path_table *t = &image->paths;
	const uint32_t number = step & ~CSF_PATH;

	if (!number || number > csf_path_count(image))
		return 0;
	*steps = t->step + t->path[number].first;
	return t->path[number + 1].first - t->path[number].first;
}

CSF_API int csf_block(const struct csf_image *image, uint32_t number, struct csf_block *block)
{
	const bool is_one = number && number < block_table_n(&image->blocks);

	*block = image->blocks.block[is_one ? number : 0].pub;
	return is_one ? 0 : CSF_ERR_ARG;
}
