// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "insn.h"
#include "walk.h"

/* ---------------------------------------------------------------- open and close */

/* Any decoder can tell the addresses of blocks. */
static int make_decoder(struct walk *walk)
{
	const struct perf_cs *cs = walk->replay->cs;
	struct csf_config config;

	for (size_t i = 0; i < cs->n_cpu; i++)
		if (!perf_cs_config(cs, cs->cpu[i].cpu, &config))
			return csf_new(&walk->dec, &config, walk->replay->image) ? -ENOMEM : 0;
	return -ENODATA;
}

int walk_new(struct walk **out, struct perf_replay *replay)
{
	struct walk *walk = calloc(1, sizeof(*walk));
	int err;

	*out = walk;
	if (!walk)
		return -ENOMEM;
	walk->replay = replay;
	walk->source.replay = replay;
	err = tracks_init(&walk->tracks, replay);
	if (!err)
		err = walk->tracks.n ? make_decoder(walk) : -ENODATA;
	if (!err)
		walk->track = &walk->tracks.track[0];
	return err;
}

void walk_free(struct walk *walk)
{
	if (!walk)
		return;
	for (int i = 0; i < WALK_WINDOWS; i++)
		window_fini(&walk->window[i]);
	csf_free(walk->dec);
	tracks_fini(&walk->tracks);
	free(walk);
}

/* The window that was used longest ago, but not @keep; -1: all others are empty. */
static int oldest(const struct walk *walk, int keep, bool empty)
{
	int old = -1;

	for (int i = 0; i < WALK_WINDOWS; i++)
		if (i != keep && (empty || walk->window[i].n_step) &&
		    (old < 0 || walk->used[i] < walk->used[old]))
			old = i;
	return old;
}

static void bound(struct walk *walk, int keep)
{
	size_t n = 0;
	int old;

	for (int i = 0; i < WALK_WINDOWS; i++)
		n += walk->window[i].n_step;
	while (n > WALK_STEPS && (old = oldest(walk, keep, false)) >= 0) {
		n -= walk->window[old].n_step;
		window_fini(&walk->window[old]);
	}
}

const struct window *walk_window(struct walk *walk, uint32_t part)
{
	struct window *w;
	int i = 0;

	walk->now++;
	while (i < WALK_WINDOWS &&
	       (walk->window[i].track != walk->track || walk->window[i].part != part))
		i++;
	if (i < WALK_WINDOWS) {
		walk->used[i] = walk->now;
		return &walk->window[i];
	}
	i = oldest(walk, -1, true);
	w = &walk->window[i];
	walk->used[i] = walk->now;
	if (window_load(w, &walk->source, walk->track, part))
		return NULL;
	bound(walk, i);
	return w;
}

/* ---------------------------------------------------------------- events */

static const struct window_run *run_at(const struct window *w, const struct walk_at *at)
{
	return at->run < w->n_run ? &w->run[at->run] : NULL;
}

/* What the end of a run is; WALK_INSN: nothing to be seen. */
static enum walk_kind end_kind(const struct window_run *r)
{
	switch ((enum csf_end_kind)r->end) {
	case CSF_END_GAP:
		return WALK_GAP;
	case CSF_END_EXCEPTION:
		return WALK_EXCEPTION;
	case CSF_END_TRANSACTION:
		return WALK_TRANSACTION;
	case CSF_END_Q:
		return WALK_UNKNOWN;
	case CSF_END_FULL:
	case CSF_END_CONTEXT:
	case CSF_END_TIME:
	case CSF_END_TRACE:
	case CSF_END_CODE:
		break;
	}
	if (r->last)
		return WALK_BUFFER;
	return r->tid != r->next_tid ? WALK_SWITCH : WALK_INSN;
}

static bool end_shows(const struct window_run *r)
{
	return end_kind(r) != WALK_INSN;
}

/* Is there an item at step @step of run @run of @w? */
static bool shows(const struct window *w, size_t run, uint32_t step)
{
	return step < w->run[run].n || end_shows(&w->run[run]);
}

/* ---------------------------------------------------------------- steps */

/* The next item of the same window.  Return: there is one. */
static bool next_in(const struct window *w, struct walk_at *at)
{
	uint32_t step = at->step + 1;

	for (size_t run = at->run; run < w->n_run; run++, step = 0) {
		if (step > w->run[run].n || !shows(w, run, step))
			continue;
		at->run = run;
		at->step = step;
		return true;
	}
	return false;
}

static bool before_in(const struct window *w, struct walk_at *at)
{
	int64_t run = at->run, step = (int64_t)at->step - 1;

	for (;;) {
		while (step < 0) {
			if (--run < 0)
				return false;
			step = w->run[run].n;
			if (!end_shows(&w->run[run]))
				step--;
		}
		at->run = run;
		at->step = step;
		return true;
	}
}

/* The first, or last, item of a window. */
static bool edge_of(const struct window *w, struct walk_at *at, int direction)
{
	if (!w->n_run)
		return false;
	at->run = direction > 0 ? 0 : w->n_run - 1;
	if (direction > 0) {
		at->step = 0;
		return shows(w, 0, 0) || next_in(w, at);
	}
	at->step = w->run[at->run].n;
	return end_shows(&w->run[at->run]) || before_in(w, at);
}

/* The first item of a part after @part, or the last one of a part before it. */
static int next_part(struct walk *walk, int64_t part, struct walk_at *at, int direction)
{
	struct walk_at to;

	for (; part >= 0 && part < walk->track->n; part += direction) {
		const struct window *w = walk_window(walk, part);

		if (!w)
			return -ENOMEM;
		to = (struct walk_at){ .part = part };
		if (!edge_of(w, &to, direction))
			continue;
		*at = to;
		return WALK_MOVED;
	}
	return WALK_NONE;
}

/* The instruction of a step that one comes to. */
static int enter(struct walk *walk, struct walk_at *at, int direction)
{
	struct csf_block b;
	bool taken;

	at->insn = 0;
	if (direction < 0 && walk_block(walk, at, &b, &taken))
		at->insn = b.n_insn - 1;
	return WALK_MOVED;
}

int walk_step(struct walk *walk, struct walk_at *at, int direction)
{
	const struct window *w = walk_window(walk, at->part);
	struct walk_at to = *at;
	int ret = WALK_MOVED;

	if (!w)
		return -ENOMEM;
	if (!(direction > 0 ? next_in(w, &to) : before_in(w, &to)))
		ret = next_part(walk, (int64_t)at->part + direction, &to, direction);
	if (ret != WALK_MOVED)
		return ret;
	*at = to;
	return enter(walk, at, direction);
}

int walk_end(struct walk *walk, struct walk_at *at, int direction)
{
	const int64_t from = direction > 0 ? 0 : (int64_t)walk->track->n - 1;
	int ret = next_part(walk, from, at, direction);

	return ret == WALK_MOVED ? enter(walk, at, direction) : ret;
}

int walk_insn(struct walk *walk, struct walk_at *at, int direction)
{
	struct csf_block b;
	bool taken;

	if (direction < 0 && at->insn) {
		at->insn--;
		return WALK_MOVED;
	}
	if (direction > 0 && walk_block(walk, at, &b, &taken) && at->insn + 1 < b.n_insn) {
		at->insn++;
		return WALK_MOVED;
	}
	return walk_step(walk, at, direction);
}

/* ---------------------------------------------------------------- items */

const struct window_run *walk_run(struct walk *walk, const struct walk_at *at)
{
	const struct window *w = walk_window(walk, at->part);

	return w ? run_at(w, at) : NULL;
}

/* The step at a place; 0: it is an event. */
static uint32_t step_at(struct walk *walk, const struct walk_at *at)
{
	const struct window *w = walk_window(walk, at->part);
	const struct window_run *r = w ? run_at(w, at) : NULL;

	return r && at->step < r->n ? w->step[r->first + at->step] : 0;
}

bool walk_block(struct walk *walk, const struct walk_at *at, struct csf_block *block, bool *taken)
{
	const uint32_t step = step_at(walk, at);

	*taken = csf_step_taken(step);
	return step && !csf_block(walk->replay->image, csf_step_block(step), block);
}

/* The last time at a place or before it, in its run. */
static uint64_t time_at(const struct window *w, const struct window_run *r, uint32_t step)
{
	uint64_t time = r->after;

	for (uint32_t i = 0; i < r->n_mark; i++) {
		const struct window_mark *m = &w->mark[r->mark + i];

		if (m->step > r->first + step)
			break;
		time = m->time;
	}
	return time;
}

static void look_insn(struct walk *walk, const struct walk_at *at, struct walk_item *item)
{
	const struct window_run *r = item->run;
	const struct csf_run run = { .space = r->space, .time = r->maps };
	struct csf_block b;
	struct code_at code = { .space = r->space, .time = r->maps };
	struct code_insn insn;
	bool taken;

	walk_block(walk, at, &b, &taken);
	item->kind = WALK_INSN;
	item->block = csf_step_block(step_at(walk, at));
	item->isa = b.isa;
	item->section = b.section;
	item->n_insn = b.n_insn;
	code.addr = csf_block_addr(walk->dec, &run, item->block);
	item->no_code = !code_insn(walk->replay->image, &code, &b, at->insn, &insn);
	item->size = insn.size;
	item->opcode = insn.opcode;
	item->offset = b.offset + insn.offset;
	item->addr = code.addr + insn.offset;
}

int walk_look(struct walk *walk, const struct walk_at *at, struct walk_item *item)
{
	const struct window *w = walk_window(walk, at->part);

	*item = (struct walk_item){ 0 };
	if (!w)
		return -ENOMEM;
	item->run = run_at(w, at);
	item->time = time_at(w, item->run, at->step);
	if (at->step < item->run->n) {
		look_insn(walk, at, item);
		return 0;
	}
	item->kind = end_kind(item->run);
	item->addr = item->run->addr;
	return 0;
}

/* ---------------------------------------------------------------- places by time and share */

/* The time of the first item of a part that has one; 0: not known. */
static int time_of_part(struct walk *walk, uint32_t part, uint64_t *time)
{
	const struct window *w = walk_window(walk, part);

	*time = 0;
	if (!w)
		return -ENOMEM;
	for (size_t i = 0; i < w->n_run && !*time; i++)
		*time = time_at(w, &w->run[i], 0);
	return 0;
}

/* The last part that begins before @time. */
static int part_of_time(struct walk *walk, uint64_t time, uint32_t *part)
{
	uint32_t low = 0, high = walk->track->n;
	uint64_t begin;
	int err;

	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		err = time_of_part(walk, middle, &begin);
		if (err)
			return err;
		if (begin && begin < time)
			low = middle;
		else
			high = middle;
	}
	*part = low;
	return 0;
}

int walk_time(struct walk *walk, struct walk_at *at, uint64_t time)
{
	struct walk_at to = { 0 }, last;
	uint32_t part;
	int ret = part_of_time(walk, time, &part);

	if (!ret)
		ret = next_part(walk, part, &to, WALK_FORWARD);
	for (last = to; ret == WALK_MOVED;) {
		const struct window *w = walk_window(walk, to.part);

		if (!w)
			return -ENOMEM;
		last = to;
		if (time_at(w, &w->run[to.run], to.step) >= time)
			break;
		ret = walk_step(walk, &to, WALK_FORWARD);
	}
	if (ret < 0)
		return ret;
	*at = last;
	return WALK_MOVED;
}

/* In the part of @at, to the step that so many of its steps are before. */
static int to_share(struct walk *walk, struct walk_at *at, double share)
{
	const struct window *w = walk_window(walk, at->part);
	size_t step;

	if (!w)
		return -ENOMEM;
	step = share * w->n_step;
	for (size_t i = at->run; i < w->n_run; i++)
		if (w->run[i].first <= step && step - w->run[i].first < w->run[i].n)
			*at = (struct walk_at){
				.part = at->part, .run = i, .step = step - w->run[i].first,
			};
	return WALK_MOVED;
}

int walk_percent(struct walk *walk, struct walk_at *at, double percent)
{
	const struct track *t = walk->track;
	uint32_t low = 0, high = t->n;
	struct walk_at to;
	double share;
	int ret;

	if (percent >= 100)
		return walk_end(walk, at, WALK_BACK);
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (track_offset(t, walk->replay->aux, middle) <= t->bytes * percent / 100)
			low = middle;
		else
			high = middle;
	}
	ret = next_part(walk, low, &to, WALK_FORWARD);
	if (ret != WALK_MOVED)
		return ret;
	*at = to;
	share = t->bytes * percent / 100 - track_offset(t, walk->replay->aux, low);
	share /= track_offset(t, walk->replay->aux, low + 1) -
		 track_offset(t, walk->replay->aux, low);
	return to.part == low ? to_share(walk, at, share) : ret;
}

int walk_limit(struct walk *walk, uint64_t from, uint64_t until)
{
	const struct track *before = walk->track;
	int err = 0;

	for (size_t i = 0; i < walk->tracks.n && !err && walk->replay->timed; i++) {
		struct track *t = &walk->tracks.track[i];
		uint32_t first, last;

		walk->track = t;
		err = part_of_time(walk, from, &first);
		if (!err)
			err = part_of_time(walk, until == UINT64_MAX ? until : until + 1, &last);
		if (err)
			break;
		track_crop(t, walk->replay->aux, first, last + 1);
		for (int k = 0; k < WALK_WINDOWS; k++)
			window_fini(&walk->window[k]);
	}
	walk->track = before;
	return err;
}

double walk_progress(struct walk *walk, const struct walk_at *at)
{
	const struct track *t = walk->track;
	const uint64_t from = track_offset(t, walk->replay->aux, at->part);
	const uint64_t to = track_offset(t, walk->replay->aux, at->part + 1);
	const struct window *w = walk_window(walk, at->part);
	const struct window_run *r = w ? run_at(w, at) : NULL;
	double share = r && w->n_step ? (r->first + (double)at->step) / w->n_step : 0;

	return t->bytes ? 100 * (from + share * (to - from)) / t->bytes : 0;
}
