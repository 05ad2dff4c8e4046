/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests: a small recording, made by our own writer, as bytes in memory. */
#ifndef RECORDING_H
#define RECORDING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../perf-plugin/perf-write.h"

/**
 * struct small_recording - what to make, and what it became
 * @setup: as for perf_write_new()
 * @cpu: the trace units
 * @buffers: AUXTRACE records for each CPU
 * @fragments: AUX records for each of them
 * @size: bytes of a fragment
 * @flags: of the AUX records
 * @hw_id: write HW_ID records: 1: version 0.0; 2: 0.1
 * @others: write records that csflow reads and its writer has no function for
 * @bytes: the file, @n bytes
 */
struct small_recording {
	struct perf_write_setup setup;
	struct perf_cs_cpu cpu[4];
	unsigned int buffers, fragments;
	size_t size;
	uint64_t flags;
	int hw_id;
	bool others;
	uint8_t *bytes;
	size_t n;
};

static void recording_init(struct small_recording *rec, uint32_t version, size_t n_cpu)
{
	*rec = (struct small_recording){ .buffers = 2, .fragments = 2, .size = 0x40 };
	for (size_t i = 0; i < n_cpu; i++) {
		struct perf_cs_cpu *cpu = &rec->cpu[i];

		*cpu = (struct perf_cs_cpu){
			.cpu = 2 * i + 1, .id = 0x10 + 2 * i, .authstatus = 0x8c,
			.protocol = CSF_PROTOCOL_ETM4, .pid = PERF_CS_PID_CONTEXTID,
			.time = version > 1 ? PERF_CS_TIME_VIRTUAL : PERF_CS_TIME_UNKNOWN,
			.config = {
				.size = sizeof(cpu->config), .trcconfigr = 0x40,
				.trcidr0 = 0x28000ea1, .trcidr1 = 0x4100f422,
				.trcidr2 = 0x20001088,
			},
		};
	}
	rec->setup.version = version;
	rec->setup.n_cpu = n_cpu;
}

/* The trace byte at @at of the ring of unit @i: never 0, so that padding shows. */
static uint8_t recording_byte(size_t i, size_t at)
{
	return 1 + (at * 7 + i * 31) % 255;
}

static void recording_head(const struct small_recording *rec, struct perf_writer *writer)
{
	static const uint8_t id[20] = "build-id of a binary";
	struct perf_write_who who = { .time = 1000, .pid = 42, .tid = 42, .cpu = 1 };
	struct perf_mmap map = { .addr = 0x400000, .len = 0x1000, .name = "/bin/sort",
				 .prot = 5, .flags = 2, .build_id = id, .n_build_id = 20 };
	struct perf_build_id build_id = { .name = "/bin/sort", .id = id, .size = 20, .pid = -1 };

	perf_write_comm(writer, &who, "sort", true);
	who.time = 1001;
	perf_write_mmap(writer, &who, &map);
	who.time = 1002;
	perf_write_itrace_start(writer, &who);
	perf_write_build_id(writer, &build_id);
	for (size_t i = 0; rec->hw_id && i < rec->setup.n_cpu; i++) {
		who.cpu = rec->cpu[i].cpu;
		perf_write_hw_id(writer, &who, 0x40 + i,
				 rec->hw_id == 2 ? 0x12345678 : PERF_CS_NO_SINK);
	}
}

static void recording_buffer(const struct small_recording *rec, struct perf_writer *writer,
			     size_t i, unsigned int number)
{
	size_t n = rec->fragments * rec->size, at = number * n;
	uint32_t cpu = rec->cpu[i].cpu;
	struct perf_write_who who = { .pid = 42, .tid = 42, .cpu = cpu };
	struct perf_auxtrace auxtrace = {
		.size = n, .offset = at, .reference = 0x1234, .idx = i,
		.cpu = rec->setup.per_thread ? PERF_NO_CPU : cpu,
		.tid = rec->setup.per_thread ? 42 : PERF_NO_TID,
	};
	uint8_t *trace = malloc(n);

	for (unsigned int k = 0; k < rec->fragments; k++) {
		struct perf_aux_record aux = { .offset = at + k * rec->size, .size = rec->size,
					       .flags = rec->flags };

		who.time = 2000 + 100 * number + 10 * k + i;
		perf_write_aux(writer, &who, &aux);
	}
	for (size_t k = 0; k < n; k++)
		trace[k] = recording_byte(i, at + k);
	perf_write_auxtrace(writer, &auxtrace, trace);
	free(trace);
}

/* One of each kind */
static void recording_others(struct perf_writer *writer)
{
	static const struct perf_write_field symbol[] = {
		{ 8, 0xffff800010000000 }, { 4, 0x100 }, { 2, 1 }, { 2, 0 }, { 0 }
	}, poke[] = {
		{ 8, 0xffff800010000040 }, { 2, 4 }, { 2, 4 }, { 0 }
	}, namespaces[] = {
		{ 4, 42 }, { 4, 42 }, { 8, 2 }, { 8, 4 }, { 8, 0xeffffffe }, { 8, 4 },
		{ 8, 0xf0000001 }, { 0 }
	}, bpf[] = {
		{ 2, 1 }, { 2, 0 }, { 4, 7 }, { 0 }
	}, mmap1[] = {
		{ 4, 42 }, { 4, 42 }, { 8, 0x500000 }, { 8, 0x1000 }, { 8, 0 }, { 0 }
	}, lost[] = {
		{ 8, 0x200000 }, { 8, 3 }, { 0 }
	}, sample[] = {		/* IDENTIFIER, IP, TID, TIME, CPU: see SAMPLE_TYPE of the writer */
		{ 8, 0x200000 }, { 8, 0x400100 }, { 4, 42 }, { 4, 43 }, { 8, 1500 }, { 4, 1 },
		{ 4, 0 }, { 0 }
	};
	static const struct perf_write_record record[] = {
		{ PERF_RECORD_KSYMBOL, 0, symbol, NULL, 0, "bpf_prog_7_main" },
		{ PERF_RECORD_TEXT_POKE, 0, poke, "oldonew", 8, NULL },
		{ PERF_RECORD_NAMESPACES, 0, namespaces, NULL, 0, NULL },
		{ PERF_RECORD_BPF_EVENT, 0, bpf, "tagtagt", 8, NULL },
		{ PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, mmap1, NULL, 0, "/lib/libc.so" },
		{ PERF_RECORD_LOST, 0, lost, NULL, 0, NULL },
		{ PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sample, NULL, 0, NULL },
		{ PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, NULL, NULL, 0, NULL },
		{ 0 }
	};
	struct perf_task task = { .pid = 1, .tid = 1, .ppid = 42, .ptid = 42, .out = true };
	struct perf_write_who who = { .time = 1500, .pid = 42, .tid = 42, .cpu = 1 };

	for (int i = 0; record[i].type; i++) {
		who.time++;
		perf_write_record(writer, &who, &record[i]);
	}
	perf_write_switch(writer, &who, &task);
	perf_write_fork(writer, &who, &task);
}

static int recording_write(struct small_recording *rec, int fd)
{
	struct perf_write_who who = { .time = 9000, .pid = 42, .tid = 42, .cpu = 1 };
	struct perf_task task = { .pid = 42, .tid = 42, .ppid = 1, .ptid = 1 };
	struct perf_writer *writer;
	int err;

	rec->setup.cpu = rec->cpu;
	err = perf_write_new(&writer, fd, &rec->setup);
	if (err)
		return err;
	recording_head(rec, writer);
	if (rec->others)
		recording_others(writer);
	for (unsigned int k = 0; k < rec->buffers; k++)
		for (size_t i = 0; i < rec->setup.n_cpu; i++)
			recording_buffer(rec, writer, i, k);
	perf_write_exit(writer, &who, &task);
	perf_write_round(writer);
	return perf_write_finish(writer);
}

static int recording_make(struct small_recording *rec)
{
	FILE *file = tmpfile();
	int err;

	if (!file)
		return -1;
	err = recording_write(rec, fileno(file));
	rec->n = lseek(fileno(file), 0, SEEK_END);
	rec->bytes = malloc(rec->n);
	if (!err && pread(fileno(file), rec->bytes, rec->n, 0) != (ssize_t)rec->n)
		err = -1;
	fclose(file);
	return err;
}

#endif /* RECORDING_H */
