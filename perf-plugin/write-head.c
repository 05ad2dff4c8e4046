// SPDX-License-Identifier: GPL-2.0-only
#include "write-parts.h"

#include <string.h>

#include "../kernel-glue/include/uapi/csf_abi.h"

/* Maximum entries of an ID_INDEX record: its size has 16 bits. */
#define ID_INDEX_MAX	1000

#define SAMPLE_TYPE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
			 PERF_SAMPLE_IDENTIFIER)

/* The flags are C bit fields, which a big-endian machine numbers from the other end. */
static uint64_t flags_of(const struct perf_out *out, const struct perf_event_attr *attr)
{
	const size_t at = offsetof(struct perf_event_attr, read_format) + sizeof(attr->read_format);
	uint64_t flags, turned = 0;

	memcpy(&flags, (const uint8_t *)attr + at, sizeof(flags));
	for (int i = 0; i < 64; i++)
		turned |= (flags >> i & 1) << (63 - i);
	return out->big ? turned : flags;
}

/* All fields after the flags that are not set here are 0. */
static void put_attr(const struct perf_out *out, uint8_t *bytes, const struct perf_event_attr *attr)
{
	memset(bytes, 0, ATTR_SIZE);
	perf_out_number(out, bytes, attr->type, 4);
	perf_out_number(out, bytes + 4, attr->size, 4);
	perf_out_number(out, bytes + 8, attr->config, 8);
	perf_out_number(out, bytes + 16, attr->sample_period, 8);
	perf_out_number(out, bytes + 24, attr->sample_type, 8);
	perf_out_number(out, bytes + 32, attr->read_format, 8);
	perf_out_number(out, bytes + 40, flags_of(out, attr), 8);
}

void writer_attr(const struct perf_writer *writer, int event, uint8_t *bytes)
{
	const struct perf_write_setup *setup = &writer->setup;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = ATTR_SIZE, .config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1, .sample_type = SAMPLE_TYPE, .read_format = PERF_FORMAT_ID,
		.disabled = 1, .inherit = !setup->per_thread, .exclude_hv = 1, .sample_id_all = 1,
		.exclude_kernel = setup->exclude_kernel,
	};

	if (event == EVENT_TRACE) {
		attr.type = setup->pmu_type;
		attr.config = setup->config;
	} else {
		attr.mmap = 1;
		attr.mmap2 = 1;
		attr.comm = 1;
		attr.comm_exec = 1;
		attr.task = 1;
	}
	put_attr(&writer->out, bytes, &attr);
}

void writer_header(struct perf_writer *writer, uint64_t size, uint64_t features)
{
	static const uint8_t zeros[HEADER_SIZE - 80];
	struct perf_out *out = &writer->out;
	uint64_t ids = 8 * EVENT_NR * writer_n_ids(writer);

	perf_out_seek(out, 0);
	perf_out_raw(out, out->big ? "2ELIFREP" : "PERFILE2", 8);
	perf_out_raw_u64(out, HEADER_SIZE);
	perf_out_raw_u64(out, ATTR_SIZE + 16);
	perf_out_raw_u64(out, HEADER_SIZE + ids);
	perf_out_raw_u64(out, EVENT_NR * (ATTR_SIZE + 16));
	perf_out_raw_u64(out, writer->data);
	perf_out_raw_u64(out, size);
	perf_out_raw_u64(out, 0);
	perf_out_raw_u64(out, 0);
	perf_out_raw_u64(out, features);
	perf_out_raw(out, zeros, sizeof(zeros));
}

/* Header, ids, attributes. */
static void write_attrs(struct perf_writer *writer)
{
	struct perf_out *out = &writer->out;
	uint8_t attr[ATTR_SIZE];
	uint64_t at = HEADER_SIZE;

	writer->data = HEADER_SIZE + EVENT_NR * (8 * writer_n_ids(writer) + ATTR_SIZE + 16);
	writer_header(writer, 0, 0);
	for (int event = 0; event < EVENT_NR; event++)
		for (size_t i = 0; i < writer_n_ids(writer); i++)
			perf_out_raw_u64(out, writer_id(event, i));
	for (int event = 0; event < EVENT_NR; event++) {
		writer_attr(writer, event, attr);
		perf_out_raw(out, attr, sizeof(attr));
		perf_out_raw_u64(out, at);
		perf_out_raw_u64(out, 8 * writer_n_ids(writer));
		at += 8 * writer_n_ids(writer);
	}
}

static void write_time_conv(struct perf_writer *writer)
{
	const struct perf_time_conv *conv = &writer->setup.time_conv;
	struct perf_out *out = &writer->out;

	if (!conv->mult)
		return;
	writer_begin(writer, PERF_RECORD_TIME_CONV, 0);
	perf_out_u64(out, conv->shift);
	perf_out_u64(out, conv->mult);
	perf_out_u64(out, conv->zero);
	perf_out_u64(out, conv->cycles);
	perf_out_u64(out, conv->mask);
	perf_out_bytes(out, (const uint8_t []){ 1, conv->is_short, 0, 0 }, 4);
	perf_out_u32(out, 0);
	perf_out_end(out);
}

static void write_etm3(struct perf_writer *writer, const struct perf_cs_cpu *cpu)
{
	struct perf_out *out = &writer->out;

	perf_out_u64(out, CSF_ABI_MAGIC_ETM3);
	perf_out_u64(out, cpu->cpu);
	if (writer->setup.version)
		perf_out_u64(out, CSF_ABI_ETM3_N_PARAMS);
	perf_out_u64(out, cpu->config.etmcr);
	perf_out_u64(out, cpu->id | (uint64_t)cpu->config.profile << PERF_CS_PROFILE);
	perf_out_u64(out, cpu->config.etmccer);
	perf_out_u64(out, cpu->config.etmidr);
}

static void write_unit(struct perf_writer *writer, const struct perf_cs_cpu *cpu)
{
	const struct csf_config *config = &cpu->config;
	struct perf_out *out = &writer->out;
	bool ete = cpu->protocol == CSF_PROTOCOL_ETE, time = writer->setup.version >= 2;

	if (cpu->protocol == CSF_PROTOCOL_PTM || cpu->protocol == CSF_PROTOCOL_ETM3) {
		write_etm3(writer, cpu);
		return;
	}
	if (cpu->protocol == CSF_PROTOCOL_MTB) {
		perf_out_u64(out, PERF_CS_MAGIC_MTB);
		perf_out_u64(out, cpu->cpu);
		perf_out_u64(out, 0);
		return;
	}
	perf_out_u64(out, ete ? CSF_ABI_MAGIC_ETE : CSF_ABI_MAGIC_ETM4);
	perf_out_u64(out, cpu->cpu);
	if (writer->setup.version)
		perf_out_u64(out, (ete ? CSF_ABI_ETE_N_PARAMS : CSF_ABI_ETM4_N_PARAMS) - !time);
	perf_out_u64(out, config->trcconfigr);
	perf_out_u64(out, cpu->id);
	perf_out_u64(out, config->trcidr0);
	perf_out_u64(out, config->trcidr1);
	perf_out_u64(out, config->trcidr2);
	perf_out_u64(out, config->trcidr8);
	perf_out_u64(out, cpu->authstatus | (uint64_t)cpu->config.profile << PERF_CS_PROFILE);
	if (ete)
		perf_out_u64(out, config->trcdevarch);
	if (time)
		perf_out_u64(out, (int64_t)cpu->time);
}

static void write_info(struct perf_writer *writer)
{
	const struct perf_write_setup *setup = &writer->setup;
	struct perf_out *out = &writer->out;

	writer_begin(writer, PERF_RECORD_AUXTRACE_INFO, 0);
	perf_out_u32(out, CSF_ABI_AUXTRACE_TYPE);
	perf_out_u32(out, 0);
	perf_out_u64(out, setup->version);
	perf_out_u64(out, (uint64_t)setup->pmu_type << 32 | setup->n_cpu);
	perf_out_u64(out, setup->snapshot);
	for (size_t i = 0; i < setup->n_cpu; i++)
		write_unit(writer, &writer->cpu[i]);
	perf_out_end(out);
}

/* Assigns ids to rings: per thread, the kernel has no CPU, and perf no thread yet. */
static void write_id_index(struct perf_writer *writer)
{
	struct perf_out *out = &writer->out;
	size_t n = writer_n_ids(writer), total = EVENT_NR * n, at = 0, part;

	while (at < total) {
		part = total - at < ID_INDEX_MAX ? total - at : ID_INDEX_MAX;
		writer_begin(writer, PERF_RECORD_ID_INDEX, 0);
		perf_out_u64(out, part);
		for (; part--; at++) {
			bool thread = writer->setup.per_thread;

			perf_out_u64(out, writer_id(at / n, at % n));
			perf_out_u64(out, at % n);
			perf_out_u64(out, thread ? UINT64_MAX : writer->cpu[at % n].cpu);
			perf_out_u64(out, UINT64_MAX);
		}
		perf_out_end(out);
	}
}

void writer_head(struct perf_writer *writer)
{
	write_attrs(writer);
	write_time_conv(writer);
	write_info(writer);
	write_id_index(writer);
}
