// SPDX-License-Identifier: GPL-2.0-only
/* Reads one record after the other, and finds where to go on after damage. */
#include "lower-bound.h"
#include "perf-record.h"

#include <stdlib.h>

#include "perf-abi.h"
#include "perf-walk.h"

/* After damage, this many consecutive records must be plausible. */
#define CHAIN		3

/* simpleperf's own records */
#define SIMPLEPERF_FIRST	32768
#define SIMPLEPERF_LAST		(32768 + 63)

/* The region with @offset, or that ends at it: there is room between two regions. */
static const struct perf_section *region_of(const struct perf_file *file, uint64_t offset)
{
	const struct perf_section *second = &file->region[1];

	return second - 1 + LOWER_BOUND(file->n_region - 1, i, second[i].offset <= offset);
}

static uint64_t region_end(const struct perf_file *file, uint64_t offset)
{
	const struct perf_section *region = region_of(file, offset);

	return region->offset + region->size;
}

uint64_t perf_file_number(const struct perf_file *file, uint64_t offset, size_t n)
{
	uint64_t v = perf_le(file->bytes + offset, n);

	return offset < file->foreign_from ? v : __builtin_bswap64(v) >> (64 - 8 * n);
}

/* The value of @field of a struct @type that begins at @offset of the file */
#define FIELD_AT(file, offset, type, field)					\
	perf_file_number(file, (offset) + offsetof(struct type, field),		\
			 PERF_FIELD_SIZE(type, field))

static bool known_type(uint32_t type)
{
	return (type && type < 128) || (type >= SIMPLEPERF_FIRST && type <= SIMPLEPERF_LAST);
}

/* Minimum size of records whose fields the walk uses. */
static size_t least_size(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_AUXTRACE:
		return sizeof(struct perf_record_auxtrace);
	case PERF_RECORD_HEADER_TRACING_DATA:
		return sizeof(struct perf_record_header_tracing_data);
	default:
		return sizeof(struct perf_event_header);
	}
}

bool perf_record_plausible(const struct perf_file *file, uint64_t offset)
{
	uint64_t end = region_end(file, offset);
	uint32_t type;
	uint16_t size;

	if (offset < region_of(file, offset)->offset || offset > end ||
	    end - offset < sizeof(struct perf_event_header))
		return false;
	type = FIELD_AT(file, offset, perf_event_header, type);
	size = FIELD_AT(file, offset, perf_event_header, size);
	return known_type(type) && size >= least_size(type) && size <= end - offset;
}

/* First entry of the file's index at or after @offset, or the end of the region. */
static uint64_t next_indexed(const struct perf_file *file, uint64_t offset)
{
	size_t first = LOWER_BOUND(file->n_index, i, file->index[i].offset < offset);
	uint64_t end = region_end(file, offset);

	if (first < file->n_index && file->index[first].offset < end)
		return file->index[first].offset;
	return end;
}

/* Number of bytes after the record at @at that belong to it. */
static uint64_t payload_size(const struct perf_file *file, uint64_t at)
{
	uint32_t type = FIELD_AT(file, at, perf_event_header, type);
	uint64_t size;

	if (type == PERF_RECORD_AUXTRACE)
		return FIELD_AT(file, at, perf_record_auxtrace, size);
	if (type == PERF_RECORD_HEADER_TRACING_DATA) {
		size = FIELD_AT(file, at, perf_record_header_tracing_data, size);
		return (size + 7) / 8 * 8;
	}
	return 0;
}

/* Are there plausible consecutive records from here on, or up to the end? */
static bool chain_at(const struct perf_file *file, uint64_t offset)
{
	uint64_t end = region_end(file, offset), payload;
	uint16_t size;

	for (int i = 0; i < CHAIN; i++) {
		if (offset == end)
			return i > 0;
		if (!perf_record_plausible(file, offset))
			return false;
		size = FIELD_AT(file, offset, perf_event_header, size);
		payload = payload_size(file, offset);
		if (size % 8)
			return false;
		if (payload > end - offset - size)	/* the last one, cut off */
			return i > 0;
		offset += size + payload;
	}
	return true;
}

/* The first place from @offset on where records can be read again. */
static uint64_t find_record(const struct perf_file *file, uint64_t offset)
{
	uint64_t stop = next_indexed(file, offset);
	const int upper = offset < file->foreign_from ? 2 : 0;

	for (; offset < stop; offset++)
		/* known types have upper bytes of 0: most places fail here */
		if (stop - offset >= 8 && !file->bytes[offset + upper] &&
		    !file->bytes[offset + upper + 1] && chain_at(file, offset))
			break;
	return offset;
}

void perf_records_start(struct perf_records *it, const struct perf_file *file)
{
	*it = (struct perf_records){ .file = file, .pos = file->region[0].offset };
}

/* Is a record good?  Not if another one, which the index has, begins inside it. */
static bool good_at(const struct perf_file *file, uint64_t pos)
{
	return perf_record_plausible(file, pos) &&
	       next_indexed(file, pos + 1) >=
	       pos + FIELD_AT(file, pos, perf_event_header, size);
}

/* Moves *@pos to where the first walk went from there.  Return: it found damage there. */
static bool jump(const struct perf_file *file, uint64_t *pos, bool trace)
{
	const struct perf_jump *all = file->jump;
	size_t first = LOWER_BOUND(file->n_jump, i, all[i].from < *pos ||
				   (all[i].from == *pos && all[i].trace && !trace));

	if (first == file->n_jump || all[first].from != *pos || all[first].trace != trace)
		return false;
	*pos = all[first].to;
	return true;
}

static void take_payload(struct perf_records *it, struct perf_record *record)
{
	const struct perf_file *file = it->file;
	uint64_t from = record->offset + record->size;
	uint64_t says = payload_size(file, record->offset), left = next_indexed(file, from) - from;

	record->trace.offset = from;
	record->trace.bytes = file->bytes + from;
	record->trace.size = says;
	if (says > left) {
		it->short_trace = true;
		it->pos = from;
		if (!jump(file, &it->pos, true))
			it->pos = find_record(file, from);
		record->trace.size = it->pos - from;
	}
	it->pos = from + record->trace.size;
}

/* Goes to the next good record of the region, or its end.  Return: bytes skipped. */
static uint64_t skip_bad(struct perf_records *it)
{
	uint64_t end = region_end(it->file, it->pos), from = it->pos;

	jump(it->file, &it->pos, false);
	while (it->pos < end && !good_at(it->file, it->pos))
		it->pos = find_record(it->file, it->pos + 1);
	return it->pos - from;
}

/* After the last record of a region, goes to the next region. */
static void next_region(struct perf_records *it)
{
	const struct perf_file *file = it->file;

	for (;;) {
		const struct perf_section *region = region_of(file, it->pos);

		if (it->pos < region->offset + region->size ||
		    region == &file->region[file->n_region - 1])
			return;
		it->pos = region[1].offset;
		it->skipped += skip_bad(it);
	}
}

/* As perf_records_next(), for records that are kept: these have no damage. */
static bool next_kept(struct perf_records *it, struct perf_record *record)
{
	const struct perf_keep *keep = &it->file->keep;
	const struct perf_kept *kept;

	if (it->kept == keep->n)
		return false;
	kept = &keep->record[it->kept++];
	it->pos = kept->end;
	record->bytes = keep->bytes + kept->at;
	record->offset = kept->offset;
	record->type = PERF_FIELD(record->bytes, perf_event_header, type);
	record->misc = PERF_FIELD(record->bytes, perf_event_header, misc);
	record->size = PERF_FIELD(record->bytes, perf_event_header, size);
	record->trace.offset = kept->offset + record->size;
	record->trace.bytes = it->file->bytes + record->trace.offset;
	record->trace.size = kept->end - record->trace.offset;
	return true;
}

bool perf_records_next(struct perf_records *it, struct perf_record *record)
{
	const struct perf_file *file = it->file;
	uint64_t at;

	if (file->keep.done)
		return next_kept(it, record);
	it->skipped_at = it->pos;
	it->short_trace = false;
	it->skipped = skip_bad(it);
	next_region(it);
	at = it->pos;
	if (at >= region_end(file, at))
		return false;
	perf_store_pass(file, &it->passed, at);
	record->bytes = file->bytes + at;
	record->offset = at;
	record->type = FIELD_AT(file, at, perf_event_header, type);
	record->misc = FIELD_AT(file, at, perf_event_header, misc);
	record->size = FIELD_AT(file, at, perf_event_header, size);
	take_payload(it, record);
	return true;
}

bool perf_record_at(const struct perf_file *file, uint64_t offset, struct perf_record *record)
{
	struct perf_records it = { .file = file, .pos = offset, .passed = offset };

	if (file->keep.done) {
		it.kept = perf_keep_find(&file->keep, offset);
		return next_kept(&it, record);
	}
	return good_at(file, offset) && perf_records_next(&it, record);
}
