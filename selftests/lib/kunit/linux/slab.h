/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of the kernel, in user space, where a sanitizer watches it. */
#ifndef CSF_KUNIT_SLAB_H
#define CSF_KUNIT_SLAB_H

#include <stdlib.h>
#include <string.h>

#define GFP_KERNEL		0
#define kzalloc(n, flags)	calloc(1, n)
#define kfree(p)		free(p)

static inline void *kmemdup(const void *from, size_t n, int flags)
{
	void *to = malloc(n);

	return to ? memcpy(to, from, n) : NULL;
}

#endif /* CSF_KUNIT_SLAB_H */
