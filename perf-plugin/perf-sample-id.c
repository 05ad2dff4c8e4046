// SPDX-License-Identifier: GPL-2.0-only
/*
 * Thread, CPU and time of a record: fields at its end (in a sample: at its beginning), as given by
 * the event's sample_type.
 *
 * Source: linux/perf_event.h, struct sample_id and PERF_RECORD_SAMPLE.
 */
#include "perf-abi.h"
#include "perf-walk.h"

/* With several events, the id of a record is at one place if all of them have IDENTIFIER. */
const struct perf_evsel *perf_record_evsel(const struct perf_file *file,
					   const struct perf_record *record)
{
	const uint8_t *p = record->bytes;
	size_t head = sizeof(struct perf_event_header);
	uint64_t id;

	if (!file->n_evsel)
		return NULL;
	if (!(file->evsel[0].attr.sample_type & PERF_SAMPLE_IDENTIFIER) || record->size < head + 8)
		return &file->evsel[0];
	id = get_le64(record->type == PERF_RECORD_SAMPLE ? p + head : p + record->size - 8);
	/* records that perf itself adds have id 0 */
	return id ? perf_file_evsel(file, id) : &file->evsel[0];
}

/* Reads 8 bytes for each field of @type, in its order. */
static void take_fields(struct perf_sample_id *id, const uint8_t *p, uint64_t type)
{
	if (type & PERF_SAMPLE_TID) {
		id->pid = get_le32(p);
		id->tid = get_le32(p + 4);
		id->has |= PERF_HAS_TID;
		p += 8;
	}
	if (type & PERF_SAMPLE_TIME) {
		id->time = get_le64(p);
		id->has |= PERF_HAS_TIME;
		p += 8;
	}
	if (type & PERF_SAMPLE_ADDR)
		p += 8;
	if (type & PERF_SAMPLE_ID) {
		id->id = get_le64(p);
		id->has |= PERF_HAS_ID;
		p += 8;
	}
	if (type & PERF_SAMPLE_STREAM_ID)
		p += 8;
	if (type & PERF_SAMPLE_CPU) {
		id->cpu = get_le32(p);
		id->has |= PERF_HAS_CPU;
	}
}

static void take_sample(struct perf_sample_id *id, const struct perf_record *record, uint64_t type)
{
	const uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP;
	const uint64_t fields = PERF_SAMPLE_FIELDS;
	size_t at = sizeof(struct perf_event_header) + 8 * __builtin_popcountll(type & before);

	if (record->size >= at + 8 * __builtin_popcountll(type & fields))
		take_fields(id, record->bytes + at, type & fields);
}

static void take_trailer(struct perf_sample_id *id, const struct perf_record *record, uint64_t type)
{
	size_t n = 8 * __builtin_popcountll(type & PERF_TRAILER_FIELDS);

	if (record->size >= sizeof(struct perf_event_header) + n)
		take_fields(id, record->bytes + record->size - n, type & PERF_TRAILER_FIELDS);
}

void perf_record_id(const struct perf_file *file, const struct perf_record *record,
		    struct perf_sample_id *id)
{
	const struct perf_evsel *evsel = NULL;

	*id = (struct perf_sample_id){ .pid = PERF_NO_TID, .tid = PERF_NO_TID, .cpu = PERF_NO_CPU };
	if (record->type < PERF_RECORD_USER_TYPE_START)
		evsel = perf_record_evsel(file, record);
	id->evsel = evsel;
	if (evsel && record->type == PERF_RECORD_SAMPLE)
		take_sample(id, record, evsel->attr.sample_type);
	else if (evsel && evsel->attr.sample_id_all)
		take_trailer(id, record, evsel->attr.sample_type);
	if (!(id->has & PERF_HAS_TIME) && record->size >= sizeof(struct perf_record_fork) &&
	    (record->type == PERF_RECORD_FORK || record->type == PERF_RECORD_EXIT)) {
		id->time = PERF_FIELD(record->bytes, perf_record_fork, time);
		id->has |= PERF_HAS_TIME;
	}
}

/* Number of words of the counter values in a sample. */
static uint64_t read_words(const struct perf_record *record, size_t at, uint64_t format)
{
	const uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	uint64_t n = 1 + __builtin_popcountll(format & (PERF_FORMAT_ID | PERF_FORMAT_LOST));

	if (format & PERF_FORMAT_GROUP) {
		if (at + 8 > record->size || get_le64(record->bytes + at) > UINT16_MAX)
			return UINT16_MAX;
		n = 1 + n * get_le64(record->bytes + at);
	}
	return n + __builtin_popcountll(format & times);
}

size_t perf_record_raw_at(const struct perf_file *file, const struct perf_record *record)
{
	const uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_FIELDS |
				PERF_SAMPLE_PERIOD;
	const struct perf_evsel *evsel = NULL;
	uint64_t at, type;

	if (record->type == PERF_RECORD_SAMPLE)
		evsel = perf_record_evsel(file, record);
	if (!evsel || !(evsel->attr.sample_type & PERF_SAMPLE_RAW))
		return 0;
	type = evsel->attr.sample_type;
	at = sizeof(struct perf_event_header) + 8 * __builtin_popcountll(type & before);
	if (type & PERF_SAMPLE_READ)
		at += 8 * read_words(record, at, evsel->attr.read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		if (at + 8 > record->size || get_le64(record->bytes + at) > UINT16_MAX)
			return 0;
		at += 8 + 8 * get_le64(record->bytes + at);
	}
	return at + 4 <= record->size ? at : 0;
}

bool perf_record_raw(const struct perf_file *file, const struct perf_record *record,
		     struct perf_section *raw)
{
	size_t at = perf_record_raw_at(file, record);

	if (!at || get_le32(record->bytes + at) > record->size - at - 4)
		return false;
	*raw = (struct perf_section){ .bytes = record->bytes + at + 4,
				      .offset = record->offset + at + 4,
				      .size = get_le32(record->bytes + at) };
	return true;
}
