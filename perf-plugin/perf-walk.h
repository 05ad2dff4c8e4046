/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of a struct perf_file that are filled in one after the other when it is opened; only
 * perf-plugin's own reader includes this file.
 */
#ifndef PERF_WALK_H
#define PERF_WALK_H

#include <stdio.h>

#include "perf-record.h"

/* libperf of 6.12 has PERF_RECORD_COMPRESSED only; this type gives its number of bytes (7.1). */
#define PERF_ZSTD_COMPRESSED2	83

/*
 * For a file of the other byte order: where damage was found, and where it ends.  Sorted by @from;
 * of two at one offset, trace that is shorter than it should be comes first.
 */
struct perf_jump {
	uint64_t from, to;
	bool trace;
};

/* Fields of a sample after IDENTIFIER and IP, and of a record at its end; each is one word */
#define PERF_SAMPLE_FIELDS	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |	\
				 PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)
#define PERF_TRAILER_FIELDS	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |		\
				 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* id of an event, and the index of the event */
struct perf_id_slot {
	uint64_t id;
	size_t evsel;
};

/**
 * struct perf_piece - bytes that came from one place
 * @at: offset of the first of its @n bytes; a multiple of the page size
 * @number: number of data.N in a directory; or PERF_PIECE_x
 */
struct perf_piece {
	uint64_t at, n;
	int number;
};

#define PERF_PIECE_DATA		(-1)
#define PERF_PIECE_UNPACKED	(-2)

/*
 * Sets the part of @offset .. @offset + @size that is in the file.  Return: false if that is not
 * all.
 */
bool perf_section_set(const struct perf_file *file, struct perf_section *section, uint64_t offset,
		      uint64_t size);

/*
 * perf-evsel.c: @entry is an attribute, with its own size in it, cut at @n; ids: @n_id bytes at
 * @ids
 */
int perf_evsel_add(struct perf_file *file, const struct perf_section *entry,
		   const struct perf_section *ids);
/* Call after the last one. */
int perf_evsel_finish(struct perf_file *file);
/* perf-feature.c: names of events */
void perf_evsel_names(struct perf_file *file);
int perf_index_read(struct perf_file *file);
/* Number of zero bytes at @p, up to @n, before a build-id's entry: perf 6.12.0 leaves some. */
uint64_t perf_build_id_gap(const uint8_t *p, uint64_t n);
/* Reports features that are cut short, of those that are read later. */
void perf_features_check(struct perf_file *file);
/*
 * perf-swap.c: converts in place what was written with the other byte order: the header and table
 * of attributes; a feature; a record of perf's own, or the header of one of the kernel's;
 * everything that the kernel wrote, when all events are known.
 */
void perf_swap_header(struct perf_file *file);
void perf_swap_attr(struct perf_file *file, uint64_t offset, uint64_t size);
void perf_swap_words(struct perf_file *file, uint64_t offset, uint64_t size);
void perf_swap_feature(struct perf_file *file, int feature);
void perf_swap_record(struct perf_file *file, struct perf_record *record);
void perf_swap_kernel(struct perf_file *file);
/* perf-sample-id.c: the event of a record of the kernel; NULL: not known */
const struct perf_evsel *perf_record_evsel(const struct perf_file *file,
					   const struct perf_record *record);
/* Offset in a sample of the length of its raw bytes; 0: it has none. */
size_t perf_record_raw_at(const struct perf_file *file, const struct perf_record *record);
/* perf-record.c: a number of @n bytes at @offset, in either byte order */
uint64_t perf_file_number(const struct perf_file *file, uint64_t offset, size_t n);
/* perf-record.c: is there a plausible record header, with valid type and size? */
bool perf_record_plausible(const struct perf_file *file, uint64_t offset);
/* perf-zstd.c: is the trace of an AUXTRACE record compressed? */
bool perf_zstd_is_trace(const struct perf_file *file, const struct perf_section *trace);
/*
 * Unpacks all compressed records, with one region for each that has any; and all compressed trace,
 * after these.  Reports what cannot be unpacked.  Return: 0, -ENOMEM, -errno.
 */
int perf_zstd_unpack(struct perf_file *file);
/* perf-store.c: opens a file or a directory.  Return: 0, -errno. */
int perf_store_open(struct perf_file *file, const char *path);
void perf_store_close(struct perf_file *file);
/*
 * The caller reads a little here and there, in one direction; it is at @at, and was at *@from,
 * initially 0.  Keeps memory from growing with what it passes.
 */
void perf_store_pass(const struct perf_file *file, uint64_t *from, uint64_t at);
/* Adds a region of records after all others.  Return: 0, -ENOMEM. */
int perf_store_region(struct perf_file *file, uint64_t offset, uint64_t size);
/* Does the same for all further files of a directory. */
int perf_store_parts(struct perf_file *file);
/* Puts @n bytes of @spill after all others, at *@at; all sections keep their offsets. */
int perf_store_append(struct perf_file *file, FILE *spill, size_t n, uint64_t *at);
/* Makes @bytes writable: a private copy of the pages that are written. */
int perf_store_writable(struct perf_file *file);
/*
 * perf-keep.c: adds the next record, which ends at @end with its trace; then says that there are no
 * more.
 * @whole: nothing was skipped and nothing cut.
 */
void perf_keep_add(struct perf_keep *keep, const struct perf_record *record, uint64_t end);
void perf_keep_finish(struct perf_keep *keep, bool whole);
void perf_keep_fini(struct perf_keep *keep);
/* Index of the record at @offset in the file; @keep->n: there is none. */
size_t perf_keep_find(const struct perf_keep *keep, uint64_t offset);
/* perf-scan.c: walk over all records, once */
int perf_file_scan(struct perf_file *file);

#endif /* PERF_WALK_H */
