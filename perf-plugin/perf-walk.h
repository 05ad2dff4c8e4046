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

/*
 * Of a file of the other byte order: where damage was found, and where it ends; by @from, and of
 * two at one place that of trace which is shorter than it should be comes first.
 */
struct perf_jump {
	uint64_t from, to;
	bool trace;
};

/* What a sample has behind IDENTIFIER and IP, and a record at its end; a word for each */
#define PERF_SAMPLE_FIELDS	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |	\
				 PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)
#define PERF_TRAILER_FIELDS	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |		\
				 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* id of an event, and which one it is */
struct perf_id_slot {
	uint64_t id;
	size_t evsel;
};

/**
 * struct perf_piece - bytes that came from one place
 * @at: offset of the first one, @n bytes; a multiple of the page size
 * @number: of data.N in a directory; or PERF_PIECE_x
 */
struct perf_piece {
	uint64_t at, n;
	int number;
};

#define PERF_PIECE_DATA		(-1)
#define PERF_PIECE_UNPACKED	(-2)

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
/* Bytes of zeros at @p, up to @n, before a build-id's entry: perf 6.12.0 leaves some. */
uint64_t perf_build_id_gap(const uint8_t *p, uint64_t n);
/* Reports what ends early in the features that are looked at later. */
void perf_features_check(struct perf_file *file);
/*
 * perf-swap.c: turns what others wrote with the other byte order into what this machine reads, in
 * place: header and table of attributes; a feature; a record of perf's own, or the header of one
 * of the kernel's; all that the kernel wrote, when all events are known.
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
/* Where in a sample the length of its raw bytes is; 0: it has none. */
size_t perf_record_raw_at(const struct perf_file *file, const struct perf_record *record);
/* perf-record.c: a number of @n bytes at @offset, whatever its byte order is yet */
uint64_t perf_file_number(const struct perf_file *file, uint64_t offset, size_t n);
/* perf-record.c: a header that may be one, of a type and a size that are plausible */
bool perf_record_plausible(const struct perf_file *file, uint64_t offset);
/* perf-zstd.c: whether the trace of an AUXTRACE record is compressed */
bool perf_zstd_is_trace(const struct perf_file *file, const struct perf_section *trace);
/*
 * All compressed records as they were before: a region for each that has any; and all compressed
 * trace, behind them.  What cannot be unpacked is reported.  Return: 0, -ENOMEM, -errno.
 */
int perf_zstd_unpack(struct perf_file *file);
/* perf-store.c: opens a file or a directory.  Return: 0, -errno. */
int perf_store_open(struct perf_file *file, const char *path);
void perf_store_close(struct perf_file *file);
/*
 * Whoever reads a little here and there, one way, is at @at, and was at *@from, 0 at first: memory
 * does not grow with what he passes.
 */
void perf_store_pass(const struct perf_file *file, uint64_t *from, uint64_t at);
/* Another stretch of records, behind all others.  Return: 0, -ENOMEM. */
int perf_store_region(struct perf_file *file, uint64_t offset, uint64_t size);
/* The same, of all further files of a directory. */
int perf_store_parts(struct perf_file *file);
/* Puts @n bytes of @spill behind all others, at *@at; all sections keep their offsets. */
int perf_store_append(struct perf_file *file, FILE *spill, size_t n, uint64_t *at);
/* From now on @bytes may be written to: it is a copy, of the pages that are written.  */
int perf_store_writable(struct perf_file *file);
/*
 * perf-keep.c: the next record, which ends at @end with its trace; then there are no more, and
 * @whole: nothing was skipped and nothing cut.
 */
void perf_keep_add(struct perf_keep *keep, const struct perf_record *record, uint64_t end);
void perf_keep_finish(struct perf_keep *keep, bool whole);
void perf_keep_fini(struct perf_keep *keep);
/* Index of the record at @offset of the file; @keep->n: there is none. */
size_t perf_keep_find(const struct perf_keep *keep, uint64_t offset);
/* perf-scan.c: walk over all records, once */
int perf_file_scan(struct perf_file *file);

#endif /* PERF_WALK_H */
