// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Map of a stream: the offset in the capture of each of its bytes. */
#include "frame-map.h"

/* Position of set bit number @i; more than @i bits must be set. */
static unsigned int nth_bit(unsigned int mask, unsigned int i)
{
	while (i--)
		mask &= mask - 1;
	return __builtin_ctz(mask);
}

uint64_t frame_map_find(const struct frame_map *map, uint64_t n, uint64_t pos, uint64_t end)
{
	uint64_t low = map->n >= FRAME_MAP_SIZE ? map->n - FRAME_MAP_SIZE + 1 : 0;
	uint64_t high = n;
	const struct frame_span *span;
	unsigned int mask, width;
	uint64_t at;

	if (pos >= end || low >= high || pos < map->span[low % FRAME_MAP_SIZE].pos)
		return UINT64_MAX;
	while (high - low > 1) {
		const uint64_t middle = low + (high - low) / 2;

		if (map->span[middle % FRAME_MAP_SIZE].pos <= pos)
			low = middle;
		else
			high = middle;
	}
	span = &map->span[low % FRAME_MAP_SIZE];
	mask = span->at_mask & UINT16_MAX;
	width = __builtin_popcount(mask);
	at = span->at_mask >> 16;
	pos -= span->pos;
	if (pos < width)
		return at + nth_bit(mask, pos);
	pos -= width;
	return at + 16 + pos / 15 * 16 + pos % 15;
}
