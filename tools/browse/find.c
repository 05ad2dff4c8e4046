// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "find.h"
#include "insn.h"

/* Parts that are decoded in one go when looking backward. */
#define TOGETHER	16

/* ---------------------------------------------------------------- blocks */

static bool has_capital(const char *text)
{
	while (*text && !isupper((unsigned char)*text))
		text++;
	return *text;
}

static bool named(const struct find *f, struct perf_code *code, const struct csf_block *b)
{
	struct code_where where;

	code_where(code, b->section, b->offset, &where);
	if (!where.symbol || where.start != b->offset)
		return false;
	return has_capital(f->name) ? strstr(where.symbol, f->name) :
				      strcasestr(where.symbol, f->name);
}

/* The number of the instruction at an offset in a block, from 1. */
static uint16_t insn_at(const struct find *f, struct walk *walk, uint32_t number,
			const struct csf_block *b, const struct window_run *r)
{
	const struct csf_run run = { .space = r->space, .time = r->maps };
	const struct code_at at = {
		.space = r->space, .time = r->maps,
		.addr = csf_block_addr(walk->dec, &run, number),
	};
	struct code_insn insn;

	if (b->isa != CSF_T32)
		return (f->offset - b->offset) / 4 + 1;
	for (uint32_t i = 0; i < b->n_insn; i++) {
		code_insn(walk->replay->image, &at, b, i, &insn);
		if (b->offset + insn.offset == f->offset)
			return i + 1;
	}
	return 0;
}

static uint16_t match(const struct find *f, struct walk *walk, uint32_t number,
		      const struct window_run *r)
{
	struct csf_block b;

	csf_block(walk->replay->image, number, &b);
	if (f->name)
		return named(f, &walk->replay->tasks->code, &b);
	if (b.section != f->section || f->offset < (uint64_t)b.offset ||
	    f->offset - b.offset >= b.size)
		return 0;
	return insn_at(f, walk, number, &b, r);
}

/* Blocks that are new since the last call; @r: where they may be mapped. */
static int learn(struct find *f, struct walk *walk, const struct window_run *r)
{
	const size_t n = (size_t)csf_block_count(walk->replay->image) + 1;

	while (n > f->size)
		if (!array_room(&f->insn, f->size, &f->size, sizeof(*f->insn)))
			return -ENOMEM;
	for (; f->n < n; f->n++)
		f->insn[f->n] = f->n ? match(f, walk, f->n, r) : 0;
	return 0;
}

void find_fini(struct find *f)
{
	free(f->insn);
	f->insn = NULL;
	f->n = 0;
	f->size = 0;
}

/* ---------------------------------------------------------------- in the window */

static bool later(const struct walk_at *at, const struct walk_at *than, int direction)
{
	return walk_compare(at, than) * direction > 0;
}

/* In the part of @at, from there on.  Return: WALK_MOVED, WALK_NONE, -ENOMEM. */
static int find_here(struct find *f, struct walk *walk, struct walk_at *at, int direction)
{
	const struct window *w = walk_window(walk, at->part);

	if (!w)
		return -ENOMEM;
	for (int64_t run = at->run; run >= 0 && run < (int64_t)w->n_run; run += direction) {
		const struct window_run *r = &w->run[run];
		const bool here = run == at->run;
		int64_t step = here ? at->step : direction > 0 ? 0 : r->n;

		if (learn(f, walk, r))
			return -ENOMEM;
		for (; step >= 0 && step <= (int64_t)r->n; step += direction) {
			const uint32_t block =
				step < r->n ? csf_step_block(w->step[r->first + step]) : 0;
			const struct walk_at to = {
				.part = at->part, .run = run, .step = step,
				.insn = f->insn[block] - 1,
			};

			if (!f->insn[block] || !later(&to, at, direction))
				continue;
			*at = to;
			return WALK_MOVED;
		}
	}
	return WALK_NONE;
}

/* ---------------------------------------------------------------- in other parts */

/**
 * struct scan - a search in several parts
 * @number: of the run in its part
 */
struct scan {
	struct find *find;
	struct walk *walk;
	struct window_pass pass;
	struct perf_run run;
	struct window_run where;
	uint32_t part, number;
};

static int scan_begin(struct scan *s, uint32_t first, uint32_t end)
{
	s->part = UINT32_MAX;
	return window_pass_begin(&s->pass, &s->walk->source, s->walk->track, first, end);
}

/* Return: 1: @run is the next run; 0: there is no more; -ENOMEM. */
static int scan_next(struct scan *s)
{
	int ret = window_pass_next(&s->pass, &s->run);

	if (ret <= 0)
		return ret;
	s->number = s->pass.part == s->part ? s->number + 1 : 0;
	s->part = s->pass.part;
	s->where.space = s->run.run.space;
	s->where.maps = s->run.run.time;
	return learn(s->find, s->walk, &s->where) ? -ENOMEM : 1;
}

static void found(const struct scan *s, size_t step, struct walk_at *at)
{
	*at = (struct walk_at){
		.part = s->part, .run = s->number, .step = step,
		.insn = s->find->insn[csf_step_block(s->run.run.step[step])] - 1,
	};
}

/* The first match in a run, or the last. */
static bool in_run(const struct scan *s, int direction, size_t *step)
{
	const struct csf_run *r = &s->run.run;
	const uint16_t *insn = s->find->insn;

	for (size_t i = 0; i < r->n; i++) {
		*step = direction > 0 ? i : r->n - 1 - i;
		if (insn[csf_step_block(r->step[*step])])
			return true;
	}
	return false;
}

/* Parts @first..@end-1.  Return: WALK_MOVED, WALK_NONE, -ENOMEM. */
static int scan_parts(struct scan *s, uint32_t first, uint32_t end, struct walk_at *at,
		      int direction)
{
	int ret = scan_begin(s, first, end), result = WALK_NONE;
	size_t step;

	while (!ret && (ret = scan_next(s)) > 0) {
		ret = 0;
		if (!in_run(s, direction, &step))
			continue;
		found(s, step, at);
		result = WALK_MOVED;
		if (direction > 0)
			return result;
	}
	return ret < 0 ? ret : result;
}

static bool go_on(const struct walk *walk, uint64_t done, uint64_t total)
{
	return !walk->look || walk->look(walk->ctx, done, total);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

int find_next(struct find *f, struct walk *walk, struct walk_at *at, int direction)
{
	struct scan *s = calloc(1, sizeof(*s));
	const uint32_t here = at->part, n = walk->track->n;
	const uint32_t total = direction > 0 ? n - 1 - here : here;
	int ret = s ? find_here(f, walk, at, direction) : -ENOMEM;

	if (s)
		*s = (struct scan){ .find = f, .walk = walk };
	for (uint32_t done = 0; ret == WALK_NONE && done < total; done += TOGETHER) {
		const uint32_t some = smaller(TOGETHER, total - done);
		const uint32_t first = direction > 0 ? here + 1 + done : here - done - some;

		if (!go_on(walk, done, total))
			ret = WALK_STOPPED;
		else
			ret = scan_parts(s, first, first + some, at, direction);
	}
	free(s);
	return ret;
}

/* ---------------------------------------------------------------- all */

static uint64_t time_at(const struct scan *s, size_t step)
{
	const struct csf_run *r = &s->run.run;
	uint64_t time = s->walk->replay->timed ? s->run.after : 0;

	for (size_t i = 0; i < r->n_mark && s->walk->replay->timed; i++) {
		const struct csf_mark *m = &r->mark[i];

		if (m->kind != CSF_MARK_TIME || m->flags & CSF_MARK_UNKNOWN)
			continue;
		if (m->at > r->seq + step)
			break;
		time = perf_replay_time(s->walk->replay, m->value);
	}
	return time;
}

static int add(const struct scan *s, size_t step, uint32_t before, struct find_runs *runs)
{
	struct find_run *one;
	struct csf_block b;

	if (!runs->total++ || runs->n < FIND_MAX) {
		if (!array_room(&runs->run, runs->n, &runs->size, sizeof(*runs->run)))
			return -ENOMEM;
		one = &runs->run[runs->n++];
		*one = (struct find_run){ .time = time_at(s, step), .tid = s->run.who.tid };
		found(s, step, &one->at);
		if (before && !csf_block(s->walk->replay->image, csf_step_block(before), &b)) {
			one->from = b.section;
			one->from_offset = b.offset + b.size - b.last_size;
		}
	}
	return 0;
}

/* @before: the step before the run; it becomes the last of it. */
static int add_run(const struct scan *s, uint32_t *before, struct find_runs *runs)
{
	const struct csf_run *r = &s->run.run;
	int err = 0;

	for (size_t i = 0; i < r->n && !err; i++) {
		if (s->find->insn[csf_step_block(r->step[i])])
			err = add(s, i, i ? r->step[i - 1] : *before, runs);
	}
	if (r->n)
		*before = r->step[r->n - 1];
	if (r->end != CSF_END_FULL && r->end != CSF_END_TIME && r->end != CSF_END_CONTEXT)
		*before = 0;
	return err;
}

int find_all(struct find *f, struct walk *walk, struct find_runs *runs)
{
	struct scan *s = calloc(1, sizeof(*s));
	uint32_t before = 0, part = 0;
	int ret;

	if (!s)
		return -ENOMEM;
	*s = (struct scan){ .find = f, .walk = walk };
	runs->n = 0;
	runs->total = 0;
	ret = scan_begin(s, 0, walk->track->n);
	while (!ret && (ret = scan_next(s)) > 0) {
		ret = add_run(s, &before, runs);
		if (!ret && s->part != part && !go_on(walk, s->part, walk->track->n))
			ret = WALK_STOPPED;
		part = s->part;
	}
	free(s);
	return ret;
}

void find_runs_fini(struct find_runs *runs)
{
	free(runs->run);
	*runs = (struct find_runs){ 0 };
}
