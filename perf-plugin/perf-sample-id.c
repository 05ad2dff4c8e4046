// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who wrote a record, where and when: fields at its end (in a sample: at its
 * beginning), as the event's sample_type has them.
 *
 * Source: linux/perf_event.h, struct sample_id and PERF_RECORD_SAMPLE.
 */
#include "perf-abi.h"
#include "perf-record.h"

/* A record of several events has its id in one place if all of them have IDENTIFIER. */
static const struct perf_evsel *event_of(const struct perf_file *file,
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
	/* what perf itself puts in has id 0 */
	return id ? perf_file_evsel(file, id) : &file->evsel[0];
}

/* Takes 8 bytes for each field of @type, in its order. */
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
	const uint64_t fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
				PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
	size_t at = sizeof(struct perf_event_header) + 8 * __builtin_popcountll(type & before);

	if (record->size >= at + 8 * __builtin_popcountll(type & fields))
		take_fields(id, record->bytes + at, type & fields);
}

static void take_trailer(struct perf_sample_id *id, const struct perf_record *record, uint64_t type)
{
	const uint64_t fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
	size_t n = 8 * __builtin_popcountll(type & (fields | PERF_SAMPLE_IDENTIFIER));

	if (record->size >= sizeof(struct perf_event_header) + n)
		take_fields(id, record->bytes + record->size - n, type & fields);
}

void perf_record_id(const struct perf_file *file, const struct perf_record *record,
		    struct perf_sample_id *id)
{
	const struct perf_evsel *evsel = NULL;

	*id = (struct perf_sample_id){ .pid = PERF_NO_TID, .tid = PERF_NO_TID, .cpu = PERF_NO_CPU };
	if (record->type < PERF_RECORD_USER_TYPE_START)
		evsel = event_of(file, record);
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
