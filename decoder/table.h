/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables that look-ups jump about in. */
#ifndef CSF_TABLE_H
#define CSF_TABLE_H

#include <stdlib.h>
#include <sys/mman.h>

#include "bytes.h"

#define TABLE_PAGE	(2ul << 20)

/*
 * @size bytes of zeros, a power of two, in whole cache lines; free() frees them.  A large table is
 * in large pages, for every look-up is in another one.  NULL: no memory.
 */
static inline void *table_new(size_t size)
{
	void *table = aligned_alloc(size < TABLE_PAGE ? 64 : TABLE_PAGE, size);

	if (!table)
		return NULL;
#ifdef MADV_HUGEPAGE
	if (size >= TABLE_PAGE)
		madvise(table, size, MADV_HUGEPAGE);
#endif
	return memset(table, 0, size);
}

#endif /* CSF_TABLE_H */
