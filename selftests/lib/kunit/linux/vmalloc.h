/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CSF_KUNIT_VMALLOC_H
#define CSF_KUNIT_VMALLOC_H

#include <stdlib.h>

#define vmalloc(n)	malloc(n)
#define vfree(p)	free(p)

#endif /* CSF_KUNIT_VMALLOC_H */
