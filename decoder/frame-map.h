/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Map of a stream: where in the capture each of its bytes was. */
#ifndef CSF_FRAME_MAP_H
#define CSF_FRAME_MAP_H

#include "bytes.h"

/*
 * Spans a map remembers, a power of two; and how many one feed may add.  The last two feeds are
 * remembered, and one more may have been taken apart ahead.
 */
#define FRAME_MAP_SIZE	2048
#define FRAME_MAP_FEED	512

#define FRAME_WHOLE	0x7fff	/* frame_span.mask: all 15 bytes of a frame without ID bytes */

/**
 * struct frame_span - bytes of a stream up to the next span
 * @pos: offset of the first byte in the stream
 * @at_mask: offset of its frame in the capture << 16 | mask: bit i is set if byte i of that frame
 *           belongs to the stream; then follow frames back to back that belong to it wholly
 *
 * The mask may have bits too many, and frames that follow end early: what says
 * so is @pos of the next span.
 */
struct frame_span {
	uint64_t pos;
	uint64_t at_mask;
};

/**
 * struct frame_map - the last spans of a stream
 * @span: ring of FRAME_MAP_SIZE, one of them to spare; NULL: nobody wants to know
 * @n: spans ever added; the last is @span[(@n - 1) % FRAME_MAP_SIZE]
 * @full: @n at which the feed must stop
 */
struct frame_map {
	struct frame_span *span;
	uint64_t n;
	uint64_t full;
};

/* Adds a span if @really; else it is written all the same, to be overwritten by the next. */
static __always_inline void frame_map_add(struct frame_map *map, uint64_t pos, uint64_t at_mask,
					  bool really)
{
	struct frame_span *span = &map->span[map->n % FRAME_MAP_SIZE];

	span->pos = pos;
	span->at_mask = at_mask;
	map->n += really;
}

/**
 * frame_map_find() - where a byte was
 * @n: spans ever added that may be told
 * @pos: of the byte; @end: of the stream that they cover
 *
 * Return: offset in the capture; UINT64_MAX: forgotten, or not there.
 */
uint64_t frame_map_find(const struct frame_map *map, uint64_t n, uint64_t pos, uint64_t end);

#endif /* CSF_FRAME_MAP_H */
