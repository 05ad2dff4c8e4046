// SPDX-License-Identifier: GPL-2.0-only
/* Records sorted by time. */
#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "perf-abi.h"
#include "perf-record.h"

static int compare(const void *a, const void *b)
{
	const struct perf_moment *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int add(struct perf_timeline *timeline, uint64_t time, uint64_t offset)
{
	size_t n = timeline->n;

	if (time == UINT64_MAX)		/* perf's other value for "no time" */
		time = 0;
	if (!array_next(&timeline->moment, n, sizeof(*timeline->moment)))
		return -ENOMEM;
	timeline->moment[n] = (struct perf_moment){ .time = time, .offset = offset };
	timeline->n++;
	return 0;
}

static bool lies_in(const struct perf_section *section, uint64_t offset)
{
	return offset - section->offset < section->size;
}

/* Records of INIT_MAP belong to the beginning, whenever they were written. */
static bool is_first(const struct perf_file *file, uint64_t offset)
{
	return file->init_map && (lies_in(&file->region[file->init_map], offset) ||
				  lies_in(&file->init_unpacked, offset));
}

int perf_timeline_init(struct perf_timeline *timeline, const struct perf_file *file, uint64_t kinds)
{
	struct perf_record record;
	struct perf_sample_id id;
	struct perf_records it;

	*timeline = (struct perf_timeline){ 0 };
	perf_records_start(&it, file);
	while (perf_records_next(&it, &record)) {
		if (record.type >= 64 || !(kinds & PERF_KIND(record.type)))
			continue;
		perf_record_id(file, &record, &id);
		if (is_first(file, record.offset))
			id.time = 0;
		if (add(timeline, id.time, record.offset)) {
			perf_timeline_fini(timeline);
			return -ENOMEM;
		}
	}
	if (timeline->n)
		qsort(timeline->moment, timeline->n, sizeof(*timeline->moment), compare);
	return 0;
}

void perf_timeline_fini(struct perf_timeline *timeline)
{
	free(timeline->moment);
	*timeline = (struct perf_timeline){ 0 };
}
