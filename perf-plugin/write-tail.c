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

/* Number of CPUs up to the last one. */
static uint32_t n_cpus(const struct perf_writer *writer)
{
	uint32_t n = 0;

	for (size_t i = 0; i < writer->setup.n_cpu; i++)
		if (writer->cpu[i].cpu >= n)
			n = writer->cpu[i].cpu + 1;
	return n;
}

static void write_command(struct perf_writer *writer)
{
	perf_out_raw_u32(&writer->out, writer->n_command);
	for (size_t i = 0; i < writer->n_command; i++)
		perf_out_raw_string(&writer->out, writer->command[i]);
}

/* The meaning of the type numbers in attributes. */
static void write_pmus(struct perf_writer *writer)
{
	struct perf_out *out = &writer->out;

	perf_out_raw_u32(out, 2);
	perf_out_raw_u32(out, PERF_TYPE_SOFTWARE);
	perf_out_raw_string(out, "software");
	perf_out_raw_u32(out, writer->setup.pmu_type);
	perf_out_raw_string(out, "cs_etm");
}

static void write_feature(struct perf_writer *writer, int feature)
{
	switch (feature) {
	case PERF_FEATURE_BUILD_ID:
		perf_out_raw(&writer->out, writer->build_id, writer->n_build_id);
		break;
	case PERF_FEATURE_NRCPUS:
		perf_out_raw_u32(&writer->out, n_cpus(writer));
		perf_out_raw_u32(&writer->out, n_cpus(writer));
		break;
	case PERF_FEATURE_TOTAL_MEM:
		perf_out_raw_u64(&writer->out, writer->setup.total_mem);
		break;
	case PERF_FEATURE_CMDLINE:
		write_command(writer);
		break;
	case PERF_FEATURE_EVENT_DESC:
		write_event_desc(writer);
		break;
	case PERF_FEATURE_PMU_MAPPINGS:
		write_pmus(writer);
		break;
	case PERF_FEATURE_AUXTRACE:
		write_index(writer);
		break;
	default:
		perf_out_raw_string(&writer->out, writer->text[feature]);
		break;
	}
}

static bool has_feature(const struct perf_writer *writer, int feature)
{
	switch (feature) {
	case PERF_FEATURE_BUILD_ID:
		return writer->n_build_id;
	case PERF_FEATURE_TOTAL_MEM:
		return writer->setup.total_mem;
	case PERF_FEATURE_CMDLINE:
		return writer->n_command;
	case PERF_FEATURE_NRCPUS:
	case PERF_FEATURE_EVENT_DESC:
	case PERF_FEATURE_PMU_MAPPINGS:
	case PERF_FEATURE_AUXTRACE:
		return true;
	default:
		return writer->text[feature];
	}
}

/* A table of places, in the order of the bits; then the features; and the header. */
uint64_t writer_tail(struct perf_writer *writer)
{
	static const uint8_t wanted[] = {
		PERF_FEATURE_BUILD_ID, PERF_FEATURE_HOSTNAME, PERF_FEATURE_OSRELEASE,
		PERF_FEATURE_VERSION, PERF_FEATURE_ARCH, PERF_FEATURE_NRCPUS, PERF_FEATURE_CPUDESC,
		PERF_FEATURE_CPUID, PERF_FEATURE_TOTAL_MEM, PERF_FEATURE_CMDLINE,
		PERF_FEATURE_EVENT_DESC, PERF_FEATURE_PMU_MAPPINGS, PERF_FEATURE_AUXTRACE,
	};
	struct perf_out *out = &writer->out;
	uint64_t table = out->at, start[ARRAY_SIZE(wanted)], size[ARRAY_SIZE(wanted)], bits = 0;
	uint64_t end;
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
	end = out->at;
	perf_out_seek(out, table);
	for (int i = 0; i < n; i++) {
		perf_out_raw_u64(out, start[i]);
		perf_out_raw_u64(out, size[i]);
	}
	writer_header(writer, table - writer->data, bits);
	return end - table;
}
