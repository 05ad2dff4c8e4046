// SPDX-License-Identifier: GPL-2.0-only
/* A file that could not be written completely becomes a shorter one. */
#include "write-parts.h"

#include <stdlib.h>
#include <string.h>

#include "../kernel-glue/include/uapi/csf_abi.h"

/* A number in the output, @size bytes at @p. */
static uint64_t field(const struct perf_writer *writer, const uint8_t *p, size_t size)
{
	uint64_t v = perf_le(p, size);

	return writer->out.big ? __builtin_bswap64(v) >> (64 - 8 * size) : v;
}

/*
 * End of the last record that is complete in @size bytes of the file.  The header of an AUXTRACE
 * gives the size of its record, without the trace bytes after it.  If some of these are missing,
 * @have is set to the number that is there, and the record is the one after the last complete one.
 */
static uint64_t last_whole(const struct perf_writer *writer, uint64_t size, uint64_t *have)
{
	uint64_t at = writer->data, next;
	uint8_t head[sizeof(struct perf_record_auxtrace)];

	*have = 0;
	if (size < at)
		return at;

	while (size - at >= 8 && perf_out_read(&writer->out, at, head, 8)) {
		uint32_t n = field(writer, head + 6, 2);

		if (n < 8 || n > size - at)
			break;
		next = at + n;
		if (field(writer, head, 4) == PERF_RECORD_AUXTRACE) {
			uint64_t trace;

			if (!perf_out_read(&writer->out, at, head, sizeof(head)))
				break;
			trace = field(writer, head + 8, 8);
			if (trace > size - next) {
				*have = (size - next) & ~7ull;
				break;
			}
			next += trace;
		}
		at = next;
	}
	return at;
}

/* ---------------------------------------------------------------- missing trace */

/* How far the trace of a ring, of a CPU or of a thread, has reached the file. */
struct ring_end {
	uint32_t key;
	uint64_t end;
};

struct ring_ends {
	struct ring_end *ring;
	size_t n;
};

static struct ring_end *end_of(const struct ring_ends *ends, uint32_t key)
{
	for (size_t i = ends->n; i--;)
		if (ends->ring[i].key == key)
			return &ends->ring[i];
	return NULL;
}

static void take_buffer(const struct perf_writer *writer, struct ring_ends *ends,
			const uint8_t *record)
{
	const size_t who = writer->setup.per_thread ? offsetof(struct perf_record_auxtrace, tid) :
						      offsetof(struct perf_record_auxtrace, cpu);
	const uint32_t key = field(writer, record + who, 4);
	struct ring_end *ring = end_of(ends, key), *grown;

	if (!ring) {
		grown = realloc(ends->ring, (ends->n + 1) * sizeof(*grown));
		if (!grown)
			return;
		ends->ring = grown;
		ring = &grown[ends->n++];
		ring->key = key;
	}
	ring->end = field(writer, record + offsetof(struct perf_record_auxtrace, offset), 8) +
		    field(writer, record + offsetof(struct perf_record_auxtrace, size), 8);
}

/* Finds the buffers in the file, each with the length that is there. */
static void find_ends(const struct perf_writer *writer, struct ring_ends *ends)
{
	uint8_t record[sizeof(struct perf_record_auxtrace)];

	for (size_t i = 0; i < writer->n_index; i++)
		if (perf_out_read(&writer->out, writer->index[i], record, sizeof(record)))
			take_buffer(writer, ends, record);
}

/*
 * An AUX record: offset, size, flags, then the fields added by end() in perf-write.c: pid, tid,
 * time, CPU.
 */
enum {
	AUX_OFFSET = 8, AUX_SIZE = 16, AUX_FLAGS = 24, AUX_TID = 36, AUX_TIME = 40, AUX_CPU = 48,
	AUX_RECORD = 64,
};

/* Distance of the time from the end of a record of the kernel. */
#define TIME_FROM_END	(AUX_RECORD - AUX_TIME)

/**
 * struct beyond - the AUX record that says how far a ring went beyond the bytes in the file
 * @record: the empty record; @any: there is one
 * @time: time of the last record of the kernel
 */
struct beyond {
	uint8_t record[AUX_RECORD];
	uint64_t time;
	bool any;
};

static void shorten_aux(struct perf_writer *writer, const struct ring_ends *ends, uint64_t at,
			struct beyond *beyond)
{
	struct perf_out *out = &writer->out;
	const struct ring_end *ring;
	uint8_t record[AUX_RECORD];
	uint64_t offset, size, flags, end;

	if (!perf_out_read(out, at, record, sizeof(record)))
		return;
	ring = end_of(ends, field(writer, record + (writer->setup.per_thread ? AUX_TID : AUX_CPU),
				  4));
	offset = field(writer, record + AUX_OFFSET, 8);
	size = field(writer, record + AUX_SIZE, 8);
	flags = field(writer, record + AUX_FLAGS, 8) | CSF_ABI_AUX_TRUNCATED;
	end = ring ? ring->end : 0;
	if (end >= offset + size)
		return;
	perf_out_seek(out, at + AUX_SIZE);
	perf_out_raw_u64(out, end > offset ? end - offset : 0);
	perf_out_raw_u64(out, flags);
	memcpy(beyond->record, record, sizeof(record));
	perf_out_number(out, beyond->record + AUX_OFFSET, offset + size, 8);
	perf_out_number(out, beyond->record + AUX_SIZE, 0, 8);
	perf_out_number(out, beyond->record + AUX_FLAGS, flags, 8);
	beyond->any = true;
}

/* Without it, the file would look like that of a buffer in memory that became full. */
static uint64_t write_beyond(struct perf_writer *writer, struct beyond *beyond)
{
	if (!beyond->any)
		return 0;
	perf_out_number(&writer->out, beyond->record + AUX_TIME, beyond->time, 8);
	perf_out_raw(&writer->out, beyond->record, AUX_RECORD);
	return AUX_RECORD;
}

static void see_time(const struct perf_writer *writer, uint64_t end, struct beyond *beyond)
{
	uint8_t time[8];

	if (perf_out_read(&writer->out, end - TIME_FROM_END, time, sizeof(time)))
		beyond->time = field(writer, time, sizeof(time));
}

/* The kernel also marks a buffer as truncated if there was no room for all of it. */
uint64_t writer_shorten_aux(struct perf_writer *writer)
{
	const uint64_t end = writer->out.at;
	struct beyond beyond = { .any = false };
	struct ring_ends ends = { 0 };
	uint8_t head[16];
	uint64_t at;

	perf_out_flush(&writer->out);
	find_ends(writer, &ends);
	for (at = writer->data; end - at >= 8 && perf_out_read(&writer->out, at, head, 8);) {
		uint32_t type = field(writer, head, 4);

		if (type == PERF_RECORD_AUX)
			shorten_aux(writer, &ends, at, &beyond);
		if (type < PERF_RECORD_USER_TYPE_START && type != PERF_RECORD_SAMPLE)
			see_time(writer, at + field(writer, head + 6, 2), &beyond);
		if (type == PERF_RECORD_AUXTRACE &&
		    perf_out_read(&writer->out, at, head, sizeof(head)))
			at += field(writer, head + 8, 8);
		at += field(writer, head + 6, 2);
	}
	free(ends.ring);
	perf_out_seek(&writer->out, end);
	return write_beyond(writer, &beyond);
}

void writer_cut(struct perf_writer *writer, uint64_t room)
{
	uint64_t size = perf_out_size(&writer->out), have, at;
	uint64_t end;

	at = last_whole(writer, size < room ? size : room, &have);
	end = have ? at + sizeof(struct perf_record_auxtrace) + have : at;
	while (writer->n_index && writer->index[writer->n_index - 1] >= end)
		writer->n_index--;
	perf_out_cut(&writer->out, end);
	if (have) {
		perf_out_seek(&writer->out, at + offsetof(struct perf_record_auxtrace, size));
		perf_out_raw_u64(&writer->out, have);
	}
	perf_out_seek(&writer->out, end);
	writer->trace_left = 0;
}
