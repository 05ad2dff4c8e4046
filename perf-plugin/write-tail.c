// SPDX-License-Identifier: GPL-2.0-only
#include "write-parts.h"

#include <string.h>

static void write_index(struct perf_writer *writer)
{
	perf_out_raw_u64(&writer->out, writer->n_index);
	for (size_t i = 0; i < writer->n_index; i++) {
		perf_out_raw_u64(&writer->out, writer->index[i]);
		perf_out_raw_u64(&writer->out, sizeof(struct perf_record_auxtrace));
	}
}

static void write_event_desc(struct perf_writer *writer)
{
	static const char *const name[EVENT_NR] = { "cs_etm//", "dummy:u" };
	struct perf_out *out = &writer->out;
	uint8_t attr[ATTR_SIZE];

	perf_out_raw_u32(out, EVENT_NR);
	perf_out_raw_u32(out, ATTR_SIZE);
	for (int event = 0; event < EVENT_NR; event++) {
		writer_attr(writer, event, attr);
		perf_out_raw(out, attr, sizeof(attr));
		perf_out_raw_u32(out, writer_n_ids(writer));
		perf_out_raw_string(out, name[event]);
		for (size_t i = 0; i < writer_n_ids(writer); i++)
			perf_out_raw_u64(out, writer_id(event, i));
	}
}

/* Up to the last one there is. */
static uint32_t n_cpus(const struct perf_writer *writer)
{
	uint32_t n = 0;

	for (size_t i = 0; i < writer->setup.n_cpu; i++)
		if (writer->cpu[i].cpu >= n)
			n = writer->cpu[i].cpu + 1;
	return n;
}

static void write_feature(struct perf_writer *writer, int feature)
{
	switch (feature) {
	case PERF_FEATURE_BUILD_ID:
		perf_out_raw(&writer->out, writer->build_id, writer->n_build_id);
		break;
	case PERF_FEATURE_HOSTNAME:
		perf_out_raw_string(&writer->out, writer->hostname);
		break;
	case PERF_FEATURE_OSRELEASE:
		perf_out_raw_string(&writer->out, writer->release);
		break;
	case PERF_FEATURE_ARCH:
		perf_out_raw_string(&writer->out, writer->arch);
		break;
	case PERF_FEATURE_NRCPUS:
		perf_out_raw_u32(&writer->out, n_cpus(writer));
		perf_out_raw_u32(&writer->out, n_cpus(writer));
		break;
	case PERF_FEATURE_EVENT_DESC:
		write_event_desc(writer);
		break;
	case PERF_FEATURE_AUXTRACE:
		write_index(writer);
		break;
	}
}

static bool has_feature(const struct perf_writer *writer, int feature)
{
	switch (feature) {
	case PERF_FEATURE_BUILD_ID:
		return writer->n_build_id;
	case PERF_FEATURE_HOSTNAME:
		return writer->hostname[0];
	case PERF_FEATURE_OSRELEASE:
		return writer->release[0];
	default:
		return true;
	}
}

static void write_header(struct perf_writer *writer, uint64_t data_end, uint64_t features)
{
	struct perf_out *out = &writer->out;
	uint64_t ids = 8 * EVENT_NR * writer_n_ids(writer);

	perf_out_seek(out, 0);
	perf_out_raw(out, out->big ? "2ELIFREP" : "PERFILE2", 8);
	perf_out_raw_u64(out, HEADER_SIZE);
	perf_out_raw_u64(out, ATTR_SIZE + 16);
	perf_out_raw_u64(out, HEADER_SIZE + ids);
	perf_out_raw_u64(out, EVENT_NR * (ATTR_SIZE + 16));
	perf_out_raw_u64(out, writer->data);
	perf_out_raw_u64(out, data_end - writer->data);
	perf_out_raw_u64(out, 0);
	perf_out_raw_u64(out, 0);
	perf_out_raw_u64(out, features);
}

/* A table of places, in the order of the bits; the features behind it; and the header. */
void writer_tail(struct perf_writer *writer)
{
	static const uint8_t wanted[] = {
		PERF_FEATURE_BUILD_ID, PERF_FEATURE_HOSTNAME, PERF_FEATURE_OSRELEASE,
		PERF_FEATURE_ARCH, PERF_FEATURE_NRCPUS, PERF_FEATURE_EVENT_DESC,
		PERF_FEATURE_AUXTRACE,
	};
	struct perf_out *out = &writer->out;
	uint64_t table = out->at, start[ARRAY_SIZE(wanted)], size[ARRAY_SIZE(wanted)], bits = 0;
	int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		bits |= (uint64_t)has_feature(writer, wanted[i]) << wanted[i];
	for (int i = 0; i < 2 * __builtin_popcountll(bits); i++)
		perf_out_raw_u64(out, 0);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (!has_feature(writer, wanted[i]))
			continue;
		start[n] = out->at;
		write_feature(writer, wanted[i]);
		size[n] = out->at - start[n];
		n++;
	}
	perf_out_seek(out, table);
	for (int i = 0; i < n; i++) {
		perf_out_raw_u64(out, start[i]);
		perf_out_raw_u64(out, size[i]);
	}
	write_header(writer, table, bits);
}

/* A number that was written, @size bytes at @p. */
static uint64_t field(const struct perf_writer *writer, const uint8_t *p, size_t size)
{
	uint64_t v = perf_le(p, size);

	return writer->out.big ? __builtin_bswap64(v) >> (64 - 8 * size) : v;
}

/*
 * Where the last record ends that is in the file as a whole.  The header of an AUXTRACE says
 * how long its record is, and the bytes behind that are not in it: of these some may be missing,
 * then @have says how many there are, and the record is not the last whole one but the next.
 */
static uint64_t last_whole(const struct perf_writer *writer, uint64_t *have)
{
	uint64_t at = writer->data, size = perf_out_size(&writer->out), next;
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

void writer_cut(struct perf_writer *writer)
{
	uint64_t have, at = last_whole(writer, &have);
	uint64_t end = have ? at + sizeof(struct perf_record_auxtrace) + have : at;

	while (writer->n_index && writer->index[writer->n_index - 1] >= end)
		writer->n_index--;
	perf_out_cut(&writer->out, end);
	if (have) {
		perf_out_seek(&writer->out, at + offsetof(struct perf_record_auxtrace, size));
		perf_out_raw_u64(&writer->out, have);
		perf_out_seek(&writer->out, end);
	}
	writer->trace_left = 0;
}
