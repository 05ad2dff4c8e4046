/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace in a perf.data: buffers (PERF_RECORD_AUXTRACE) cut into fragments
 * (PERF_RECORD_AUX), in queues.
 *
 * A queue is one AUX ring: of a CPU, or of a thread.  A fragment is the trace of one enabling of
 * the trace unit.  A decoder is reset (with csf_end(), not csf_reset(), to keep counting) between
 * two fragments, unless the second has PERF_FRAGMENT_PART.
 */
#ifndef PERF_AUX_H
#define PERF_AUX_H

#include "perf-record.h"

/* struct perf_fragment.flags */
#define PERF_FRAGMENT_RAW	0x01	/* bytes of one trace unit; otherwise 16-byte frames */
#define PERF_FRAGMENT_TRUNCATED	0x02	/* more trace was lost after it */
#define PERF_FRAGMENT_OVERWRITE	0x04	/* a snapshot of a ring that is overwritten */
#define PERF_FRAGMENT_PARTIAL	0x08	/* it has gaps */
#define PERF_FRAGMENT_COLLISION	0x10	/* trace may be missing after it */
#define PERF_FRAGMENT_NO_RECORD	0x20	/* it has no AUX record: time and thread are unknown */
#define PERF_FRAGMENT_PART	0x40	/* continues where the fragment before it ended */
#define PERF_FRAGMENT_CUT	0x80	/* its end is missing in the file */
#define PERF_FRAGMENT_TASK	0x100	/* tasks were traced, not CPUs: it is all of one thread */

/**
 * struct perf_fragment - a piece of trace
 * @offset: offset of its first byte in the file
 * @size: bytes, > 0, all in the file; without padding
 * @aux_offset: offset of its first byte in the AUX ring
 * @time: time of its AUX record, perf's clock in ns, when it was complete; 0: unknown
 * @record: file offset of its AUX record; 0: there is none
 * @cpu: the CPU that was traced; PERF_NO_CPU: unknown
 * @pid: the process that was traced; PERF_NO_TID: unknown, or many (per CPU)
 * @tid: thread of the AUX record, or of the buffer; PERF_NO_TID: unknown
 * @queue: index of its queue
 * @flags: PERF_FRAGMENT_x
 */
struct perf_fragment {
	uint64_t offset;
	uint64_t size;
	uint64_t aux_offset;
	uint64_t time;
	uint64_t record;
	uint32_t cpu;
	uint32_t pid, tid;
	uint32_t queue;
	uint32_t flags;
};

/**
 * struct perf_queue - the fragments of one AUX ring
 * @cpu: PERF_NO_CPU: the ring of a thread
 * @tid: PERF_NO_TID: the ring of a CPU
 * @idx: perf's number of the mmap, from its first buffer
 * @first: fragment[@first], @n of them, in the order in which they were written
 * @bytes: total of all of them
 */
struct perf_queue {
	uint32_t cpu, tid;
	uint32_t idx;
	size_t first, n;
	uint64_t bytes;
};

/**
 * struct perf_aux - all trace of a file
 * @fragment: @n_fragment of them, queue by queue
 * @queue: @n_queue of them, by CPU, then by thread
 * @n_record: AUX records with a size
 * @n_empty: AUX records of size 0, which have only flags
 * @n_lost: AUX records whose bytes are missing in the file, wholly or in part
 * @lost_bytes: number of these bytes
 * @beyond_bytes: minimum number of bytes that went through a ring beyond those in the file, without
 *                an AUX record that names them, as an empty record there shows
 * @n_truncated: AUX records with TRUNCATED; the next ones likewise
 * @n_cut: those of them at the end of the bytes that the file has of a ring, where @beyond_bytes
 *         show that the file was too small, not the ring
 * @no_record_bytes: bytes in fragments with PERF_FRAGMENT_NO_RECORD
 */
struct perf_aux {
	struct perf_fragment *fragment;
	size_t n_fragment;
	struct perf_queue *queue;
	size_t n_queue;
	uint64_t n_record, n_empty;
	uint64_t n_lost, lost_bytes;
	uint64_t beyond_bytes, n_cut;
	uint64_t n_truncated, n_partial, n_collision;
	uint64_t no_record_bytes;
};

/**
 * perf_aux_new() - find all trace of a file
 * @file: the problems are added to it; must outlive *@aux
 *
 * Takes time n log n in the number of AUX and AUXTRACE records, and memory in proportion to it.
 * Reads no trace bytes.
 *
 * Return: 0, -ENOMEM.
 */
int perf_aux_new(struct perf_aux **aux, struct perf_file *file);
void perf_aux_free(struct perf_aux *aux);

#endif /* PERF_AUX_H */
