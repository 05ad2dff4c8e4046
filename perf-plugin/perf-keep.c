// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies of records.  Records are between megabytes of trace, each on a page of its own, and are
 * walked about six times before anything is decoded.
 */
#include <stdlib.h>
#include <string.h>

#include "lower-bound.h"
#include "array.h"
#include "perf-walk.h"

/* Maximum bytes to copy: for recordings with more records none is kept. */
#define KEEP_MAX	(4u << 20)

static void give_up(struct perf_keep *keep)
{
	perf_keep_fini(keep);
	keep->none = true;
}

static bool room_for(struct perf_keep *keep, size_t n)
{
	if (!array_room(&keep->record, keep->n, &keep->size, sizeof(*keep->record)))
		return false;
	if (keep->n_bytes + n > keep->size_bytes) {
		const size_t size = 2 * (keep->n_bytes + n);
		uint8_t *bytes = realloc(keep->bytes, size);

		if (!bytes)
			return false;
		keep->bytes = bytes;
		keep->size_bytes = size;
	}
	return true;
}

void perf_keep_add(struct perf_keep *keep, const struct perf_record *record, uint64_t end)
{
	const size_t all = keep->n * sizeof(*keep->record) + keep->n_bytes;

	if (keep->none)
		return;
	if (all + sizeof(*keep->record) + record->size > KEEP_MAX ||
	    !room_for(keep, record->size)) {
		give_up(keep);
		return;
	}
	memcpy(keep->bytes + keep->n_bytes, record->bytes, record->size);
	keep->record[keep->n++] = (struct perf_kept){
		.offset = record->offset, .end = end, .at = keep->n_bytes,
	};
	keep->n_bytes += record->size;
}

void perf_keep_finish(struct perf_keep *keep, bool whole)
{
	if (!whole)
		give_up(keep);
	keep->done = !keep->none;
}

size_t perf_keep_find(const struct perf_keep *keep, uint64_t offset)
{
	size_t first = LOWER_BOUND(keep->n, i, keep->record[i].offset < offset);

	return first < keep->n && keep->record[first].offset == offset ? first : keep->n;
}

void perf_keep_fini(struct perf_keep *keep)
{
	free(keep->record);
	free(keep->bytes);
	*keep = (struct perf_keep){ 0 };
}
