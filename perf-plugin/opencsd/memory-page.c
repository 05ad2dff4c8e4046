// SPDX-License-Identifier: GPL-2.0-only
/* Code from functions of the client, a page at a time. */
#include <stdlib.h>
#include <string.h>

#include "memory-page.h"

#define PAGE	4096u

/* ---------------------------------------------------------------- answers of the client */

uint32_t memory_spaces(const struct memory_view *view, unsigned int bit)
{
	if (!view->any_level)
		return 1u << bit;
	return 1u << bit & ABI_SPACES_N ? ABI_SPACES_N : ABI_SPACES_S;
}

/* Reads @n bytes of @a at @addr, which may cross a page boundary.  Return: number of bytes read. */
static uint32_t ask(const struct accessor *a, const struct memory_view *view, unsigned int bit,
		    uint64_t addr, uint32_t n, uint8_t *buf)
{
	const uint32_t spaces = memory_spaces(view, bit);
	uint32_t done = 0, got;

	if (n > a->last - addr + 1 && a->last - addr != UINT64_MAX)
		n = a->last - addr + 1;
	while (done < n) {
		got = a->fn_id ? a->fn_id(a->context, addr + done, spaces, view->id, n - done,
					  buf + done) :
				 a->fn(a->context, addr + done, spaces, n - done, buf + done);
		if (!got || got > n - done)
			break;
		done += got;
	}
	return done;
}

static const struct accessor *find(const struct memory_view *view, uint64_t addr)
{
	const uint32_t spaces = memory_spaces(view, view->bit);
	const struct memory *m = view->memory;

	for (size_t i = 0; i < m->n_accessor; i++) {
		const struct accessor *a = &m->accessor[i];

		if (a->spaces & spaces && a->first <= addr && addr <= a->last)
			return a;
	}
	return NULL;
}

/* ---------------------------------------------------------------- pages by content */

/* A fast hash that is good enough for a table, as its results are compared. */
static uint64_t hash_of(const uint8_t *p, uint32_t n)
{
	uint64_t a = n, b = ~(uint64_t)n, v;

	for (; n >= 16; p += 16, n -= 16) {
		memcpy(&v, p, 8);
		a = (a ^ v) * 0x9e3779b97f4a7c15ull;
		a ^= a >> 29;
		memcpy(&v, p + 8, 8);
		b = (b ^ v) * 0xc2b2ae3d27d4eb4full;
		b ^= b >> 31;
	}
	for (; n; p++, n--)
		a = (a ^ *p) * 0x9e3779b97f4a7c15ull;
	a ^= b * 0x165667b19e3779f9ull;
	return a ^ a >> 32;
}

static bool grow_slots(struct memory *m)
{
	uint32_t mask = m->slot_mask ? 2 * m->slot_mask + 1 : 255;
	uint32_t *slot = calloc(mask + 1, sizeof(*slot));

	if (!slot)
		return false;
	for (uint32_t k = 1; k < m->n_page; k++) {
		uint32_t i = m->page[k].hash & mask;

		while (slot[i])
			i = (i + 1) & mask;
		slot[i] = k;
	}
	free(m->slot);
	m->slot = slot;
	m->slot_mask = mask;
	return true;
}

/* Makes room for one more.  Returns true if there is. */
static bool room(struct memory *m)
{
	if (m->n_page + 1 >= m->page_size) {
		uint32_t size = m->page_size ? 2 * m->page_size : 64;
		struct page *page = realloc(m->page, size * sizeof(*page));

		if (!page)
			return false;
		m->page = page;
		m->page_size = size;
	}
	if (!m->n_page)
		m->page[m->n_page++] = (struct page){ 0 };
	return m->n_page < m->slot_mask / 2 || grow_slots(m);
}

/* Adds a new section.  Return: its number; 0: no memory. */
static int add(struct memory *m, uint64_t hash, const uint8_t *p, uint32_t n, uint32_t i)
{
	struct page page = { .hash = hash, .bytes = malloc(n), .n = n };

	if (!page.bytes)
		return 0;
	memcpy(page.bytes, p, n);
	page.section = csf_section_bytes(m->image, page.bytes, n);
	if (page.section < 0) {
		free(page.bytes);
		return 0;
	}
	m->page[m->n_page] = page;
	m->slot[i] = m->n_page++;
	return page.section;
}

static bool is_mapped(const struct memory_view *view, int section)
{
	return (uint32_t)section < view->n_at && view->at[section] == view->visit;
}

/*
 * A section with these bytes that is not mapped yet, as a section can be mapped only once.  0: no
 * memory.
 */
static int section_of(struct memory *m, const struct memory_view *view, const uint8_t *p,
		      uint32_t n)
{
	uint64_t hash = hash_of(p, n);
	uint32_t i;

	if (!room(m))
		return 0;
	for (i = hash & m->slot_mask; m->slot[i]; i = (i + 1) & m->slot_mask) {
		const struct page *page = &m->page[m->slot[i]];

		if (page->hash == hash && page->n == n && !memcmp(page->bytes, p, n) &&
		    !is_mapped(view, page->section))
			return page->section;
	}
	return add(m, hash, p, n, i);
}

/* ---------------------------------------------------------------- views */

/* Makes room for one more of @n elements; sizes are powers of two.  NULL: no memory. */
static void *one_more(void *array, uint32_t n, size_t size)
{
	if (n & (n - 1))
		return array;
	return realloc(array, (n ? 2ul * n : 1) * size);
}

static bool remember(struct memory_view *view, int section, uint64_t addr, uint32_t n)
{
	struct memory_mapped *mapped = one_more(view->mapped, view->n_mapped, sizeof(*mapped));

	if (!mapped)
		return false;
	view->mapped = mapped;
	if ((uint32_t)section >= view->n_at) {
		uint32_t size = 2 * section + 64;
		uint32_t *at = realloc(view->at, size * sizeof(*at));

		if (!at)
			return false;
		memset(at + view->n_at, 0xff, (size - view->n_at) * sizeof(*at));
		view->at = at;
		view->n_at = size;
	}
	mapped[view->n_mapped++] = (struct memory_mapped){ addr, n };
	view->at[section] = view->visit;
	return true;
}

static bool map_page(struct memory_view *view, uint64_t addr, const uint8_t *p, uint32_t n)
{
	struct memory *m = view->memory;
	int section = section_of(m, view, p, n);

	if (!section ||
	    csf_map_more(m->image, view->space[view->bit], addr, n, section, 0))
		return false;
	return remember(view, section, addr, n);
}

/* Reads the page of @addr; if there is nothing at its start, from @addr on. */
static bool page_wide(struct memory_view *view, const struct accessor *a, uint64_t addr)
{
	uint64_t first = addr & ~(uint64_t)(PAGE - 1), last = addr | (PAGE - 1);
	uint8_t buf[PAGE];
	uint32_t n;

	if (first < a->first)
		first = (a->first + 3) & ~3ull;
	if (addr < first)
		return false;
	n = ask(a, view, view->bit, first, last - first + 1, buf);
	if (addr - first + 4 <= n && map_page(view, first, buf, n))
		return true;
	n = ask(a, view, view->bit, addr, last - addr + 1, buf);
	return n >= 4 && map_page(view, addr, buf, n);
}

/* ---------------------------------------------------------------- AArch32 */

/* The image reads a section.  The bytes that it gets are kept for later comparison. */
static size_t read_low(void *context, uint64_t offset, void *buf, size_t n)
{
	struct memory_low *low = context;
	struct memory_mapped *read = one_more(low->read, low->n_read, sizeof(*read));
	uint64_t addr = (low->accessor.first & ~3ull) + offset;
	uint32_t got;

	if (!read)
		return 0;
	low->read = read;
	if (addr < low->accessor.first)
		return 0;
	got = ask(&low->accessor, low->view, low->bit, addr, n, buf);
	read[low->n_read++] = (struct memory_mapped){ addr, got };
	return got;
}

/* Start of the section of @low, and its size. */
static uint64_t low_first(const struct memory_low *low)
{
	return low->accessor.first & ~3ull;
}

static uint64_t low_size(const struct memory_low *low)
{
	uint64_t last = low->accessor.last < UINT32_MAX ? low->accessor.last : UINT32_MAX;

	return last - low_first(low) + 1;
}

static bool map_low(const struct memory_view *view, const struct memory_low *low)
{
	return !csf_map_more(view->memory->image, view->space[view->bit], low_first(low),
			     low_size(low), low->section, 0);
}

static bool add_low(struct memory_view *view, const struct accessor *a)
{
	struct memory_low **array = one_more(view->low, view->n_low, sizeof(*array));
	struct memory_low *low = calloc(1, sizeof(*low));

	if (array)
		view->low = array;
	if (!array || !low)
		goto free_low;
	*low = (struct memory_low){ .view = view, .accessor = *a, .bit = view->bit };
	low->section = csf_section_read(view->memory->image, low_size(low), read_low, low);
	if (low->section < 0)
		goto free_low;
	view->low[view->n_low++] = low;
	return map_low(view, low);

free_low:
	free(low);
	return false;
}

static bool page_low(struct memory_view *view, const struct accessor *a)
{
	for (uint32_t i = 0; i < view->n_low; i++) {
		const struct memory_low *low = view->low[i];

		if (low->bit == view->bit && low->accessor.first == a->first &&
		    low->accessor.last == a->last && low->accessor.context == a->context)
			return map_low(view, low);
	}
	return a->first <= UINT32_MAX && add_low(view, a);
}

static bool has_changed(const struct memory_low *low)
{
	const struct memory_view *view = low->view;
	uint8_t now[PAGE], was[PAGE];

	for (uint32_t i = 0; i < low->n_read; i++) {
		const struct memory_mapped *r = &low->read[i];
		uint32_t n = ask(&low->accessor, view, low->bit, r->addr, PAGE, now);

		if (n < r->n)
			return true;
		csf_image_read(view->memory->image, view->space[low->bit], r->addr, 0, was, r->n);
		if (memcmp(now, was, r->n))
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------- visits */

bool memory_page(void *context, int space, uint64_t addr)
{
	struct memory *m = context;
	const struct accessor *a;
	struct memory_view *view = m->view;

	while (view && view->space[view->bit] != space)
		view = view->next;
	if (!view)
		return false;
	a = find(view, addr);
	if (!a || a->section)
		return false;
	return view->wide ? page_wide(view, a, addr) : page_low(view, a);
}

/* From the last to the first, so that little has to be moved. */
static int by_address(const void *a, const void *b)
{
	const struct memory_mapped *x = a, *y = b;

	return x->addr < y->addr ? 1 : -(x->addr > y->addr);
}

void memory_leave(struct memory_view *view)
{
	int space = view->space[view->bit];

	if (view->n_mapped > 64)
		qsort(view->mapped, view->n_mapped, sizeof(*view->mapped), by_address);
	for (uint32_t i = 0; i < view->n_mapped; i++)
		csf_unmap(view->memory->image, space, view->mapped[i].addr, view->mapped[i].n);
	view->n_mapped = 0;
	view->visit++;
}

void memory_come_back(struct memory_view *view)
{
	struct memory *m = view->memory;
	int space = view->space[view->bit];

	for (uint32_t i = 0; i < view->n_low; i++) {
		struct memory_low *low = view->low[i];

		if (low->bit != view->bit)
			continue;
		/* In AArch64 its place is for pages. */
		if (view->wide && csf_image_find(m->image, space, low_first(low), 0, NULL) ==
				  low->section)
			csf_unmap(m->image, space, low_first(low), low_size(low));
		if (!view->wide && low->n_read && has_changed(low)) {
			csf_section_stale(m->image, low->section);
			low->n_read = 0;
		}
	}
}

void memory_forget(struct memory_view *view, const struct accessor *a, uint32_t spaces)
{
	for (unsigned int bit = 0; bit < MEMORY_SPACES; bit++)
		if (view->space[bit] && spaces & memory_spaces(view, bit) &&
		    !(a->spaces & memory_spaces(view, bit)))
			csf_unmap(view->memory->image, view->space[bit], a->first,
				  a->last - a->first + !(a->last - a->first == UINT64_MAX));
}
