/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The AUXTRACE records of a file, so sorted that the one with a given byte of
 * an AUX ring is found by bisection.
 */
#ifndef PERF_BUFFER_H
#define PERF_BUFFER_H

#include "perf-record.h"

/**
 * struct perf_buffer - an AUXTRACE record and its trace
 * @key: which ring: of a CPU, or of a thread
 * @aux_offset: of its first byte in the ring
 * @size: bytes of trace in the file, without padding as far as one can tell
 * @offset: of the first one in the file
 * @record: file offset of the record
 * @reference: perf's number of the record
 * @epoch: how often the ring has started again from a lower offset, or the same
 * @idx: perf's number of the mmap
 * @cut: the record says more bytes than the file has
 * @task: in the ring of a CPU: tracing followed a task, as the record says, which comes and goes
 */
struct perf_buffer {
	uint64_t key;
	uint64_t aux_offset;
	uint64_t size;
	uint64_t offset;
	uint64_t record;
	uint64_t reference;
	uint32_t epoch;
	uint32_t idx;
	bool cut;
	bool task;
};

/**
 * struct perf_ring - the buffers of one AUX ring
 * @key: of them
 * @first: buffer[@first], @n of them
 * @epochs: 1 + the last buffer's epoch
 * @epoch: for whoever walks over AUX records: the epoch he is in
 * @last: likewise: offset of the AUX record before
 * @seen: likewise: there was one, not of a snapshot; @snapshots: one of a snapshot
 * @taken: likewise: buffer of the last snapshot, up to @end; NULL: there was none
 */
struct perf_ring {
	uint64_t key;
	size_t first, n;
	uint32_t epochs;
	uint32_t epoch;
	uint64_t last;
	bool seen, snapshots;
	const struct perf_buffer *taken;
	uint64_t end;
};

/**
 * struct perf_buffers - all of them
 * @buffer: @n of them, by key, epoch, offset, and place in the file
 * @ring: @n_ring of them, by key
 */
struct perf_buffers {
	struct perf_buffer *buffer;
	size_t n;
	struct perf_ring *ring;
	size_t n_ring;
};

/* @file gets the problems.  Return: 0, -ENOMEM. */
int perf_buffers_init(struct perf_buffers *buffers, struct perf_file *file);

void perf_buffers_fini(struct perf_buffers *buffers);

/* CPU and thread of a ring: one of them is PERF_NO_CPU, PERF_NO_TID. */
uint32_t perf_ring_cpu(uint64_t key);
uint32_t perf_ring_tid(uint64_t key);

/* The ring of a CPU, or else of a thread, or else the only one there is; NULL. */
struct perf_ring *perf_buffers_ring(const struct perf_buffers *buffers, uint32_t cpu, uint32_t tid);

/**
 * perf_ring_find() - the buffer that has the byte at @aux_offset of @ring, in @epoch
 *
 * Return: its index; if there is none that of the next one behind, which may be
 * one behind the last of the epoch.
 */
size_t perf_ring_find(const struct perf_buffers *buffers, const struct perf_ring *ring,
		      uint32_t epoch, uint64_t aux_offset);

#endif /* PERF_BUFFER_H */
