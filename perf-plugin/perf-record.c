// SPDX-License-Identifier: GPL-2.0-only
/* One record after the other, and how to go on where one is damaged. */
#include "perf-record.h"

#include <stdlib.h>

#include "perf-abi.h"
#include "perf-walk.h"

/* Behind damage, so many records must fit one behind the other before they are believed. */
#define CHAIN		3

/* simpleperf's own records */
#define SIMPLEPERF_FIRST	32768
#define SIMPLEPERF_LAST		(32768 + 63)

/* Where @offset is: among the records of the file, or among those that were compressed. */
static const struct perf_section *region_of(const struct perf_file *file, uint64_t offset)
{
	return file->unpacked.size && offset >= file->unpacked.offset ? &file->unpacked :
									&file->data;
}

static uint64_t region_end(const struct perf_file *file, uint64_t offset)
{
	const struct perf_section *region = region_of(file, offset);

	return region->offset + region->size;
}

static bool known_type(uint32_t type)
{
	return (type && type < 128) || (type >= SIMPLEPERF_FIRST && type <= SIMPLEPERF_LAST);
}

/* The least a record can have, for those whose fields matter to the walk. */
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
	type = PERF_FIELD(file->bytes + offset, perf_event_header, type);
	size = PERF_FIELD(file->bytes + offset, perf_event_header, size);
	return known_type(type) && size >= least_size(type) && size <= end - offset;
}

/* First entry of the file's index that is at or behind @offset, or the end of the region. */
static uint64_t next_indexed(const struct perf_file *file, uint64_t offset)
{
	size_t low = 0, high = file->n_index;
	uint64_t end = region_end(file, offset);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->index[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < file->n_index && file->index[low].offset < end ? file->index[low].offset : end;
}

/* Bytes behind the record that belong to it. */
static uint64_t payload_size(const uint8_t *p)
{
	uint32_t type = PERF_FIELD(p, perf_event_header, type);
	uint64_t size;

	if (type == PERF_RECORD_AUXTRACE)
		return PERF_FIELD(p, perf_record_auxtrace, size);
	if (type == PERF_RECORD_HEADER_TRACING_DATA) {
		size = PERF_FIELD(p, perf_record_header_tracing_data, size);
		return (size + 7) / 8 * 8;
	}
	return 0;
}

/* Records fit one behind the other from here on, or up to the end. */
static bool chain_at(const struct perf_file *file, uint64_t offset)
{
	uint64_t end = region_end(file, offset), payload;
	const uint8_t *p;
	uint16_t size;

	for (int i = 0; i < CHAIN; i++) {
		if (offset == end)
			return i > 0;
		if (!perf_record_plausible(file, offset))
			return false;
		p = file->bytes + offset;
		size = PERF_FIELD(p, perf_event_header, size);
		payload = payload_size(p);
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

	for (; offset < stop; offset++)
		/* types known have their upper bytes 0: most bytes fail here */
		if (stop - offset >= 8 && !file->bytes[offset + 2] && !file->bytes[offset + 3] &&
		    chain_at(file, offset))
			break;
	return offset;
}

void perf_records_start(struct perf_records *it, const struct perf_file *file)
{
	*it = (struct perf_records){ .file = file, .pos = file->data.offset };
}

/* A record is good if no other one, which the index knows, begins inside it. */
static bool good_at(const struct perf_file *file, uint64_t pos)
{
	return perf_record_plausible(file, pos) &&
	       next_indexed(file, pos + 1) >=
	       pos + PERF_FIELD(file->bytes + pos, perf_event_header, size);
}

static void take_payload(struct perf_records *it, struct perf_record *record)
{
	const struct perf_file *file = it->file;
	uint64_t from = record->offset + record->size;
	uint64_t says = payload_size(record->bytes), left = next_indexed(file, from) - from;

	record->trace.offset = from;
	record->trace.bytes = file->bytes + from;
	record->trace.size = says;
	if (says > left) {
		it->short_trace = true;
		record->trace.size = find_record(file, from) - from;
	}
	it->pos = from + record->trace.size;
}

/* To the next good record of the region, or its end.  Return: bytes skipped. */
static uint64_t skip_bad(struct perf_records *it)
{
	uint64_t end = region_end(it->file, it->pos), from = it->pos;

	while (it->pos < end && !good_at(it->file, it->pos))
		it->pos = find_record(it->file, it->pos + 1);
	return it->pos - from;
}

bool perf_records_next(struct perf_records *it, struct perf_record *record)
{
	const struct perf_file *file = it->file;

	it->skipped_at = it->pos;
	it->short_trace = false;
	it->skipped = skip_bad(it);
	if (it->pos == file->data.offset + file->data.size && file->unpacked.size) {
		it->pos = file->unpacked.offset;
		it->skipped += skip_bad(it);
	}
	if (it->pos >= region_end(file, it->pos))
		return false;
	record->bytes = file->bytes + it->pos;
	record->offset = it->pos;
	record->type = PERF_FIELD(record->bytes, perf_event_header, type);
	record->misc = PERF_FIELD(record->bytes, perf_event_header, misc);
	record->size = PERF_FIELD(record->bytes, perf_event_header, size);
	take_payload(it, record);
	return true;
}

bool perf_record_at(const struct perf_file *file, uint64_t offset, struct perf_record *record)
{
	struct perf_records it = { .file = file, .pos = offset };

	return good_at(file, offset) && perf_records_next(&it, record);
}
