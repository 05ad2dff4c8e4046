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
 * @cpu: PERF_NO_CPU: any; @tid: PERF_NO_TID: the track of a CPU
 * @part: @n of them, and one more that is the end
 * @bytes: of trace
 */
struct track {
	size_t queue;
	uint32_t cpu, tid;
	struct track_part *part;
	uint32_t n;
	uint64_t bytes;
};

struct tracks {
	struct track *track;
	size_t n;
};

/* Those that have trace.  Return: 0, -ENOMEM; tracks_fini() in any case. */
int tracks_init(struct tracks *tracks, const struct perf_replay *replay);
void tracks_fini(struct tracks *tracks);

/* Is the place of @a before that of @b? */
static inline bool track_part_before(const struct track_part *a, const struct track_part *b)
{
	return a->fragment != b->fragment ? a->fragment < b->fragment : a->piece < b->piece;
}

/* Bytes of trace of the queue before part @i. */
uint64_t track_offset(const struct track *track, const struct perf_aux *aux, uint32_t i);

/* Where to begin, so that from part @i on all is as if decoding had begun with the first part. */
struct track_part track_warm_up(const struct track *track, const struct perf_aux *aux, uint32_t i);

#endif /* CSF_TRACK_H */
