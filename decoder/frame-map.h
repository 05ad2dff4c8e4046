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
 * @pos: offset of the first byte in the stream
 * @n: frames
 * @at: offset of the first frame in the capture
 * @mask: bit i: byte i of each frame belongs to the stream
 */
struct frame_span {
	uint64_t pos : 48;
	uint64_t n : 16;
	uint64_t at : 48;
	uint64_t mask : 16;
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

static __always_inline void frame_map_add(struct frame_map *map, const struct frame_span *span)
{
	map->span[map->n++ % FRAME_MAP_SIZE] = *span;
}

/* As frame_map_add(), for frames without ID bytes: the last span may just grow. */
void frame_map_run(struct frame_map *map, const struct frame_span *span);

/* Return: offset in the capture of byte @pos, which is below @end; UINT64_MAX: forgotten. */
uint64_t frame_map_find(const struct frame_map *map, uint64_t pos, uint64_t end);

#endif /* CSF_FRAME_MAP_H */
