// SPDX-License-Identifier: GPL-2.0-only
/* Events of a recording: attributes, and the event of each id. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lower-bound.h"
#include "array.h"
#include "perf-abi.h"
#include "perf-walk.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "perf_event_attr is copied as it lies");

static struct perf_evsel *grow(struct perf_file *file)
{
	size_t n = file->n_evsel;

	if (!array_next(&file->evsel, n, sizeof(*file->evsel)))
		return NULL;
	memset(&file->evsel[n], 0, sizeof(*file->evsel));
	return &file->evsel[n];
}

int perf_evsel_add(struct perf_file *file, const struct perf_section *entry,
		   const struct perf_section *ids)
{
	struct perf_evsel *evsel = grow(file);
	uint64_t size = entry->size;
	uint32_t own_size = 0;

	if (!evsel)
		return -ENOMEM;
	if (size >= PERF_ATTR_SIZE_VER0)
		own_size = PERF_FIELD(entry->bytes, perf_event_attr, size);
	if (own_size >= PERF_ATTR_SIZE_VER0 && own_size < size)
		size = own_size;
	if (size > sizeof(evsel->attr))
		size = sizeof(evsel->attr);
	memcpy(&evsel->attr, entry->bytes, size);
	if (ids->size % 8)
		perf_problem_add(&file->problems, PERF_DAMAGE, ids->offset + ids->size / 8 * 8,
				 "the ids of an event end early: %" PRIu64 " bytes are left over",
				 ids->size % 8);
	evsel->n_id = ids->size / 8;
	if (evsel->n_id > file->size / 8 - file->n_id) {	/* sections that overlap */
		perf_problem_add(&file->problems, PERF_DAMAGE, ids->offset,
				 "events have more ids than the file has room for");
		evsel->n_id = 0;
	}
	file->n_id += evsel->n_id;
	if (evsel->n_id) {
		evsel->id = malloc(evsel->n_id * sizeof(*evsel->id));
		if (!evsel->id)
			return -ENOMEM;
	}
	for (size_t i = 0; i < evsel->n_id; i++)
		evsel->id[i] = get_le64(ids->bytes + 8 * i);
	file->n_evsel++;
	return 0;
}

static int compare_slots(const void *a, const void *b)
{
	const struct perf_id_slot *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->evsel < y->evsel ? -1 : x->evsel > y->evsel;
}

static int sort_ids(struct perf_file *file)
{
	size_t n = 0;

	for (size_t i = 0; i < file->n_evsel; i++)
		n += file->evsel[i].n_id;
	file->slot = malloc((n + 1) * sizeof(*file->slot));
	if (!file->slot)
		return -ENOMEM;
	for (size_t i = 0; i < file->n_evsel; i++)
		for (size_t j = 0; j < file->evsel[i].n_id; j++)
			file->slot[file->n_slot++] =
				(struct perf_id_slot){ file->evsel[i].id[j], i };
	qsort(file->slot, file->n_slot, sizeof(*file->slot), compare_slots);
	return 0;
}

/* The event of the PMU that the metadata names. */
static void find_aux_evsel(struct perf_file *file)
{
	const struct perf_section *info = &file->auxtrace_info;
	size_t second = offsetof(struct perf_record_auxtrace_info, priv) + 8;
	uint32_t pmu;

	if (info->size < second + 8)
		return;
	pmu = get_le64(info->bytes + second) >> 32;
	for (size_t i = file->n_evsel; i-- > 0;)
		if (file->evsel[i].attr.type == pmu)
			file->aux_evsel = &file->evsel[i];
}

int perf_evsel_finish(struct perf_file *file)
{
	file->same_layout = true;
	for (size_t i = 1; i < file->n_evsel; i++) {
		const struct perf_event_attr *a = &file->evsel[0].attr, *b = &file->evsel[i].attr;

		if ((a->sample_type ^ b->sample_type) & PERF_TRAILER_FIELDS ||
		    a->sample_id_all != b->sample_id_all)
			file->same_layout = false;
	}
	if (!file->n_evsel)
		perf_problem_add(&file->problems, PERF_DAMAGE, PERF_PROBLEM_NOWHERE,
				 "the file describes no event: times, threads and CPUs are unknown");
	find_aux_evsel(file);
	return sort_ids(file);
}

const struct perf_evsel *perf_file_evsel(const struct perf_file *file, uint64_t id)
{
	size_t first = LOWER_BOUND(file->n_slot, i, file->slot[i].id < id);

	if (first < file->n_slot && file->slot[first].id == id)
		return &file->evsel[file->slot[first].evsel];
	return NULL;
}
