/* SPDX-License-Identifier: GPL-2.0-only */
/* FNV-1a, 64 bits: a hash that tells files apart that differ by accident. */
#ifndef CSF_FNV_H
#define CSF_FNV_H

#include <stddef.h>
#include <stdint.h>

#define FNV_START	0xcbf29ce484222325ull

/* The hash of @n more bytes; @v: that of those before them, FNV_START at first. */
static inline uint64_t fnv_hash(uint64_t v, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	while (n--)
		v = (v ^ *p++) * 0x100000001b3ull;
	return v;
}

#endif /* CSF_FNV_H */
