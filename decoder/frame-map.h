/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Map of a stream: where in the capture each of its bytes was. */
#ifndef CSF_FRAME_MAP_H
#define CSF_FRAME_MAP_H

#include "bytes.h"

/* Spans a map remembers, a power of two; and how many one feed may add. */
#define FRAME_MAP_SIZE	8192
#define FRAME_MAP_FEED	2048

#define FRAME_WHOLE	0x7fff	/* frame_span.mask: all 15 bytes of a frame without ID bytes */

/**
 * struct frame_span - bytes of a stream that came from like frames back to back
 * @pos_n: offset of the first byte in the stream << 16 | number of frames
 * @at_mask: offset of the first frame in the capture << 16 | mask: bit i is set if byte i of
 *           each frame belongs to the stream
 */
struct frame_span {
	uint64_t pos_n;
	uint64_t at_mask;
};

/**
 * struct frame_map - the last spans of a stream
 * @span: ring of FRAME_MAP_SIZE; NULL: nobody wants to know
 * @n: spans ever added; the last is @span[(@n - 1) % FRAME_MAP_SIZE]
 * @full: @n at which the feed must stop
 */
struct frame_map {
	struct frame_span *span;
	uint64_t n;
	uint64_t full;
};

static __always_inline void frame_map_add(struct frame_map *map, uint64_t pos_n, uint64_t at_mask)
{
	struct frame_span *span = &map->span[map->n++ % FRAME_MAP_SIZE];

	span->pos_n = pos_n;
	span->at_mask = at_mask;
}

/* As frame_map_add(), for @n frames without ID bytes: the last span may just grow. */
static __always_inline void frame_map_run(struct frame_map *map, uint64_t pos, size_t n,
					  uint64_t at)
{
	struct frame_span *last = &map->span[(map->n - 1) % FRAME_MAP_SIZE];

	if (map->n && (at << 16 | FRAME_WHOLE) ==
		      last->at_mask + ((last->pos_n & UINT16_MAX) << 20) &&
	    (last->pos_n & UINT16_MAX) + n <= UINT16_MAX)
		last->pos_n += n;
	else
		frame_map_add(map, pos << 16 | n, at << 16 | FRAME_WHOLE);
}

/* Return: offset in the capture of byte @pos, which is below @end; UINT64_MAX: forgotten. */
uint64_t frame_map_find(const struct frame_map *map, uint64_t pos, uint64_t end);

#endif /* CSF_FRAME_MAP_H */
