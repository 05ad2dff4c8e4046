// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/lower-bound.h"
#include "../../perf-plugin/array.h"
#include "loop-rounds.h"

/**
 * struct loop_visit - a visit of a thread to a loop
 * @frame: its frame, counted from the first one ever
 * @loop: index + 1
 * @whole: its beginning is known
 */
struct loop_visit {
	uint64_t frame, rounds;
	uint32_t loop;
	bool whole;
};

void loop_rounds_init(struct loop_rounds *r, struct loops *loops, const struct count_table *table)
{
	*r = (struct loop_rounds){ .loops = loops, .table = table };
}

void loop_rounds_fini(struct loop_rounds *r)
{
	free(r->in_loop);
	free(r->first);
	free(r->file);
	*r = (struct loop_rounds){ 0 };
}

/* ---------------------------------------------------------------- blocks */

/* The number in the table of a file of contexts; @table->n: it is not there.  -ENOMEM */
static long file_of(struct loop_rounds *r, const struct context_code *code, uint32_t dso)
{
	const struct count_table *files = &code->contexts->files;

	if (dso == CONTEXT_NOWHERE)
		return r->table->n;
	if (dso >= r->n_file) {
		if (!array_zeros(&r->file, r->n_file, files->n + 8, sizeof(*r->file)))
			return -ENOMEM;
		r->n_file = files->n + 8;
	}
	if (!r->file[dso])
		r->file[dso] = count_dso_like(r->table, &files->dso[dso]) + 1;
	return r->file[dso] - 1;
}

/* The first piece of a loop that ends after @offset. */
static size_t first_node(const struct loops *loops, size_t dso, uint64_t offset)
{
	const struct loop_node *all = loops->node;

	return LOWER_BOUND(loops->n_node, i,
			   all[i].dso < dso || (all[i].dso == dso && all[i].end <= offset));
}

static bool add_block(struct loop_rounds *r, size_t first, uint32_t loop, bool is_in)
{
	const struct loop_block *last = r->n_in_loop > first ? &r->in_loop[r->n_in_loop - 1] : NULL;

	if (last && last->loop == loop && !is_in)
		return true;
	if (!array_room(&r->in_loop, r->n_in_loop, &r->size_in_loop, sizeof(*r->in_loop)))
		return false;
	r->in_loop[r->n_in_loop++] = (struct loop_block){ loop, is_in };
	return true;
}

/* Learns the parts of a block that are in loops, and that are not, in order. */
static int learn_block(struct loop_rounds *r, const struct context_code *code,
		       const struct context_block *b)
{
	const long dso = b->size ? file_of(r, code, b->at.dso) : 0;
	const size_t first = r->n_in_loop;
	const uint64_t end = b->at.offset + b->size;
	uint64_t at = b->at.offset;
	bool ok = dso >= 0;

	for (size_t i = ok ? first_node(r->loops, dso, at) : 0; at < end && ok; i++) {
		const struct loop_node *n = &r->loops->node[i];

		if (i == r->loops->n_node || n->dso != (size_t)dso || n->start >= end) {
			ok = add_block(r, first, 0, false);
			break;
		}
		ok = (n->start <= at || add_block(r, first, 0, false)) &&
		     add_block(r, first, n->loop, n->is_in);
		at = n->end;
	}
	return ok ? 0 : -ENOMEM;
}

static int learn(struct loop_rounds *r, const struct context_code *code)
{
	int err = 0;

	if (code->n + 1 > r->size_block) {
		size_t size = 2 * code->n + 1024;

		if (!array_zeros(&r->first, r->size_block, size, sizeof(*r->first)))
			return -ENOMEM;
		r->size_block = size;
	}
	for (; r->n_block < code->n && !err; r->n_block++) {
		err = learn_block(r, code, &code->block[r->n_block]);
		r->first[r->n_block + 1] = r->n_in_loop;
	}
	return err;
}

/* ---------------------------------------------------------------- visits */

static void count(struct loop_rounds *r, const struct loop_visit *v, bool whole)
{
	struct loop *l = &r->loops->loop[v->loop - 1];

	if (!whole || !v->whole) {
		l->cut++;
		return;
	}
	if (!l->whole++ || v->rounds < l->least)
		l->least = v->rounds;
	if (v->rounds > l->most)
		l->most = v->rounds;
	l->rounds = count_sum(l->rounds, v->rounds);
}

/* The innermost visit of a frame; NULL: none. */
static struct loop_visit *innermost(const struct context_thread *t, uint64_t frame)
{
	struct loop_visit *v = t->n_visit ? &t->visit[t->n_visit - 1] : NULL;

	return v && v->frame == frame ? v : NULL;
}

/* Ends visits of frames that are gone, or whose execution is unknown. */
static void leave_frames(struct loop_rounds *r, struct context_thread *t)
{
	const uint64_t n = t->n < t->n_sure ? t->n : t->n_sure;
	size_t i = t->n_visit, k = 0;

	for (; i && t->visit[i - 1].frame >= t->n_gone + n; i--)
		count(r, &t->visit[i - 1], t->visit[i - 1].frame - t->n_gone < t->n_sure);
	t->n_visit = i;
	/* the outermost frames are forgotten if there are too many */
	while (k < i && t->visit[k].frame < t->n_gone)
		count(r, &t->visit[k++], false);
	if (k) {
		t->n_visit -= k;
		memmove(t->visit, t->visit + k, t->n_visit * sizeof(*t->visit));
	}
}

static bool is_inside(const struct loops *loops, uint32_t loop, uint32_t outer)
{
	while (loop && loop != outer)
		loop = loops->loop[loop - 1].parent;
	return loop;
}

static int room(struct loop_rounds *r, struct context_thread *t, size_t n)
{
	if (t->n_visit + n > LOOP_VISITS_MAX) {
		size_t half = t->n_visit / 2;

		for (size_t i = 0; i < half; i++)
			count(r, &t->visit[i], false);
		t->n_visit -= half;
		memmove(t->visit, t->visit + half, t->n_visit * sizeof(*t->visit));
	}
	for (size_t i = 0; i < n; i++)
		if (!array_room(&t->visit, t->n_visit + i, &t->size_visit, sizeof(*t->visit)))
			return -ENOMEM;
	return 0;
}

/*
 * Enters a loop, and those around it up to the one that the thread is already in.  The way into a
 * loop is in no deeper loop; for the loops around it, the way in is unknown.
 */
static int come_in(struct loop_rounds *r, struct context_thread *t, uint64_t frame,
		   const struct loop_block *at, bool sure)
{
	const struct loop *loop = r->loops->loop;
	const struct loop_visit *in = innermost(t, frame);
	uint32_t n = 0, to = at->loop;

	for (uint32_t l = to; l != (in ? in->loop : 0) && n < LOOP_VISITS_MAX / 2; n++)
		l = loop[l - 1].parent;
	if (room(r, t, n))
		return -ENOMEM;
	t->n_visit += n;
	for (size_t i = t->n_visit; n--; to = loop[to - 1].parent)
		t->visit[--i] = (struct loop_visit){ .frame = frame, .loop = to };
	t->visit[t->n_visit - 1].whole = sure && at->is_in;
	t->visit[t->n_visit - 1].rounds = at->is_in;
	return 0;
}

/* Execution goes on in @at; @sure: the previous block is known. */
static int pass(struct loop_rounds *r, struct context_thread *t, const struct loop_block *at,
		bool sure)
{
	const uint64_t frame = t->n_gone + t->n - 1;
	struct loop_visit *v = innermost(t, frame);

	if (v && v->loop == at->loop) {
		v->rounds += at->is_in;
		return 0;
	}
	for (; v && !is_inside(r->loops, at->loop, v->loop); v = innermost(t, frame)) {
		count(r, v, true);
		t->n_visit--;
	}
	if (v && v->loop == at->loop)
		v->rounds += at->is_in;
	else if (at->loop)
		return come_in(r, t, frame, at, sure);
	return 0;
}

int loop_rounds_add(struct loop_rounds *r, const struct context_code *code,
		    struct context_thread *t, const uint32_t *step, const uint32_t *end)
{
	bool sure = t->n_sure >= t->n;
	int err = step < end ? learn(r, code) : 0;

	if (step == end || err)
		return err;
	leave_frames(r, t);
	t->n_sure = CONTEXT_SURE;
	for (; step < end && !err; step++) {
		const uint32_t b = csf_step_block(*step);

		for (size_t i = r->first[b]; i < r->first[b + 1] && !err; i++) {
			err = pass(r, t, &r->in_loop[i], sure);
			sure = true;
		}
	}
	if (!err && code->info[end[-1]] >> STEP_SHIFT == STEP_RETURN)
		err = pass(r, t, &(struct loop_block){ 0 }, true);
	return err;
}

void loop_rounds_end(struct loop_rounds *r, struct context_thread *t)
{
	while (t->n_visit)
		count(r, &t->visit[--t->n_visit], false);
}
