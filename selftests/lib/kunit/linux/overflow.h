/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CSF_KUNIT_OVERFLOW_H
#define CSF_KUNIT_OVERFLOW_H

#include <linux/types.h>

static inline size_t array_size(size_t n, size_t each)
{
	size_t bytes;

	return __builtin_mul_overflow(n, each, &bytes) ? SIZE_MAX : bytes;
}

#endif /* CSF_KUNIT_OVERFLOW_H */
