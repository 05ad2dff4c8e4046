/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracks of a recording: a CPU's execution, or a thread's where each thread has a ring of its
 * own.  A track is cut into parts, each of which can be decoded by itself.
 */
#ifndef CSF_TRACK_H
#define CSF_TRACK_H

#include "../../perf-plugin/perf-replay.h"

/**
 * struct track_part - where a part begins; it ends where the next one begins
 * @fragment: index in perf_aux
 * @piece: offset in it, in units of PERF_START_ALIGN
 */
struct track_part {
	uint32_t fragment, piece;
};

/**
 * struct track - one of them
 * @queue: index in perf_aux
 * @cpu: one CPU; PERF_NO_CPU: any; @tid: PERF_NO_TID: the track of a CPU
 * @part: @n of them, and one more that is the end
 * @first: the first fragment of the queue; @skipped: bytes of trace before the first part
 * @bytes: of trace, of all parts
 */
struct track {
	size_t queue;
	struct perf_cpus cpu;
	uint32_t tid;
	struct track_part *part;
	uint32_t n;
	size_t first;
	uint64_t skipped, bytes;
};

struct tracks {
	struct track *track;
	size_t n;
};

/*
 * Those that have trace.  Trace of one CPU may be in the ring of another one; the first TRACK_LOOK
 * bytes of each fragment tell whether it is.  Return: 0, -ENOMEM; tracks_fini() in any case.
 */
#define TRACK_LOOK	(256u << 10)
int tracks_init(struct tracks *tracks, const struct perf_replay *replay);
void tracks_fini(struct tracks *tracks);

/* Is the place of @a before that of @b? */
static inline bool track_part_before(const struct track_part *a, const struct track_part *b)
{
	return a->fragment != b->fragment ? a->fragment < b->fragment : a->piece < b->piece;
}

/* Leaves parts @first..@end-1. */
void track_crop(struct track *track, const struct perf_aux *aux, uint32_t first, uint32_t end);

/* Bytes of trace from the first part up to part @i. */
uint64_t track_offset(const struct track *track, const struct perf_aux *aux, uint32_t i);

/* Where to begin, so that from part @i on all is as if decoding had begun with the first part. */
struct track_part track_warm_up(const struct track *track, const struct perf_aux *aux, uint32_t i);

#endif /* CSF_TRACK_H */
