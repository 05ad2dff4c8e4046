/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The AUXTRACE records of a file, sorted so that the one with a given byte of an AUX ring is found
 * by bisection.
 */
#ifndef PERF_BUFFER_H
#define PERF_BUFFER_H

#include "perf-record.h"

/**
 * struct perf_buffer - an AUXTRACE record and its trace
 * @key: its ring: of a CPU, or of a thread
 * @aux_offset: offset of its first byte in the ring
 * @size: bytes of trace in the file, without padding as far as that can be told
 * @offset: offset of the first byte in the file
 * @record: file offset of the record
 * @reference: perf's number of the record
 * @generation: number of times that the ring has started again from a lower offset, or the same
 * @idx: perf's number of the mmap
 * @cut: the record has more bytes than the file
 * @task: in the ring of a CPU: tracing followed a task, as the record says, which enters and leaves
 *        the CPU
 */
struct perf_buffer {
	uint64_t key;
	uint64_t aux_offset;
	uint64_t size;
	uint64_t offset;
	uint64_t record;
	uint64_t reference;
	uint32_t generation;
	uint32_t idx;
	bool cut;
	bool task;
};

/**
 * struct perf_ring - the buffers of one AUX ring
 * @key: the ring
 * @first: buffer[@first], @n of them
 * @generations: 1 + the last buffer's generation
 * @generation: for a walk over AUX records: the current generation
 * @last: likewise: offset of the last AUX record, at @time; 0: not known
 * @seen: likewise: there was a record that is not of a snapshot; @snapshots: one of a snapshot
 * @taken: likewise: buffer of the last snapshot, up to @end; NULL: there was none
 */
struct perf_ring {
	uint64_t key;
	size_t first, n;
	uint32_t generations;
	uint32_t generation;
	uint64_t last, time;
	bool seen, snapshots;
	const struct perf_buffer *taken;
	uint64_t end;
};

/**
 * struct perf_buffers - all buffers of a file
 * @buffer: @n of them, sorted by key, generation, offset, and place in the file
 * @ring: @n_ring of them, sorted by key
 */
struct perf_buffers {
	struct perf_buffer *buffer;
	size_t n;
	struct perf_ring *ring;
	size_t n_ring;
};

/* Adds problems to @file.  Return: 0, -ENOMEM. */
int perf_buffers_init(struct perf_buffers *buffers, struct perf_file *file);

void perf_buffers_fini(struct perf_buffers *buffers);

/* CPU and thread of a ring: one of them is PERF_NO_CPU or PERF_NO_TID. */
uint32_t perf_ring_cpu(uint64_t key);
uint32_t perf_ring_tid(uint64_t key);

/* The ring of a CPU, or else of a thread, or else the only ring there is; NULL: none. */
struct perf_ring *perf_buffers_ring(const struct perf_buffers *buffers, uint32_t cpu, uint32_t tid);

/**
 * perf_ring_find() - find the buffer with the byte at @aux_offset of @ring, in @generation
 *
 * Return: its index; if there is none, that of the next buffer, which may be the one after the last
 * of the generation.
 */
size_t perf_ring_find(const struct perf_buffers *buffers, const struct perf_ring *ring,
		      uint32_t generation, uint64_t aux_offset);

#endif /* PERF_BUFFER_H */
