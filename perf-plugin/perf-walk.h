/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of a struct perf_file that are filled in one after the other when it is
 * opened; only perf-plugin's own reader includes this.
 */
#ifndef PERF_WALK_H
#define PERF_WALK_H

#include "perf-record.h"

/* id of an event, and which one it is */
struct perf_id_slot {
	uint64_t id;
	size_t evsel;
};

/*
 * The part of @offset .. @offset + @size that is in the file.  Return: false if that is not all.
 */
bool perf_section_set(const struct perf_file *file, struct perf_section *section, uint64_t offset,
		      uint64_t size);

/* perf-evsel.c: @entry is an attribute, its own size in it, cut at @n; ids: @n_id bytes at @ids */
int perf_evsel_add(struct perf_file *file, const struct perf_section *entry,
		   const struct perf_section *ids);
/* Behind the last one. */
int perf_evsel_finish(struct perf_file *file);
/* perf-feature.c: names of events */
void perf_evsel_names(struct perf_file *file);
int perf_index_read(struct perf_file *file);
/* perf-record.c: a header that may be one, of a type and a size that are plausible */
bool perf_record_plausible(const struct perf_file *file, uint64_t offset);
/* perf-scan.c: walk over all records, once */
int perf_file_scan(struct perf_file *file);

#endif /* PERF_WALK_H */
