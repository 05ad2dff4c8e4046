// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "lock.h"
#include "table.h"

#define PARTS		(TABLE_PAGE / TABLE_PART)

/*
 * A page that tables of TABLE_PART share: getting the 64 small pages of one would take as long as
 * all of it, and a decoder soon has four of them.  Those that find no room in it do without.  It
 * stays for those who come later, who need not wait for another.
 */
static struct {
	pthread_mutex_t lock;
	uint8_t *page;		/* NULL: nobody has asked for one */
	uint8_t used;		/* by table: somebody has it */
	uint8_t dirty;		/* somebody had it: there may be no zeros in it */
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* @size bytes, in whole pages; the one @at begins a large page. */
static uint8_t *map(size_t size, size_t at, int flags)
{
	uint8_t *p = mmap(NULL, size + TABLE_PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
	const size_t before = -((uintptr_t)p + at) % TABLE_PAGE;

	if (p == MAP_FAILED)
		return NULL;
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

	return table ? memset(table, 0, size) : NULL;
}

/* Under the lock.  NULL: there is no room. */
static void *share(void)
{
	const unsigned int i = __builtin_ctz(~(unsigned int)shared.used);
	void *table;

	if (i == PARTS)
		return NULL;
	if (!shared.page)
		shared.page = map(TABLE_PAGE, 0, 0);
	if (!shared.page)
		return NULL;
	table = shared.page + i * TABLE_PART;
	if (shared.dirty & BIT(i))
		memset(table, 0, TABLE_PART);
	shared.used |= BIT(i);
	shared.dirty |= BIT(i);
	return table;
}

/* Under the lock.  Returns whether @table was one of them. */
static bool give_back(const uint8_t *table)
{
	const size_t at = (uintptr_t)table - (uintptr_t)shared.page;

	if (!shared.page || at >= TABLE_PAGE)
		return false;
	shared.used &= ~BIT(at / TABLE_PART);
	return true;
}

void *table_new(size_t size)
{
	void *table;

	if (size >= TABLE_PAGE)
		return map(size, 0, 0);
	if (size != TABLE_PART)
		return small(size);
	lock_take(&shared.lock);
	table = share();
	lock_release(&shared.lock);
	return table ? table : small(size);
}

void table_free(void *table, size_t size)
{
	bool was_shared = false;

	if (table && size >= TABLE_PAGE) {
		munmap(table, size);
		return;
	}
	if (table && size == TABLE_PART) {
		lock_take(&shared.lock);
		was_shared = give_back(table);
		lock_release(&shared.lock);
	}
	if (!was_shared)
		free(table);
}

static size_t whole(size_t size)
{
	return (size + TABLE_PAGE - 1) & ~(TABLE_PAGE - 1);
}

/*
 * Pages come as they are used.  Who has little needs few of them; of much, finding the pages would
 * take longer than reading what is in them, and getting them longer than filling them, unless they
 * are large.
 */
void *table_reserve(size_t size, size_t few)
{
	return map(whole(size), few, MAP_NORESERVE);
}

void table_release(void *table, size_t size)
{
	if (table)
		munmap(table, whole(size));
}
