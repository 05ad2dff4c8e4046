// SPDX-License-Identifier: GPL-2.0-only
#include "perf-write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../kernel-glue/include/uapi/csf_abi.h"
#include "perf-abi.h"
#include "perf-out.h"

#define HEADER_SIZE	104
#define ATTR_SIZE	PERF_ATTR_SIZE_VER7
#define PMU_TYPE	8

/* The two events, and where their ids begin: one for each CPU. */
enum { EVENT_TRACE, EVENT_DUMMY, EVENT_NR };
static const uint64_t first_id[EVENT_NR] = { 0x100000, 0x200000 };

/* Entries in one ID_INDEX record: its size has 16 bits. */
#define ID_INDEX_MAX	1000

#define SAMPLE_TYPE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
			 PERF_SAMPLE_IDENTIFIER)

/**
 * struct perf_writer - a file that is being written
 * @out: the file, and the record in hand
 * @setup: what was asked for; its arrays and strings are not valid any more
 * @cpu: @setup.n_cpu trace units
 * @index: file offsets of the @n_index AUXTRACE records
 * @build_id: the table of build-ids as it will stand in the file
 * @data: offset of the first record
 * @trace_left: bytes of the last AUXTRACE record that have not come
 * @padding: zeros to write behind them
 */
struct perf_writer {
	struct perf_out out;
	struct perf_write_setup setup;
	struct perf_cs_cpu *cpu;
	char arch[64], release[64], hostname[64];
	uint64_t *index;
	size_t n_index;
	uint8_t *build_id;
	size_t n_build_id;
	uint64_t data;
	uint64_t trace_left;
	unsigned int padding;
};

static size_t n_ids(const struct perf_writer *writer)
{
	return writer->setup.per_thread ? 1 : writer->setup.n_cpu;
}

static uint64_t id_of(const struct perf_writer *writer, int event, uint32_t cpu)
{
	size_t i = 0;

	if (!writer->setup.per_thread)
		while (i < writer->setup.n_cpu && writer->cpu[i].cpu != cpu)
			i++;
	return first_id[event] + (i < writer->setup.n_cpu ? i : 0);
}

/* ---------------------------------------------------------------- records */

static void begin(struct perf_writer *writer, uint32_t type, uint16_t misc)
{
	if (writer->trace_left)
		perf_out_fail(&writer->out, -EINVAL);
	perf_out_begin(&writer->out, type, misc);
}

/* With what the kernel puts behind each of its records. */
static void end(struct perf_writer *writer, const struct perf_write_who *who, int event)
{
	struct perf_out *out = &writer->out;

	perf_out_u32(out, who->pid);
	perf_out_u32(out, who->tid);
	perf_out_u64(out, who->time);
	perf_out_u32(out, who->cpu);
	perf_out_u32(out, 0);
	perf_out_u64(out, id_of(writer, event, who->cpu));
	perf_out_end(out);
}

void perf_write_comm(struct perf_writer *writer, const struct perf_write_who *who,
		     const char *comm, bool exec)
{
	begin(writer, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	perf_out_u32(&writer->out, who->pid);
	perf_out_u32(&writer->out, who->tid);
	perf_out_string(&writer->out, comm, 15, 8);
	end(writer, who, EVENT_DUMMY);
}

void perf_write_mmap(struct perf_writer *writer, const struct perf_write_who *who,
		     const struct perf_mmap *map)
{
	struct perf_out *out = &writer->out;
	uint8_t id[24] = { map->n_build_id < 20 ? map->n_build_id : 20 };
	uint16_t cpumode = map->cpumode ? map->cpumode : PERF_RECORD_MISC_USER;

	begin(writer, PERF_RECORD_MMAP2,
	      cpumode | (map->n_build_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
	perf_out_u32(out, who->pid);
	perf_out_u32(out, who->tid);
	perf_out_u64(out, map->addr);
	perf_out_u64(out, map->len);
	perf_out_u64(out, map->pgoff);
	if (map->n_build_id) {
		memcpy(id + 4, map->build_id, id[0]);
		perf_out_bytes(out, id, sizeof(id));
	} else {
		perf_out_u32(out, map->maj);
		perf_out_u32(out, map->min);
		perf_out_u64(out, map->ino);
		perf_out_u64(out, map->ino_generation);
	}
	perf_out_u32(out, map->prot);
	perf_out_u32(out, map->flags);
	perf_out_string(out, map->name, 4095, 8);
	end(writer, who, EVENT_DUMMY);
}

static void write_task(struct perf_writer *writer, const struct perf_write_who *who,
		       const struct perf_task *task, uint32_t type)
{
	begin(writer, type, 0);
	perf_out_u32(&writer->out, task->pid);
	perf_out_u32(&writer->out, task->ppid);
	perf_out_u32(&writer->out, task->tid);
	perf_out_u32(&writer->out, task->ptid);
	perf_out_u64(&writer->out, who->time);
	end(writer, who, EVENT_DUMMY);
}

void perf_write_fork(struct perf_writer *writer, const struct perf_write_who *who,
		     const struct perf_task *task)
{
	write_task(writer, who, task, PERF_RECORD_FORK);
}

void perf_write_exit(struct perf_writer *writer, const struct perf_write_who *who,
		     const struct perf_task *task)
{
	write_task(writer, who, task, PERF_RECORD_EXIT);
}

void perf_write_switch(struct perf_writer *writer, const struct perf_write_who *who,
		       const struct perf_task *task)
{
	uint16_t misc = task->out ? PERF_RECORD_MISC_SWITCH_OUT : 0;

	if (task->out && task->preempt)
		misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	begin(writer, PERF_RECORD_SWITCH_CPU_WIDE, misc);
	perf_out_u32(&writer->out, task->pid);
	perf_out_u32(&writer->out, task->tid);
	end(writer, who, EVENT_DUMMY);
}

void perf_write_itrace_start(struct perf_writer *writer, const struct perf_write_who *who)
{
	begin(writer, PERF_RECORD_ITRACE_START, 0);
	perf_out_u32(&writer->out, who->pid);
	perf_out_u32(&writer->out, who->tid);
	end(writer, who, EVENT_TRACE);
}

void perf_write_hw_id(struct perf_writer *writer, const struct perf_write_who *who, uint8_t id,
		      uint32_t sink)
{
	begin(writer, PERF_RECORD_AUX_OUTPUT_HW_ID, 0);
	perf_out_u64(&writer->out, sink == PERF_CS_NO_SINK ? id : CSF_ABI_HW_ID(id, sink));
	end(writer, who, EVENT_TRACE);
}

void perf_write_aux(struct perf_writer *writer, const struct perf_write_who *who,
		    const struct perf_aux_record *aux)
{
	begin(writer, PERF_RECORD_AUX, 0);
	perf_out_u64(&writer->out, aux->offset);
	perf_out_u64(&writer->out, aux->size);
	perf_out_u64(&writer->out, aux->flags);
	end(writer, who, EVENT_TRACE);
}

void perf_write_record(struct perf_writer *writer, const struct perf_write_who *who,
		       const struct perf_write_record *record)
{
	const struct perf_write_field *field = record->field;
	struct perf_out *out = &writer->out;
	uint8_t number[8];

	begin(writer, record->type, record->misc);
	for (; field && field->size; field++) {
		perf_out_number(out, number, field->value, field->size);
		perf_out_bytes(out, number, field->size);
	}
	perf_out_bytes(out, record->bytes, record->n_bytes);
	if (record->text)
		perf_out_string(out, record->text, 4095, 8);
	perf_out_bytes(out, "\0\0\0\0\0\0\0", -out->n & 7);
	if (record->type == PERF_RECORD_SAMPLE)
		perf_out_end(out);
	else
		end(writer, who, EVENT_DUMMY);
}

static void add_to_index(struct perf_writer *writer)
{
	size_t n = writer->n_index;
	uint64_t *index = writer->index;

	if (!(n & (n - 1))) {
		index = realloc(index, (n ? 2 * n : 1) * sizeof(*index));
		if (!index) {
			perf_out_fail(&writer->out, -ENOMEM);
			return;
		}
		writer->index = index;
	}
	index[writer->n_index++] = writer->out.at;
}

void perf_write_auxtrace(struct perf_writer *writer, const struct perf_auxtrace *auxtrace,
			 const void *bytes)
{
	struct perf_out *out = &writer->out;

	add_to_index(writer);
	writer->padding = -auxtrace->size & 7;
	begin(writer, PERF_RECORD_AUXTRACE, 0);
	perf_out_u64(out, auxtrace->size + writer->padding);
	perf_out_u64(out, auxtrace->offset);
	perf_out_u64(out, auxtrace->reference);
	perf_out_u32(out, auxtrace->idx);
	perf_out_u32(out, auxtrace->tid);
	perf_out_u32(out, auxtrace->cpu);
	perf_out_u32(out, 0);
	perf_out_end(out);
	writer->trace_left = auxtrace->size;
	if (bytes)
		perf_write_bytes(writer, bytes, auxtrace->size);
}

void perf_write_bytes(struct perf_writer *writer, const void *bytes, size_t n)
{
	static const uint8_t zeros[8];

	if (n > writer->trace_left) {
		perf_out_fail(&writer->out, -EINVAL);
		return;
	}
	perf_out_raw(&writer->out, bytes, n);
	writer->trace_left -= n;
	if (!writer->trace_left)
		perf_out_raw(&writer->out, zeros, writer->padding);
}

void perf_write_round(struct perf_writer *writer)
{
	begin(writer, PERF_RECORD_FINISHED_ROUND, 0);
	perf_out_end(&writer->out);
}

void perf_write_build_id(struct perf_writer *writer, const struct perf_build_id *entry)
{
	struct perf_out *out = &writer->out;
	uint8_t id[24] = { 0 };
	uint8_t *table;

	memcpy(id, entry->id, entry->size < 20 ? entry->size : 20);
	id[20] = entry->size < 20 ? entry->size : 20;
	begin(writer, PERF_RECORD_HEADER_BUILD_ID, PERF_RECORD_MISC_BUILD_ID_SIZE |
	      (entry->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER));
	perf_out_u32(out, entry->pid);
	perf_out_bytes(out, id, sizeof(id));
	perf_out_string(out, entry->name, 4095, 64);
	perf_out_close(out);
	table = realloc(writer->build_id, writer->n_build_id + out->n);
	if (!table) {
		perf_out_fail(out, -ENOMEM);
		return;
	}
	memcpy(table + writer->n_build_id, out->record, out->n);
	writer->build_id = table;
	writer->n_build_id += out->n;
}

/* ---------------------------------------------------------------- what comes first */

/* The flags are bits of C, which a big-endian machine numbers from the other end. */
static uint64_t flags_of(const struct perf_out *out, const struct perf_event_attr *attr)
{
	const size_t at = offsetof(struct perf_event_attr, read_format) + sizeof(attr->read_format);
	uint64_t flags, turned = 0;

	memcpy(&flags, (const uint8_t *)attr + at, sizeof(flags));
	for (int i = 0; i < 64; i++)
		turned |= (flags >> i & 1) << (63 - i);
	return out->big ? turned : flags;
}

/* What is behind the flags is 0 in all that is written here. */
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

static void make_attr(const struct perf_writer *writer, int event, uint8_t *bytes)
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

/* Header, all zero: it is written last; ids; attributes. */
static void write_attrs(struct perf_writer *writer)
{
	static const uint8_t header[HEADER_SIZE];
	struct perf_out *out = &writer->out;
	uint8_t attr[ATTR_SIZE];
	uint64_t at = HEADER_SIZE;

	perf_out_raw(out, header, sizeof(header));
	for (int event = 0; event < EVENT_NR; event++)
		for (size_t i = 0; i < n_ids(writer); i++)
			perf_out_raw_u64(out, first_id[event] + i);
	for (int event = 0; event < EVENT_NR; event++) {
		make_attr(writer, event, attr);
		perf_out_raw(out, attr, sizeof(attr));
		perf_out_raw_u64(out, at);
		perf_out_raw_u64(out, 8 * n_ids(writer));
		at += 8 * n_ids(writer);
	}
	writer->data = out->at;
}

static void write_time_conv(struct perf_writer *writer)
{
	const struct perf_time_conv *conv = &writer->setup.time_conv;
	struct perf_out *out = &writer->out;

	if (!conv->mult)
		return;
	begin(writer, PERF_RECORD_TIME_CONV, 0);
	perf_out_u64(out, conv->shift);
	perf_out_u64(out, conv->mult);
	perf_out_u64(out, conv->zero);
	perf_out_u64(out, conv->cycles);
	perf_out_u64(out, conv->mask);
	perf_out_bytes(out, (const uint8_t []){ 1, conv->is_short, 0, 0 }, 4);
	perf_out_u32(out, 0);
	perf_out_end(out);
}

static void write_unit(struct perf_writer *writer, const struct perf_cs_cpu *cpu)
{
	const struct csf_config *config = &cpu->config;
	struct perf_out *out = &writer->out;
	bool ete = cpu->protocol == PERF_CS_ETE, time = writer->setup.version >= 2;

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
	perf_out_u64(out, cpu->authstatus);
	if (ete)
		perf_out_u64(out, config->trcdevarch);
	if (time)
		perf_out_u64(out, (int64_t)cpu->time);
}

static void write_info(struct perf_writer *writer)
{
	const struct perf_write_setup *setup = &writer->setup;
	struct perf_out *out = &writer->out;

	begin(writer, PERF_RECORD_AUXTRACE_INFO, 0);
	perf_out_u32(out, CSF_ABI_AUXTRACE_TYPE);
	perf_out_u32(out, 0);
	perf_out_u64(out, setup->version);
	perf_out_u64(out, (uint64_t)setup->pmu_type << 32 | setup->n_cpu);
	perf_out_u64(out, setup->snapshot);
	for (size_t i = 0; i < setup->n_cpu; i++)
		write_unit(writer, &writer->cpu[i]);
	perf_out_end(out);
}

/* Which id belongs to which ring: per thread the kernel has no CPU, and perf no thread yet. */
static void write_id_index(struct perf_writer *writer)
{
	struct perf_out *out = &writer->out;
	size_t n = n_ids(writer), total = EVENT_NR * n, at = 0, part;

	while (at < total) {
		part = total - at < ID_INDEX_MAX ? total - at : ID_INDEX_MAX;
		begin(writer, PERF_RECORD_ID_INDEX, 0);
		perf_out_u64(out, part);
		for (; part--; at++) {
			bool thread = writer->setup.per_thread;

			perf_out_u64(out, first_id[at / n] + at % n);
			perf_out_u64(out, at % n);
			perf_out_u64(out, thread ? UINT64_MAX : writer->cpu[at % n].cpu);
			perf_out_u64(out, UINT64_MAX);
		}
		perf_out_end(out);
	}
}

/* attr.config that makes perf record write this TRCCONFIGR */
static uint64_t config_of(uint32_t configr)
{
	static const struct {
		uint8_t configr, option;
	} map[] = {
		{ CSF_ABI_CONFIGR_BB, CSF_ABI_OPT_BRANCH_BROADCAST },
		{ CSF_ABI_CONFIGR_CCI, CSF_ABI_OPT_CYCACC },
		{ CSF_ABI_CONFIGR_CID, CSF_ABI_OPT_CONTEXTID1 },
		{ CSF_ABI_CONFIGR_VMIDOPT, CSF_ABI_OPT_CONTEXTID2 },
		{ CSF_ABI_CONFIGR_TS, CSF_ABI_OPT_TIMESTAMP },
		{ CSF_ABI_CONFIGR_RS, CSF_ABI_OPT_RETSTACK },
	};
	uint64_t config = 0;

	for (size_t i = 0; i < ARRAY_SIZE(map); i++)
		config |= (uint64_t)(configr >> map[i].configr & 1) << map[i].option;
	return config;
}

static int check_setup(const struct perf_write_setup *setup)
{
	if (setup->version > CSF_ABI_INFO_VERSION_MAX || !setup->n_cpu)
		return -EINVAL;
	if (setup->n_cpu > PERF_OUT_MAX / 8 / (CSF_ABI_CPU_PARAMS + CSF_ABI_ETE_N_PARAMS) - 1)
		return -EINVAL;		/* the size of AUXTRACE_INFO has 16 bits */
	for (size_t i = 0; i < setup->n_cpu; i++)
		if (setup->cpu[i].protocol != PERF_CS_ETM4 &&
		    (setup->cpu[i].protocol != PERF_CS_ETE || !setup->version))
			return -EINVAL;
	return 0;
}

static void copy_setup(struct perf_writer *writer, const struct perf_write_setup *setup)
{
	writer->setup = *setup;
	memcpy(writer->cpu, setup->cpu, setup->n_cpu * sizeof(*setup->cpu));
	snprintf(writer->arch, sizeof(writer->arch), "%s", setup->arch ? setup->arch : "aarch64");
	snprintf(writer->release, sizeof(writer->release), "%s",
		 setup->release ? setup->release : "");
	snprintf(writer->hostname, sizeof(writer->hostname), "%s",
		 setup->hostname ? setup->hostname : "");
	if (!setup->pmu_type)
		writer->setup.pmu_type = PMU_TYPE;
	if (!setup->config)
		writer->setup.config = config_of(setup->cpu[0].config.trcconfigr);
}

static int free_writer(struct perf_writer *writer, int err)
{
	perf_out_fini(&writer->out);
	free(writer->cpu);
	free(writer->index);
	free(writer->build_id);
	free(writer);
	return err;
}

int perf_write_new(struct perf_writer **answer, int fd, const struct perf_write_setup *setup)
{
	struct perf_writer *writer;
	int err = check_setup(setup);

	*answer = NULL;
	if (err)
		return err;
	writer = calloc(1, sizeof(*writer));
	if (!writer)
		return -ENOMEM;
	writer->cpu = calloc(setup->n_cpu, sizeof(*writer->cpu));
	err = writer->cpu ? perf_out_init(&writer->out, fd) : -ENOMEM;
	if (err)
		return free_writer(writer, err);
	copy_setup(writer, setup);
	writer->out.big = setup->big_endian;
	write_attrs(writer);
	write_time_conv(writer);
	write_info(writer);
	write_id_index(writer);
	/* What a file begins with must be there if it is ever to be ended. */
	err = perf_out_flush(&writer->out);
	if (err)
		return free_writer(writer, err);
	*answer = writer;
	return 0;
}

/* ---------------------------------------------------------------- what comes last */

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
		make_attr(writer, event, attr);
		perf_out_raw(out, attr, sizeof(attr));
		perf_out_raw_u32(out, n_ids(writer));
		perf_out_raw_string(out, name[event]);
		for (size_t i = 0; i < n_ids(writer); i++)
			perf_out_raw_u64(out, first_id[event] + i);
	}
}

/* Up to the last one there is. */
static uint32_t n_cpus(const struct perf_writer *writer)
{
	uint32_t n = 0;

	for (size_t i = 0; i < writer->setup.n_cpu; i++)
		if (writer->setup.cpu[i].cpu >= n)
			n = writer->setup.cpu[i].cpu + 1;
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
	uint64_t ids = 8 * EVENT_NR * n_ids(writer);

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
static void write_tail(struct perf_writer *writer)
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

static void cut_back(struct perf_writer *writer)
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

int perf_write_error(const struct perf_writer *writer)
{
	return writer->out.err;
}

int perf_write_finish(struct perf_writer *writer)
{
	int err;

	if (writer->trace_left)
		perf_out_fail(&writer->out, -EINVAL);
	err = perf_out_flush(&writer->out);
	if (err)
		cut_back(writer);
	write_tail(writer);
	if (!err)
		err = perf_out_flush(&writer->out);
	else
		perf_out_flush(&writer->out);
	return free_writer(writer, err);
}
