/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a perf.data of CoreSight trace, as perf record would.
 *
 *	perf_write_new(&w, fd, &setup);
 *	perf_write_comm(w, &who, "sort");
 *	perf_write_mmap(w, &who, &map);
 *	perf_write_aux(w, &who, &aux);
 *	perf_write_auxtrace(w, &auxtrace, trace);
 *	err = perf_write_finish(w);
 *
 * It streams: memory grows only with the number of AUXTRACE records and build-ids.  After the first
 * error no more records are written; perf_write_finish() returns it.
 */
#ifndef PERF_WRITE_H
#define PERF_WRITE_H

#include "perf-cs.h"

/**
 * struct perf_write_setup - the properties of the recording
 * @version: version of the metadata, 0..2; 0 has no ETE
 * @per_thread: AUX rings are those of threads; otherwise of CPUs
 * @snapshot: the metadata says so
 * @config: perf_event_attr.config of cs_etm; 0: made from the first CPU's TRCCONFIGR
 * @pmu_type: type of the cs_etm PMU; 0: 8 is used
 * @cpu: @n_cpu trace units; only their id, config, protocol and time are used
 * @time_conv: for PERF_RECORD_TIME_CONV; mult 0: none is written
 * @arch: feature ARCH; NULL: "aarch64"
 * @release: feature OSRELEASE; NULL: none
 * @hostname: feature HOSTNAME; NULL: none, but then perf reads no features of a @big_endian file
 * @by: feature VERSION: version of the program that writes the file; NULL: none
 * @cpu_name, @cpu_id: features CPUDESC and CPUID; NULL: none
 * @command: feature CMDLINE: words, terminated by NULL; NULL: none
 * @total_mem: feature TOTAL_MEM in KiB; 0: none
 * @exclude_kernel: only user space was traced
 * @big_endian: write big-endian numbers; trace is the same
 */
struct perf_write_setup {
	uint32_t version;
	bool per_thread;
	bool snapshot;
	bool exclude_kernel;
	bool big_endian;
	uint64_t config;
	uint32_t pmu_type;
	const struct perf_cs_cpu *cpu;
	size_t n_cpu;
	struct perf_time_conv time_conv;
	const char *arch;
	const char *release;
	const char *hostname;
	const char *by;
	const char *cpu_name;
	const char *cpu_id;
	const char *const *command;
	uint64_t total_mem;
};

/* Goes into the sample_id of a record. */
struct perf_write_who {
	uint64_t time;
	uint32_t pid, tid;
	uint32_t cpu;
};

struct perf_writer;

/**
 * perf_write_new() - start a file
 * @fd: must be a regular file, empty; stays open, the caller owns it
 * @setup: copied
 *
 * Return: 0; -EINVAL: the setup cannot be written; -ENOMEM; -ENOSPC and similar.
 */
int perf_write_new(struct perf_writer **writer, int fd, const struct perf_write_setup *setup);

void perf_write_comm(struct perf_writer *writer, const struct perf_write_who *who,
		     const char *comm, bool exec);

/*
 * @map: its pid and tid are those of @who; the build-id is written if it has one, otherwise the
 *       inode
 */
void perf_write_mmap(struct perf_writer *writer, const struct perf_write_who *who,
		     const struct perf_mmap *map);

/* @task: FORK or EXIT: pid, tid, ppid, ptid */
void perf_write_fork(struct perf_writer *writer, const struct perf_write_who *who,
		     const struct perf_task *task);
void perf_write_exit(struct perf_writer *writer, const struct perf_write_who *who,
		     const struct perf_task *task);

/* SWITCH_CPU_WIDE: the task of @who enters or leaves (@task->out); @task: the other task */
void perf_write_switch(struct perf_writer *writer, const struct perf_write_who *who,
		       const struct perf_task *task);
void perf_write_itrace_start(struct perf_writer *writer, const struct perf_write_who *who);

/* Version 0.1 of the packing: @id is a trace ID in @sink; PERF_CS_NO_SINK: version 0.0 */
void perf_write_hw_id(struct perf_writer *writer, const struct perf_write_who *who, uint8_t id,
		      uint32_t sink);
void perf_write_aux(struct perf_writer *writer, const struct perf_write_who *who,
		    const struct perf_aux_record *aux);

/**
 * perf_write_auxtrace() - write a buffer of trace
 * @auxtrace: size, offset, idx, tid, cpu, reference
 * @bytes: @auxtrace->size bytes; NULL: they follow by perf_write_bytes(), before anything else
 */
void perf_write_auxtrace(struct perf_writer *writer, const struct perf_auxtrace *auxtrace,
			 const void *bytes);
void perf_write_bytes(struct perf_writer *writer, const void *bytes, size_t n);

/**
 * struct perf_write_field - a number in a record
 * @size: 1, 2, 4 or 8 bytes
 */
struct perf_write_field {
	uint8_t size;
	uint64_t value;
};

/**
 * struct perf_write_record - a record of the kernel for which there is no function here
 * @field: fields after the header, in the order of the layout, up to one of size 0; NULL: none
 * @bytes: @n_bytes bytes after these
 * @text: string at the end, or NULL
 */
struct perf_write_record {
	uint32_t type;
	uint16_t misc;
	const struct perf_write_field *field;
	const void *bytes;
	size_t n_bytes;
	const char *text;
};

/* Adds the sample_id of the dummy event; PERF_RECORD_SAMPLE has none. */
void perf_write_record(struct perf_writer *writer, const struct perf_write_who *who,
		       const struct perf_write_record *record);

/* PERF_RECORD_FINISHED_ROUND: all later records are later in time, except for one round */
void perf_write_round(struct perf_writer *writer);

/* Adds an entry to the build-id table; @entry's name and id are copied. */
void perf_write_build_id(struct perf_writer *writer, const struct perf_build_id *entry);

/*
 * Call after an error if there may be room again: cuts the file to its last whole record, or inside
 * its trace, and further records are written after that.  perf_write_finish() still returns the
 * error.
 */
void perf_write_recover(struct perf_writer *writer);

/* Number of bytes written so far, to the file or to its buffer. */
uint64_t perf_write_size(const struct perf_writer *writer);

/* Return: the first error so far. */
int perf_write_error(const struct perf_writer *writer);

/*
 * Finishes the file and frees the writer.  After an error, such as a full disk, the file is cut
 * after the last whole record, or inside its trace, and finished there; for that it needs some room
 * again.
 *
 * Return: 0 or the first error, -errno.
 */
int perf_write_finish(struct perf_writer *writer);

#endif /* PERF_WRITE_H */
