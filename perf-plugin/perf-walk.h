/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of a struct perf_file that are filled in one after the other when it is
 * opened; only perf-plugin's own reader includes this.
 */
#ifndef PERF_WALK_H
#define PERF_WALK_H

#include <stdio.h>

#include "perf-record.h"

/* libperf of 6.12 has PERF_RECORD_COMPRESSED only; this one says how many bytes it has (7.1). */
#define PERF_ZSTD_COMPRESSED2	83

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
/*
 * perf-zstd.c: all compressed records as they were before, into @unpacked.  What cannot be
 * unpacked is reported.  Return: 0, -ENOMEM, -errno.
 */
int perf_zstd_unpack(struct perf_file *file);
/* perf-file.c: @n bytes of @spill become @unpacked; all sections keep their offsets */
int perf_file_append(struct perf_file *file, FILE *spill, size_t n);
/* perf-scan.c: walk over all records, once */
int perf_file_scan(struct perf_file *file);

#endif /* PERF_WALK_H */
