/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes trace into a perf.data: AUX rings of CPUs or of threads, filled by trace units,
 * with or without frames, as perf record and the kernel's drivers do.
 *
 *	recorder_new(&r, "perf.data", &setup);
 *	recorder_trace(r, &who, bytes, n);	a trace unit sends
 *	recorder_aux(r, &who, 0);		its trace becomes an AUX record
 *	perf_write_mmap(recorder_writer(r), ...);	and other records
 *	err = recorder_finish(r);
 *
 * If the disk is full, the file is ended with what it has by then, and can be read.  If the process
 * is killed, the file records that it was not finished.
 */
#ifndef CSF_RECORDER_H
#define CSF_RECORDER_H

#include "../../perf-plugin/perf-write.h"

/**
 * struct recorder_setup - the properties of a recording
 * @config: of all trace units
 * @n_cpu: CPUs, from 0
 * @version: of the header, 0..2
 * @per_thread: one ring for each thread; else for each CPU
 * @framed: use frames; without @per_thread one sink for all CPUs.  Else raw
 * @aux_size: bytes of a ring; half of it is written at once
 * @first_id: trace ID of CPU 0; the others follow
 * @command: the recorded command, as words, ended by NULL
 */
struct recorder_setup {
	struct csf_config config;
	uint32_t n_cpu;
	uint32_t version;
	bool per_thread, framed;
	uint64_t aux_size;
	uint8_t first_id;
	const char *const *command;
};

struct recorder;

/* Return: 0, -errno; -EINVAL: the setup cannot be recorded. */
int recorder_new(struct recorder **r, const char *path, const struct recorder_setup *setup);

struct perf_writer *recorder_writer(struct recorder *r);

/* Sets the time: later records about the current trace are not older. */
void recorder_time(struct recorder *r, uint64_t time);

/* @who: the CPU of the trace unit, and the traced thread. */
void recorder_trace(struct recorder *r, const struct perf_write_who *who, const void *bytes,
		    size_t n);

/* @flags: CSF_ABI_AUX_TRUNCATED and its like, but not the format. */
void recorder_aux(struct recorder *r, const struct perf_write_who *who, uint64_t flags);

/* The first error so far; after an error nothing more is recorded. */
int recorder_error(const struct recorder *r);

/* Trace bytes so far. */
uint64_t recorder_bytes(const struct recorder *r);

/* Ends the file and frees @r.  Return: 0 or the first error, -errno. */
int recorder_finish(struct recorder *r);

#endif /* CSF_RECORDER_H */
