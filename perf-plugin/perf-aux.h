/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace in a perf.data: buffers (PERF_RECORD_AUXTRACE) cut into fragments
 * (PERF_RECORD_AUX), in queues.
 *
 * A queue is one AUX ring: of a CPU, or of a thread.  A fragment is what one
 * enabling of the trace unit wrote: a decoder is reset (csf_end(), not
 * csf_reset(), to keep counting) between two of them, unless the second says
 * PERF_FRAGMENT_PART.
 */
#ifndef PERF_AUX_H
#define PERF_AUX_H

#include "perf-record.h"

/* struct perf_fragment.flags */
#define PERF_FRAGMENT_RAW	0x01	/* bytes of one trace unit; else 16-byte frames */
#define PERF_FRAGMENT_TRUNCATED	0x02	/* there was more, and it is lost */
#define PERF_FRAGMENT_OVERWRITE	0x04	/* a snapshot of a ring that goes round */
#define PERF_FRAGMENT_PARTIAL	0x08	/* there are gaps inside */
#define PERF_FRAGMENT_COLLISION	0x10	/* trace may be missing after it */
#define PERF_FRAGMENT_NO_RECORD	0x20	/* no AUX record says so: time and thread are unknown */
#define PERF_FRAGMENT_PART	0x40	/* goes on where the fragment before it ended */
#define PERF_FRAGMENT_CUT	0x80	/* its end is missing in the file */
#define PERF_FRAGMENT_TASK	0x100	/* tasks were traced, not CPUs: it is all of one thread */

/**
 * struct perf_fragment - a piece of trace
 * @offset: of its first byte in the file
 * @size: bytes, > 0, all of them in the file; padding is not among them
 * @aux_offset: of its first byte in the AUX ring
 * @time: of its AUX record, perf's clock in ns: when it was complete; 0: unknown
 * @record: file offset of its AUX record; 0: there is none
 * @cpu: where it was traced; PERF_NO_CPU: unknown
 * @pid: process that was traced; PERF_NO_TID: unknown, or many (per CPU)
 * @tid: thread of the AUX record, or of the buffer; PERF_NO_TID: unknown
 * @queue: which queue it belongs to
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
 * @idx: perf's number of the mmap, of its first buffer
 * @first: fragment[@first], @n of them, in the order in which they were written
 * @bytes: of all of them
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
 * @n_empty: AUX records of size 0: nothing but flags
 * @n_lost: AUX records whose bytes are not in the file, wholly or in part
 * @lost_bytes: of them
 * @beyond_bytes: at least as many went through a ring beyond what the file has of it, and no AUX
 *	record names them: an empty one lies there
 * @n_truncated: AUX records that say TRUNCATED; and likewise
 * @n_cut: those of them that say so at the end of what the file has of a ring, where @beyond_bytes
 *	say that not the ring was too small for it, but the file
 * @no_record_bytes: in fragments with PERF_FRAGMENT_NO_RECORD
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
 * @file: gets the problems; must outlive what is found
 *
 * Takes n log n time in AUX and AUXTRACE records, memory in proportion to them,
 * and looks at no trace byte.
 *
 * Return: 0, -ENOMEM.
 */
int perf_aux_new(struct perf_aux **aux, struct perf_file *file);
void perf_aux_free(struct perf_aux *aux);

#endif /* PERF_AUX_H */
