// SPDX-License-Identifier: GPL-2.0-only
#include "perf-write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel-glue/include/uapi/csf_abi.h"
#include "array.h"
#include "write-parts.h"

#define PMU_TYPE	8
/* One cut is enough, unless other programs fill the disk meanwhile. */
#define CUTS_MAX	8

static uint64_t id_of(const struct perf_writer *writer, int event, uint32_t cpu)
{
	size_t i = 0;

	if (!writer->setup.per_thread)
		while (i < writer->setup.n_cpu && writer->cpu[i].cpu != cpu)
			i++;
	return writer_id(event, i < writer->setup.n_cpu ? i : 0);
}

/* ---------------------------------------------------------------- records */

/* Adds the fields that the kernel puts at the end of each record. */
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
	writer_begin(writer, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
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

	writer_begin(writer, PERF_RECORD_MMAP2,
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
	writer_begin(writer, type, 0);
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
	writer_begin(writer, PERF_RECORD_SWITCH_CPU_WIDE, misc);
	perf_out_u32(&writer->out, task->pid);
	perf_out_u32(&writer->out, task->tid);
	end(writer, who, EVENT_DUMMY);
}

void perf_write_itrace_start(struct perf_writer *writer, const struct perf_write_who *who)
{
	writer_begin(writer, PERF_RECORD_ITRACE_START, 0);
	perf_out_u32(&writer->out, who->pid);
	perf_out_u32(&writer->out, who->tid);
	end(writer, who, EVENT_TRACE);
}

void perf_write_hw_id(struct perf_writer *writer, const struct perf_write_who *who, uint8_t id,
		      uint32_t sink)
{
	writer_begin(writer, PERF_RECORD_AUX_OUTPUT_HW_ID, 0);
	perf_out_u64(&writer->out, sink == PERF_CS_NO_SINK ? id : CSF_ABI_HW_ID(id, sink));
	end(writer, who, EVENT_TRACE);
}

void perf_write_aux(struct perf_writer *writer, const struct perf_write_who *who,
		    const struct perf_aux_record *aux)
{
	writer_begin(writer, PERF_RECORD_AUX, 0);
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

	writer_begin(writer, record->type, record->misc);
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

	if (!array_next(&writer->index, n, sizeof(*writer->index))) {
		perf_out_fail(&writer->out, -ENOMEM);
		return;
	}
	writer->index[writer->n_index++] = writer->out.at;
}

void perf_write_auxtrace(struct perf_writer *writer, const struct perf_auxtrace *auxtrace,
			 const void *bytes)
{
	struct perf_out *out = &writer->out;

	add_to_index(writer);
	writer->padding = -auxtrace->size & 7;
	writer_begin(writer, PERF_RECORD_AUXTRACE, 0);
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
	if (writer->trace_left)
		return;
	perf_out_raw(&writer->out, zeros, writer->padding);
	writer->padding = 0;
}

void perf_write_round(struct perf_writer *writer)
{
	writer_begin(writer, PERF_RECORD_FINISHED_ROUND, 0);
	perf_out_end(&writer->out);
}

void perf_write_build_id(struct perf_writer *writer, const struct perf_build_id *entry)
{
	struct perf_out *out = &writer->out;
	uint8_t id[24] = { 0 };
	uint8_t *table;

	memcpy(id, entry->id, entry->size < 20 ? entry->size : 20);
	id[20] = entry->size < 20 ? entry->size : 20;
	writer_begin(writer, PERF_RECORD_HEADER_BUILD_ID, PERF_RECORD_MISC_BUILD_ID_SIZE |
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

/* ---------------------------------------------------------------- begin and end */

/* The bits of ETMCR that attr.config has. */
#define ETMCR_OPTIONS	(BIT(CSF_ABI_OPT_CYCACC) | BIT(CSF_ABI_OPT_CONTEXTID1) | \
			 BIT(CSF_ABI_OPT_TIMESTAMP) | BIT(CSF_ABI_OPT_RETSTACK))

static bool is_etm3(const struct perf_cs_cpu *cpu)
{
	return cpu->protocol == CSF_PROTOCOL_ETM3 || cpu->protocol == CSF_PROTOCOL_PTM;
}

/* attr.config with which perf record programs the unit so: its bits are those of ETMCR */
static uint64_t config_of(const struct perf_cs_cpu *cpu)
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
	const uint32_t configr = cpu->config.trcconfigr;
	uint64_t config = 0;

	if (is_etm3(cpu))
		return cpu->config.etmcr & ETMCR_OPTIONS;
	for (size_t i = 0; i < ARRAY_SIZE(map); i++)
		config |= (uint64_t)(configr >> map[i].configr & 1) << map[i].option;
	return config;
}

static bool can_describe(const struct perf_cs_cpu *cpu, uint32_t version)
{
	switch (cpu->protocol) {
	case CSF_PROTOCOL_ETM4:
	case CSF_PROTOCOL_ETM3:
	case CSF_PROTOCOL_PTM:
		return true;
	case CSF_PROTOCOL_ETE:
	case CSF_PROTOCOL_MTB:
		return version;
	default:
		return false;
	}
}

static int check_setup(const struct perf_write_setup *setup)
{
	if (setup->version > CSF_ABI_INFO_VERSION_MAX || !setup->n_cpu)
		return -EINVAL;
	if (setup->n_cpu > PERF_OUT_MAX / 8 / (CSF_ABI_CPU_PARAMS + CSF_ABI_ETE_N_PARAMS) - 1)
		return -EINVAL;		/* the size of AUXTRACE_INFO has 16 bits */
	for (size_t i = 0; i < setup->n_cpu; i++)
		if (!can_describe(&setup->cpu[i], setup->version))
			return -EINVAL;
	return 0;
}

static bool copy_words(struct perf_writer *writer, const char *const *word)
{
	size_t n = 0;

	while (word && word[n])
		n++;
	writer->command = calloc(n + 1, sizeof(*writer->command));
	if (!writer->command)
		return false;
	for (; writer->n_command < n; writer->n_command++) {
		writer->command[writer->n_command] = strdup(word[writer->n_command]);
		if (!writer->command[writer->n_command])
			return false;
	}
	return true;
}

static bool copy_texts(struct perf_writer *writer, const struct perf_write_setup *setup)
{
	const char *const text[ARRAY_SIZE(writer->text)] = {
		[PERF_FEATURE_HOSTNAME] = setup->hostname,
		[PERF_FEATURE_OSRELEASE] = setup->release,
		[PERF_FEATURE_VERSION] = setup->by,
		[PERF_FEATURE_ARCH] = setup->arch ? setup->arch : "aarch64",
		[PERF_FEATURE_CPUDESC] = setup->cpu_name,
		[PERF_FEATURE_CPUID] = setup->cpu_id,
	};

	for (size_t i = 0; i < ARRAY_SIZE(text); i++) {
		writer->text[i] = text[i] ? strdup(text[i]) : NULL;
		if (text[i] && !writer->text[i])
			return false;
	}
	return copy_words(writer, setup->command);
}

static bool copy_setup(struct perf_writer *writer, const struct perf_write_setup *setup)
{
	writer->setup = *setup;
	writer->cpu = calloc(setup->n_cpu, sizeof(*writer->cpu));
	if (!writer->cpu)
		return false;
	memcpy(writer->cpu, setup->cpu, setup->n_cpu * sizeof(*setup->cpu));
	if (!setup->pmu_type)
		writer->setup.pmu_type = PMU_TYPE;
	if (!setup->config)
		writer->setup.config = config_of(&setup->cpu[0]);
	return copy_texts(writer, setup);
}

static int free_writer(struct perf_writer *writer, int err)
{
	perf_out_fini(&writer->out);
	for (size_t i = 0; i < ARRAY_SIZE(writer->text); i++)
		free(writer->text[i]);
	while (writer->n_command)
		free(writer->command[--writer->n_command]);
	free(writer->command);
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
	err = copy_setup(writer, setup) ? perf_out_init(&writer->out, fd) : -ENOMEM;
	if (err)
		return free_writer(writer, err);
	writer->out.big = setup->big_endian;
	writer_head(writer);
	/* the beginning of the file must be written, or it can never be finished */
	err = perf_out_flush(&writer->out);
	if (err)
		return free_writer(writer, err);
	*answer = writer;
	return 0;
}

uint64_t perf_write_size(const struct perf_writer *writer)
{
	return writer->out.at;
}

int perf_write_error(const struct perf_writer *writer)
{
	return writer->out.err;
}

/*
 * Cuts the file until there is room for index, features and header after it.  A file that must not
 * grow any more (RLIMIT_FSIZE) would never have room otherwise.
 */
static void end_short(struct perf_writer *writer)
{
	uint64_t room = UINT64_MAX, tail, size;

	for (int i = 0; i < CUTS_MAX; i++) {
		writer_cut(writer, room);
		tail = writer_shorten_aux(writer);
		tail += writer_tail(writer);
		if (!perf_out_flush(&writer->out))
			return;
		size = perf_out_size(&writer->out);
		if (size < writer->data + tail)
			return;
		room = size - tail;
	}
}

void perf_write_recover(struct perf_writer *writer)
{
	if (!writer->out.err)
		return;
	writer->failed = writer->out.err;
	writer_cut(writer, UINT64_MAX);
}

int perf_write_finish(struct perf_writer *writer)
{
	int err;

	if (writer->trace_left)
		perf_out_fail(&writer->out, -EINVAL);
	err = perf_out_flush(&writer->out);
	if (!err) {
		if (writer->failed)
			writer_shorten_aux(writer);
		writer_tail(writer);
		err = perf_out_flush(&writer->out);
	}
	if (err)
		end_short(writer);
	return free_writer(writer, writer->failed ? writer->failed : err);
}
