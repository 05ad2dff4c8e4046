// SPDX-License-Identifier: GPL-2.0-only
/* Look-ups in an index. */
#include <stdlib.h>

#include "../../perf-plugin/lower-bound.h"
#include "index.h"

void index_free(struct index *index)
{
	if (!index)
		return;
	for (size_t i = 0; i < index->n_stream; i++)
		free(index->stream[i].entry);
	free(index->stream);
	free(index->range);
	free(index->map);
	free(index);
}

size_t index_find_pos(const struct index_stream *s, uint64_t pos)
{
	size_t next = LOWER_BOUND(s->n, i, s->entry[i].pos <= pos);

	return next ? next - 1 : INDEX_NONE;
}

static size_t next_with_time(const struct index_stream *s, size_t i, uint64_t time)
{
	while (i < s->n && (!s->entry[i].n_time || s->entry[i].last < time))
		i++;
	return i < s->n ? i : INDEX_NONE;
}

/* Entries without a timestamp tell nothing: the one before them decides where to go on. */
size_t index_find_time(const struct index_stream *s, uint64_t time)
{
	size_t low = 0, high = s->n;

	if (!s->ordered)
		return next_with_time(s, 0, time);
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		size_t i = middle;

		while (i > low && !s->entry[i].n_time)
			i--;
		if (!s->entry[i].n_time || s->entry[i].last < time)
			low = middle + 1;
		else
			high = i;
	}
	return next_with_time(s, low, time);
}

size_t index_find_event(const struct index_stream *s, size_t from, uint16_t events)
{
	while (from < s->n && !(s->entry[from].events & events))
		from++;
	return from < s->n ? from : INDEX_NONE;
}

size_t index_find_channel(const struct index_stream *s, size_t from, uint32_t channel)
{
	while (from < s->n && !(s->entry[from].flags & INDEX_HAS_CHANNELS &&
				s->entry[from].addr >> channel % 64 & 1))
		from++;
	return from < s->n ? from : INDEX_NONE;
}

size_t index_find_id(const struct index *index, size_t from, uint8_t id)
{
	while (from < index->n_map && !(index->map[from].ids[id / 8 & 15] >> id % 8 & 1))
		from++;
	return from < index->n_map ? from : INDEX_NONE;
}

bool index_covers(const struct index *index, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < index->n_range; i++)
		if (start >= index->range[i].start && end <= index->range[i].end)
			return true;
	return start >= end;
}
