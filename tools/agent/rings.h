/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rings of cs_etm in the kernel, one of records and one of trace for each CPU.  libperf opens
 * the events and maps the rings of records.
 *
 *	err = rings_open(&rings, &setup);
 *	rings_start(rings);
 *	... rings_wait(rings, 100); rings_records(), rings_trace() ...
 *	rings_stop(rings);
 *	... the same once more, for what was still in the trace units ...
 *	rings_close(rings);
 */
#ifndef CSF_RINGS_H
#define CSF_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct rings_setup - what is traced
 * @pmu_type: of cs_etm; @config: its perf_event_attr.config
 * @cpus: a list such as 0,4-7; NULL: all that are online
 * @cgroup: an open folder of /sys/fs/cgroup; -1: everything
 * @size: bytes of the ring of trace of each CPU, a power of two, at least a page
 */
struct rings_setup {
	uint32_t pmu_type;
	uint64_t config;
	const char *cpus;
	int cgroup;
	size_t size;
};

/**
 * struct rings_trace - trace that the kernel has written
 * @offset: of the first byte, counted from the start
 * @bytes, @n: two parts; the second is empty unless the ring goes round
 */
struct rings_trace {
	uint64_t offset;
	const uint8_t *bytes[2];
	size_t n[2];
};

/* The sample_id at the end of each record: PERF_SAMPLE_TID, TIME, CPU, IDENTIFIER. */
struct rings_id {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t identifier;
};

/**
 * struct rings_clock - from the counter of timestamps to perf's clock
 * @mult: 0: the kernel does not tell; otherwise all is as in struct perf_time_conv, whose header
 *        cannot be included together with those of libperf
 */
struct rings_clock {
	uint64_t shift, mult, zero, cycles, mask;
	bool is_short;
};

struct rings;

/* The numbers of CPUs in @list; the caller frees @cpu.  Return: how many; -EINVAL, -ENOMEM. */
long rings_cpus(const char *list, uint32_t **cpu);

/* From here on processes are recorded, and their maps.  Return: 0, -errno. */
int rings_open(struct rings **rings, const struct rings_setup *setup);
void rings_close(struct rings *rings);

/* The number of CPUs, and which they are. */
size_t rings_n(const struct rings *rings);
uint32_t rings_cpu(const struct rings *rings, size_t i);

/* From here on, or until here, there is trace.  Return: 0, -errno. */
int rings_start(struct rings *rings);
int rings_stop(struct rings *rings);

/* Waits until there is something to read, or @ms passed, or a signal came. */
void rings_wait(struct rings *rings, int ms);

/*
 * Passes each record of CPU @i to @take: @record with its header, and @size bytes in all.
 * Return: 0, or what @take returned.
 */
int rings_records(struct rings *rings, size_t i,
		  int (*take)(void *owner, const void *record, size_t size), void *owner);

/* Return: there is trace of CPU @i; it stays until rings_trace_done(). */
bool rings_trace(struct rings *rings, size_t i, struct rings_trace *trace);
void rings_trace_done(struct rings *rings, size_t i);

void rings_clock(struct rings *rings, struct rings_clock *clock);

#endif /* CSF_RINGS_H */
