/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Map of a stream: the offset in the capture of each of its bytes. */
#ifndef CSF_FRAME_MAP_H
#define CSF_FRAME_MAP_H

#include "bytes.h"

/*
 * Number of spans that a map remembers, a power of two; and how many one feed may add.  The spans
 * of the last two feeds are remembered, and of one more that may have been taken apart ahead.
 */
#define FRAME_MAP_SIZE	2048
#define FRAME_MAP_FEED	512

#define FRAME_WHOLE	0x7fff	/* frame_span.mask: all 15 bytes of a frame without ID bytes */

/**
 * struct frame_span - bytes of a stream up to the next span
 * @pos: offset of the first byte in the stream
 * @at_mask: offset of its frame in the capture << 16 | mask: bit i is set if byte i of that frame
 *           belongs to the stream; frames back to back that belong to it wholly follow
 *
 * The mask may have too many bits, and the frames that follow may end early: @pos of the next span
 * tells.
 */
struct frame_span {
	uint64_t pos;
	uint64_t at_mask;
};

/**
 * struct frame_map - the last spans of a stream
 * @span: ring of FRAME_MAP_SIZE, one of which is spare; NULL: no map is needed
 * @n: number of spans ever added; the last is @span[(@n - 1) % FRAME_MAP_SIZE]
 * @full: @n at which the feed must stop
 */
struct frame_map {
	struct frame_span *span;
	uint64_t n;
	uint64_t full;
};

/* Adds a span if @really; otherwise writes it as well, and the next span overwrites it. */
static __always_inline void frame_map_add(struct frame_map *map, uint64_t pos, uint64_t at_mask,
					  bool really)
{
	struct frame_span *span = &map->span[map->n % FRAME_MAP_SIZE];

	span->pos = pos;
	span->at_mask = at_mask;
	map->n += really;
}

/**
 * frame_map_find() - find where a byte was
 * @n: number of spans ever added that may be used
 * @pos: offset of the byte in the stream
 * @end: end of the stream that these spans cover
 *
 * Return: offset in the capture; UINT64_MAX: forgotten, or not there.
 */
uint64_t frame_map_find(const struct frame_map *map, uint64_t n, uint64_t pos, uint64_t end);

#endif /* CSF_FRAME_MAP_H */
