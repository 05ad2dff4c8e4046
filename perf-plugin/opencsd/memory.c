// SPDX-License-Identifier: GPL-2.0-only
/* The code that clients add and remove, and the part of it that a trace ID sees. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "element.h"
#include "memory-page.h"

#define REGION_MAX	(1ull << 32)
#define PAGES_MAX	(1u << 16)	/* 256 MiB of distinct code */

int memory_init(struct memory *m)
{
	*m = (struct memory){ 0 };
	if (csf_image_new(&m->image))
		return ABI_ERR_MEM;
	csf_image_pager(m->image, memory_page, m);
	return ABI_OK;
}

static void free_pages(struct memory *m)
{
	for (uint32_t i = 1; i < m->n_page; i++)
		free(m->page[i].bytes);
	free(m->page);
	free(m->slot);
	m->page = NULL;
	m->slot = NULL;
	m->n_page = 0;
	m->page_size = 0;
	m->slot_mask = 0;
}

void memory_fini(struct memory *m)
{
	csf_image_free(m->image);
	free_pages(m);
	for (size_t i = 0; i < m->n_accessor; i++)
		free(m->accessor[i].bytes);
	free(m->accessor);
	*m = (struct memory){ 0 };
}

bool memory_full(const struct memory *m)
{
	return m->n_page > PAGES_MAX || csf_block_count(m->image) > 64 * PAGES_MAX;
}

static const uint8_t *bytes_of(const struct accessor *a)
{
	return a->bytes ? a->bytes : a->context;
}

int memory_renew(struct memory *m)
{
	struct csf_image *image;

	if (csf_image_new(&image))
		return ABI_ERR_MEM;
	csf_image_free(m->image);
	m->image = image;
	free_pages(m);
	csf_image_pager(m->image, memory_page, m);
	for (size_t i = 0; i < m->n_accessor; i++) {
		struct accessor *a = &m->accessor[i];
		uint64_t n = a->last - a->first + 1;

		if (a->section)
			a->section = csf_section_bytes(image, bytes_of(a), n);
		if (a->section < 0)
			return ABI_ERR_MEM;
	}
	return ABI_OK;
}

/* ---------------------------------------------------------------- accessors */

static bool overlaps(const struct accessor *a, const struct accessor *b)
{
	return a->spaces & b->spaces && a->first <= b->last && b->first <= a->last;
}

static void map(const struct memory_view *view, const struct accessor *a, unsigned int bit)
{
	if (a->section && a->spaces & memory_spaces(view, bit))
		csf_map(view->memory->image, view->space[bit], a->first,
			a->last - a->first + 1, a->section, 0);
}

/* Adds @a, whose bytes the memory then owns; not if this fails. */
static int add(struct memory *m, struct accessor *a)
{
	struct accessor *array;

	if (a->spaces == ABI_SPACE_ANY)
		a->spaces = ABI_SPACE_ALL;
	if (!a->spaces || a->last < a->first)
		return ABI_ERR_MEM_ACC_RANGE_INVALID;
	for (size_t i = 0; i < m->n_accessor; i++)
		if (overlaps(&m->accessor[i], a))
			return ABI_ERR_MEM_ACC_OVERLAP;
	array = realloc(m->accessor, (m->n_accessor + 1) * sizeof(*array));
	if (!array)
		return ABI_ERR_MEM;
	m->accessor = array;
	array[m->n_accessor++] = *a;
	for (struct memory_view *v = m->view; v; v = v->next)
		for (unsigned int bit = 0; bit < MEMORY_SPACES; bit++)
			if (v->space[bit])
				map(v, a, bit);
	return ABI_OK;
}

/* Adds code in memory, @a->bytes or at @p.  Only code at a multiple of 4 can be mapped. */
static int add_section(struct memory *m, struct accessor *a, const uint8_t *p, size_t n)
{
	size_t off = a->first & 3;
	int err;

	if (!n || n > REGION_MAX - 4 || a->first + (n - 1) < a->first)
		return ABI_ERR_MEM_ACC_BAD_LEN;
	a->last = a->first + (n - 1);
	if (off && !a->bytes) {
		a->bytes = calloc(1, n + off);
		if (!a->bytes)
			return ABI_ERR_MEM;
		memcpy(a->bytes + off, p, n);
		p = a->bytes;
		a->first -= off;
	}
	a->context = p;
	a->section = csf_section_bytes(m->image, p, a->last - a->first + 1);
	err = a->section < 0 ? ABI_ERR_MEM : add(m, a);
	if (err)
		free(a->bytes);
	return err;
}

int memory_add_bytes(struct memory *m, uint64_t addr, uint32_t spaces, const uint8_t *p, size_t n)
{
	struct accessor a = { .first = addr, .spaces = spaces };

	return add_section(m, &a, p, n);
}

static int read_all(int fd, uint8_t *p, size_t n, uint64_t offset)
{
	while (n) {
		ssize_t got = pread(fd, p, n, offset);

		if (got <= 0)
			return ABI_ERR_FILE_ERROR;
		p += got;
		n -= got;
		offset += got;
	}
	return ABI_OK;
}

int memory_add_file(struct memory *m, const char *path, const struct abi_region *region,
		    uint32_t spaces)
{
	size_t off = region->addr & 3, n = region->n;
	struct accessor a = { .first = region->addr - off, .spaces = spaces };
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = ABI_ERR_MEM_ACC_RANGE_INVALID;
	off_t size;

	if (fd < 0)
		return ABI_ERR_MEM_ACC_FILE_NOT_FOUND;
	size = lseek(fd, 0, SEEK_END);
	if (size > 0 && !n && region->offset < (uint64_t)size)
		n = size - region->offset;
	if (size > 0 && n && region->offset < (uint64_t)size && n <= size - region->offset &&
	    n < REGION_MAX - 8) {
		a.bytes = calloc(1, n + off);
		err = a.bytes ? read_all(fd, a.bytes + off, n, region->offset) : ABI_ERR_MEM;
		if (err)
			free(a.bytes);
		else
			err = add_section(m, &a, a.bytes, n + off);
	}
	close(fd);
	return err;
}

int memory_add_function(struct memory *m, const struct accessor *a)
{
	struct accessor copy = *a;

	return a->fn || a->fn_id ? add(m, &copy) : ABI_ERR_INVALID_PARAM_VAL;
}

/* Its bytes are kept until the end: the image still uses them. */
int memory_remove(struct memory *m, uint64_t first, uint32_t spaces)
{
	if (spaces == ABI_SPACE_ANY)
		spaces = ABI_SPACE_ALL;
	for (size_t i = 0; i < m->n_accessor; i++) {
		struct accessor *a = &m->accessor[i];

		if (a->first != (first & ~(a->section ? 3ull : 0)) || !(a->spaces & spaces))
			continue;
		a->spaces &= ~spaces;
		for (struct memory_view *v = m->view; v; v = v->next)
			memory_forget(v, a, spaces);
		return ABI_OK;
	}
	return ABI_ERR_INVALID_PARAM_VAL;
}

/* ---------------------------------------------------------------- views */

void memory_open(struct memory_view *view, struct memory *m, uint8_t id, bool any_level)
{
	*view = (struct memory_view){
		.memory = m, .id = id, .any_level = any_level, .next = m->view,
	};
	m->view = view;
}

void memory_close(struct memory_view *view)
{
	struct memory_view **p = &view->memory->view;

	while (*p && *p != view)
		p = &(*p)->next;
	if (*p)
		*p = view->next;
	for (uint32_t i = 0; i < view->n_low; i++) {
		free(view->low[i]->read);
		free(view->low[i]);
	}
	free(view->low);
	free(view->mapped);
	free(view->at);
	*view = (struct memory_view){ 0 };
}

static bool same_context(const struct csf_context *a, const struct csf_context *b)
{
	return a->contextid == b->contextid && a->vmid == b->vmid && a->el == b->el &&
	       a->security == b->security && a->bits64 == b->bits64 &&
	       a->has_contextid == b->has_contextid && a->has_vmid == b->has_vmid;
}

int memory_visit(struct memory_view *view, const struct csf_context *context)
{
	unsigned int bit = __builtin_ctz(ocsd_space_bit(context));
	struct memory *m = view->memory;
	int space = view->space[bit];

	if (view->visiting && same_context(&view->context, context))
		return space;
	view->context = *context;
	view->visiting = true;
	memory_leave(view);
	view->bit = bit;
	view->wide = context->bits64;
	if (!space) {
		space = csf_space_new(m->image);
		if (space < 0)
			return space;
		view->space[bit] = space;
		for (size_t i = 0; i < m->n_accessor; i++)
			map(view, &m->accessor[i], bit);
	}
	memory_come_back(view);
	return space;
}
