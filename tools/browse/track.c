// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/perf-look.h"
#include "../../perf-plugin/perf-seek.h"
#include "../../perf-plugin/perf-walk.h"
#include "track.h"

/* ---------------------------------------------------------------- parts */

static uint32_t pieces(const struct perf_fragment *f)
{
	return (f->size + PERF_START_ALIGN - 1) / PERF_START_ALIGN;
}

/* Writes the parts to @part; NULL: only counts them.  Small fragments are together in one part. */
static uint32_t cut(const struct perf_queue *q, const struct perf_aux *aux, struct track_part *part)
{
	uint64_t together = PERF_START_ALIGN;
	uint32_t n = 0;

	for (size_t i = q->first; i < q->first + q->n; i++) {
		const struct perf_fragment *f = &aux->fragment[i];

		for (uint32_t k = 0; k < pieces(f); k++) {
			if (together >= PERF_START_ALIGN) {
				if (part)
					part[n] = (struct track_part){ .fragment = i, .piece = k };
				n++;
				together = 0;
			}
			together += PERF_START_ALIGN;
			if (k + 1 == pieces(f) && f->size % PERF_START_ALIGN)
				together += f->size % PERF_START_ALIGN - PERF_START_ALIGN;
		}
	}
	if (part)
		part[n] = (struct track_part){ .fragment = q->first + q->n };
	return n;
}

uint64_t track_offset(const struct track *track, const struct perf_aux *aux, uint32_t i)
{
	const struct track_part *part = &track->part[i];
	uint64_t n = (uint64_t)part->piece * PERF_START_ALIGN;

	for (size_t k = track->first; k < part->fragment; k++)
		n += aux->fragment[k].size;
	return n - track->skipped;
}

void track_crop(struct track *track, const struct perf_aux *aux, uint32_t first, uint32_t end)
{
	const uint64_t from = track_offset(track, aux, first), to = track_offset(track, aux, end);

	track->bytes = to - from;
	track->skipped += from;
	track->n = end - first;
	memmove(track->part, track->part + first, (track->n + 1) * sizeof(*track->part));
}

struct track_part track_warm_up(const struct track *track, const struct perf_aux *aux, uint32_t i)
{
	struct track_part at = track->part[i];
	int64_t left = PERF_SEEK_BEFORE * (int64_t)PERF_START_ALIGN;

	while (left > 0) {
		if (at.piece) {
			at.piece--;
			left -= PERF_START_ALIGN;
			continue;
		}
		if (at.fragment == track->first)
			break;
		at.piece = pieces(&aux->fragment[--at.fragment]) - 1;
		left -= aux->fragment[at.fragment].size - (int64_t)at.piece * PERF_START_ALIGN;
	}
	return at;
}

/* ---------------------------------------------------------------- tracks */

static int add(struct tracks *tracks, const struct perf_replay *replay, size_t queue, uint32_t cpu)
{
	const struct perf_queue *q = &replay->aux->queue[queue];
	struct track *t = realloc(tracks->track, (tracks->n + 1) * sizeof(*t));

	if (!t)
		return -ENOMEM;
	tracks->track = t;
	t += tracks->n;
	*t = (struct track){
		.queue = queue, .cpu = { cpu, cpu }, .tid = q->tid,
		.first = q->first, .bytes = q->bytes,
	};
	t->n = cut(q, replay->aux, NULL);
	t->part = calloc(t->n + 1, sizeof(*t->part));
	if (!t->part)
		return -ENOMEM;
	cut(q, replay->aux, t->part);
	tracks->n++;
	return 0;
}

static bool wanted(const struct perf_replay *replay, uint32_t cpu)
{
	const struct perf_queues_options *o = &replay->queues->options;

	for (size_t i = 0; i < o->n_cpus; i++)
		if (cpu >= o->cpus[i].first && cpu <= o->cpus[i].last)
			return true;
	return !o->n_cpus;
}

/* The trace IDs in fragments, which may be many and long. */
static void look(struct perf_file *file, const struct perf_queue *q,
		 const struct perf_fragment *first, bool *seen)
{
	uint64_t passed = 0;

	for (const struct perf_fragment *f = first; f < first + q->n; f++) {
		const uint64_t n = f->size < TRACK_LOOK ? f->size : TRACK_LOOK;

		perf_look_ids(file->bytes + f->offset, n - n % PERF_FRAME, seen);
		perf_store_pass(file, &passed, f->offset + n);
	}
}

/* The CPUs that may have trace in a queue: the one that the ring is of, and others. */
static int add_queue(struct tracks *tracks, const struct perf_replay *replay, size_t queue)
{
	const struct perf_queue *q = &replay->aux->queue[queue];
	const struct perf_fragment *f = &replay->aux->fragment[q->first];
	struct perf_cs_id id[CSF_ID_MAX];
	bool seen[CSF_ID_MAX] = { false };
	size_t n;
	int err = 0;

	if (q->tid != PERF_NO_TID)
		return add(tracks, replay, queue, PERF_NO_CPU);
	if (f->flags & PERF_FRAGMENT_RAW)
		return wanted(replay, q->cpu) ? add(tracks, replay, queue, q->cpu) : 0;
	n = perf_cs_ids(replay->cs, f, id);
	if (n > 1)
		look(replay->file, q, f, seen);
	for (size_t i = 0; i < n && !err; i++)
		if (wanted(replay, id[i].cpu) && (n == 1 || seen[id[i].id]))
			err = add(tracks, replay, queue, id[i].cpu);
	return err;
}

int tracks_init(struct tracks *tracks, const struct perf_replay *replay)
{
	int err = 0;

	*tracks = (struct tracks){ 0 };
	for (size_t i = 0; replay->cs && i < replay->aux->n_queue && !err; i++)
		if (replay->aux->queue[i].n)
			err = add_queue(tracks, replay, i);
	return err;
}

void tracks_fini(struct tracks *tracks)
{
	for (size_t i = 0; i < tracks->n; i++)
		free(tracks->track[i].part);
	free(tracks->track);
}
