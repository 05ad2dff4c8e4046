/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The layouts of perf.data: libperf's perf/event.h, which includes the kernel's linux/perf_event.h.
 * Only .c files include this.
 *
 * Records are little-endian and at any alignment in the file: fields are read with PERF_FIELD(),
 * never through a pointer to the structure.
 */
#ifndef PERF_ABI_H
#define PERF_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <perf/event.h>

#include "../decoder/bytes.h"

/* Reads @n bytes, 1..8, little-endian. */
static inline uint64_t perf_le(const void *p, size_t n)
{
	const uint8_t *byte = p;
	uint64_t v = 0;

	while (n--)
		v = v << 8 | byte[n];
	return v;
}

#define PERF_FIELD_SIZE(type, field)	sizeof(((struct type *)0)->field)

/* The value of @field of a struct @type that begins at @p */
#define PERF_FIELD(p, type, field)						\
	perf_le((const uint8_t *)(p) + offsetof(struct type, field), PERF_FIELD_SIZE(type, field))

#endif /* PERF_ABI_H */
