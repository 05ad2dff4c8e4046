// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../../perf-plugin/perf-seek.h"
#include "window.h"

/* ---------------------------------------------------------------- runs of parts */

/* No other queue is decoded. */
static void start(struct window_pass *pass, const struct track_part *at)
{
	struct perf_replay *replay = pass->source->replay;
	const struct perf_aux *aux = replay->aux;
	struct perf_start start = { .fragment = at->fragment };

	for (size_t i = 0; i < aux->n_queue; i++) {
		const struct perf_queue *q = &aux->queue[i];
		const struct perf_start end = { .fragment = q->first + q->n };

		if (i != pass->track->queue && q->n)
			perf_queues_start(replay->queues, i, &end);
	}
	start.pos = (uint64_t)at->piece * PERF_START_ALIGN;
	if (start.pos)
		perf_seek_id(replay, &start, 0, 0);
	perf_queues_start(replay->queues, pass->track->queue, &start);
}

int window_pass_begin(struct window_pass *pass, const struct window_source *source,
		      const struct track *track, uint32_t first, uint32_t end)
{
	const struct track_part at = track_warm_up(track, source->replay->aux, first);
	int err = perf_replay_again(source->replay,
				    track->cpu.first == PERF_NO_CPU ? NULL : &track->cpu);

	/* a little of each part would stay */
	perf_file_drop(source->replay->file);
	*pass = (struct window_pass){
		.source = source, .track = track, .part = first, .end = end,
		.offset = UINT64_MAX, .at = at,
	};
	if (!err)
		start(pass, &at);
	return err;
}

/* The place of a run is that of the packet that ended it; it is not before the run before. */
static void move(struct window_pass *pass, const struct perf_run *run)
{
	const struct perf_fragment *f = run->fragment;
	struct track_part at = { .fragment = f - pass->source->replay->aux->fragment };
	uint64_t pos = pass->offset - f->offset;

	if (pass->offset != UINT64_MAX && pass->offset >= f->offset)
		at.piece = (pos < f->size ? pos : f->size - 1) / PERF_START_ALIGN;
	if (track_part_before(&pass->at, &at))
		pass->at = at;
}

int window_pass_next(struct window_pass *pass, struct perf_run *run)
{
	const struct window_source *source = pass->source;
	const struct track *track = pass->track;
	int ret;

	while ((ret = perf_replay_next(source->replay, run)) > 0) {
		if (track->cpu.first != PERF_NO_CPU && run->stream->cpu != track->cpu.first)
			continue;
		pass->offset = perf_queues_offset(source->replay->queues, run);
		move(pass, run);
		if (track_part_before(&pass->at, &track->part[pass->part]))
			continue;
		while (pass->part < pass->end &&
		       !track_part_before(&pass->at, &track->part[pass->part + 1]))
			pass->part++;
		if (pass->part == pass->end)
			return 0;
		if (!source->wants || source->wants(source->ctx, run))
			return 1;
	}
	return ret;
}

/* ---------------------------------------------------------------- a window */

static int keep_marks(struct window *w, const struct perf_replay *replay, const struct csf_run *run)
{
	const size_t first = w->n_step - run->n;

	for (size_t i = 0; i < run->n_mark; i++) {
		const struct csf_mark *m = &run->mark[i];
		const uint64_t at = m->at > run->seq ? m->at - run->seq : 0;
		const uint64_t time = m->kind == CSF_MARK_TIME && !(m->flags & CSF_MARK_UNKNOWN) &&
				      replay->timed ? perf_replay_time(replay, m->value) : 0;

		if (!time)
			continue;
		if (!array_room(&w->mark, w->n_mark, &w->size_mark, sizeof(*w->mark)))
			return -ENOMEM;
		w->mark[w->n_mark++] = (struct window_mark){
			.step = first + (at < run->n ? at : run->n), .time = time,
		};
	}
	return 0;
}

static int keep_steps(struct window *w, const struct csf_run *run)
{
	if (!run->n)
		return 0;
	if (run->n > UINT32_MAX - w->n_step)
		return -ENOMEM;
	if (w->n_step + run->n > w->size_step) {
		const size_t size = w->n_step + run->n + w->size_step / 2 + 4096;
		uint32_t *step = realloc(w->step, size * sizeof(*step));

		if (!step)
			return -ENOMEM;
		w->step = step;
		w->size_step = size;
	}
	memcpy(w->step + w->n_step, run->step, run->n * sizeof(*run->step));
	w->n_step += run->n;
	return 0;
}

/* The run after the last one that is kept. */
static void follow(struct window *w, const struct perf_run *run)
{
	struct window_run *last = w->n_run ? &w->run[w->n_run - 1] : NULL;

	if (!last)
		return;
	last->next_tid = run->who.tid;
	last->last = run->starts;
	last->truncated = run->starts && run->fragment[-1].flags & PERF_FRAGMENT_TRUNCATED;
}

static int keep(struct window *w, const struct perf_replay *replay, const struct perf_run *run,
		uint64_t offset)
{
	const struct csf_run *r = &run->run;
	const size_t first_mark = w->n_mark;
	int err;

	follow(w, run);
	err = keep_steps(w, r);
	if (!err)
		err = keep_marks(w, replay, r);
	if (err || !array_room(&w->run, w->n_run, &w->size_run, sizeof(*w->run)))
		return -ENOMEM;
	w->run[w->n_run++] = (struct window_run){
		.first = w->n_step - r->n, .n = r->n, .mark = first_mark,
		.n_mark = w->n_mark - first_mark, .offset = offset,
		.maps = r->time, .after = replay->timed ? run->after : 0,
		.before = run->fragment->time,
		.value = r->value, .addr = r->addr, .from = r->from,
		.lost = r->lost, .bytes = r->bytes,
		.pid = run->who.pid, .tid = run->who.tid, .next_tid = run->who.tid,
		.cpu = run->stream->cpu,
		.space = r->space, .flags = r->flags, .end = r->end, .el = r->context.el,
		.in_transaction = r->in_transaction,
	};
	return 0;
}

static int count(struct window *w, const struct csf_image *image)
{
	const size_t n = (size_t)csf_block_count(image) + 1;
	uint32_t *counts = realloc(w->count, n * sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	memset(counts, 0, n * sizeof(*counts));
	for (size_t i = 0; i < w->n_step; i++)
		counts[csf_step_block(w->step[i])]++;
	w->count = counts;
	w->n_count = n;
	return 0;
}

uint32_t window_count(const struct window *w, uint32_t number)
{
	return number < w->n_count ? w->count[number] : 0;
}

int window_load(struct window *w, const struct window_source *source,
		const struct track *track, uint32_t part)
{
	struct window_pass pass;
	struct perf_run run;
	int ret = window_pass_begin(&pass, source, track, part, part + 1);

	w->track = track;
	w->part = part;
	w->n_run = 0;
	w->n_step = 0;
	w->n_mark = 0;
	while (!ret && (ret = window_pass_next(&pass, &run)) > 0)
		ret = keep(w, source->replay, &run, pass.offset);
	/* it is the first of the next part */
	if (!ret && pass.part == pass.end)
		follow(w, &run);
	if (!ret)
		ret = count(w, source->replay->image);
	if (ret)
		w->track = NULL;
	return ret;
}

void window_fini(struct window *w)
{
	free(w->run);
	free(w->step);
	free(w->mark);
	free(w->count);
	*w = (struct window){ 0 };
}
