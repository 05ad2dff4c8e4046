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

/* The visible maps of @space change; CSF_SPACE_ALL: those of every space. */
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
		err = space_overlaps(&image->space[space], m) ? CSF_ERR_ARG : 0;
	else
		err = space_cut(&image->space[space], m);
	if (!err)
		err = space_insert(&image->space[space], m);
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
	err = space_cut(&image->space[space], &hole);
	change(image, space);
	lock_release(&image->lock);
	return err;
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

CSF_API int csf_block(const struct csf_image *image, uint32_t number, struct csf_block *block)
{
	const bool is_one = number && number < block_table_n(&image->blocks);

	*block = image->blocks.block[is_one ? number : 0].pub;
	return is_one ? 0 : CSF_ERR_ARG;
}
