// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "csflow.h"
#include "table.h"

/* Size in bytes of the last table that could not be allocated. */
static size_t refused;

CSF_API uint64_t csf_no_memory(void)
{
	return __atomic_load_n(&refused, __ATOMIC_RELAXED);
}

void table_refused(size_t size)
{
	__atomic_store_n(&refused, size, __ATOMIC_RELAXED);
}

/* Maps @size bytes, in whole pages, with protection @prot; the byte @at begins a large page. */
static uint8_t *map(size_t size, size_t at, int prot)
{
	uint8_t *p = mmap(NULL, size + TABLE_PAGE, prot,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	const size_t before = -((uintptr_t)p + at) % TABLE_PAGE;

	if (p == MAP_FAILED) {
		table_refused(size);
		return NULL;
	}
	if (before)
		munmap(p, before);
	munmap(p + before + size, TABLE_PAGE - before);
#ifdef MADV_HUGEPAGE
	madvise(p + before + at, size - at, MADV_HUGEPAGE);
#endif
	return p + before;
}

static void *small(size_t size)
{
	void *table = aligned_alloc(64, size);

	if (!table)
		table_refused(size);
	return table ? memset(table, 0, size) : NULL;
}

void *table_new(size_t size)
{
	return size >= TABLE_PAGE ? map(size, 0, PROT_READ | PROT_WRITE) : small(size);
}

void table_free(void *table, size_t size)
{
	if (size < TABLE_PAGE)
		free(table);
	else if (table)
		munmap(table, size);
}

static size_t whole(size_t size)
{
	return (size + TABLE_PAGE - 1) & ~(TABLE_PAGE - 1);
}

/*
 * Pages come as they are used.  A small table needs few of them.  For a large table, finding small
 * pages would take longer than reading their contents, and getting them longer than filling them.
 */
void *table_reserve(size_t size, size_t few)
{
	return map(whole(size), few, PROT_READ | PROT_WRITE);
}

void table_release(void *table, size_t size)
{
	if (table)
		munmap(table, whole(size));
}

/* ---------------------------------------------------------------- tables that grow */

uint64_t table_space_share(uint64_t n, size_t each)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	    limit.rlim_cur / 16 / each > n)
		return n;
	return limit.rlim_cur / 16 / each;
}

/* Inaccessible memory costs nothing, even where the kernel promises no more memory than it has. */
bool table_space_init(struct table_space *s, size_t max, size_t few)
{
	*s = (struct table_space){ .few = few, .max = few + whole(max) };
	s->at = map(s->max, few, PROT_NONE);
	return s->at;
}

void table_space_fini(struct table_space *s)
{
	if (s->at)
		munmap(s->at, s->max);
	*s = (struct table_space){ 0 };
}

/* Large pages are used whole, and each time half as much is added, so this is seldom called. */
bool table_space_grow(struct table_space *s, size_t size)
{
	const size_t wanted = size > s->size + s->size / 2 ? size : s->size + s->size / 2;
	size_t to = wanted > s->few ? s->few + whole(wanted - s->few) : s->few;

	if (size > s->max)
		return false;
	if (to > s->max)
		to = s->max;
	if (mprotect(s->at + s->size, to - s->size, PROT_READ | PROT_WRITE)) {
		table_refused(to - s->size);
		return false;
	}
	s->size = to;
	return true;
}
