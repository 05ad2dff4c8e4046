// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "count-fill-parts.h"

/* Steps of a transaction kept until its outcome is known. */
#define JOURNAL_MAX	(1u << 20)

/**
 * struct fill_state - the state of a stream
 * @step: the last step, if its target is needed; else 0
 * @going: execution goes on after the previous code
 * @half: 1: in the second half
 * @journal: steps of a transaction; above 32 bits, the edge that led there: index + 1; a step of 0:
 *           only that
 * @unsure: the journal is incomplete
 */
struct fill_state {
	uint32_t step;
	bool going, unsure;
	uint8_t half;
	uint64_t *journal;
	size_t n, size;
};

void fill_free_counters(struct count_fill *fill)
{
	for (size_t i = 0; i < fill->n_state; i++)
		free(fill->state[i].journal);
	free(fill->state);
	free(fill->ran[0]);
	free(fill->ran[1]);
	free(fill->look);
	free(fill->last);
	free(fill->place);
	free(fill->path);
	free(fill->turn);
	free(fill->edge);
	free(fill->by_key.slot);
}

/* ---------------------------------------------------------------- blocks */

/* Makes room for @n blocks. */
static int grow_blocks(struct count_fill *fill, size_t n)
{
	const size_t was = fill->size_block, size = 2 * n + 1024;

	if (n <= was)
		return 0;
	if (!array_zeros(&fill->ran[0], 2 * was, 2 * size, sizeof(**fill->ran)) ||
	    !array_zeros(&fill->ran[1], 2 * was, 2 * size, sizeof(**fill->ran)) ||
	    !array_zeros(&fill->look, 2 * was, 2 * size, sizeof(*fill->look)) ||
	    !array_zeros(&fill->last, was, size, sizeof(*fill->last)) ||
	    !array_zeros(&fill->place, was, size, sizeof(*fill->place)))
		return -ENOMEM;
	fill->size_block = size;
	return 0;
}

static int learn_blocks(struct count_fill *fill, const struct fill_block *block, size_t n)
{
	/* number 0 is not used */
	if (!fill->n_block)
		fill->n_block = 1;
	if (grow_blocks(fill, fill->n_block + n))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		fill->place[fill->n_block] = block[i].place;
		fill->look[2 * fill->n_block + 1] = block[i].look;
		fill->n_block++;
	}
	return 0;
}

/* ---------------------------------------------------------------- edges */

static uint64_t hash_of(uint32_t from, uint32_t section, uint64_t offset)
{
	return hash_mix(hash_mix(0, (uint64_t)from << 32 | section), offset);
}

/* Finds or makes the edge from a block to a place.  Return: index + 1; 0: no memory. */
static uint32_t edge_to(struct count_fill *fill, uint32_t from, const struct fill_place *to)
{
	const struct fill_edge *e;
	uint32_t *slot;

	if (!array_room(&fill->edge, fill->n_edge, &fill->size_edge, sizeof(*fill->edge)))
		return 0;
	e = fill->edge;
	if (!HASH_ROOM(&fill->by_key, fill->n_edge, 1, i,
		       hash_of(e[i - 1].from, e[i - 1].section, e[i - 1].offset)))
		return 0;
	slot = HASH_SLOT(&fill->by_key, hash_of(from, to->section, to->offset), i,
			 e[i - 1].from == from && e[i - 1].section == to->section &&
			 e[i - 1].offset == to->offset);
	if (!*slot) {
		fill->edge[fill->n_edge] = (struct fill_edge){
			.from = from, .section = to->section, .offset = to->offset,
		};
		*slot = ++fill->n_edge;
	}
	return *slot;
}

/* Counts an edge.  Most branches go to their last target.  Return: as edge_to(). */
static inline uint32_t follow(struct count_fill *fill, uint32_t from, const struct fill_place *to)
{
	uint32_t i = fill->last[from];

	if (!i || fill->edge[i - 1].offset != to->offset ||
	    fill->edge[i - 1].section != to->section) {
		i = edge_to(fill, from, to);
		fill->last[from] = i;
	}
	if (i)
		fill->edge[i - 1].count += fill->weight;
	return i;
}

int fill_lead(struct count_fill *fill, size_t stream, const struct fill_place *to)
{
	const uint32_t step = fill->state[stream].step;

	return step && !follow(fill, csf_step_block(step), to) ? -ENOMEM : 0;
}

/* ---------------------------------------------------------------- steps */

static void remember(struct fill_state *s, uint64_t step, uint32_t edge)
{
	if (s->n == s->size && !s->unsure) {
		size_t size = s->size ? 2 * s->size : 256;

		if (s->n == JOURNAL_MAX ||
		    !array_zeros(&s->journal, s->size, size, sizeof(uint64_t)))
			s->unsure = true;
		else
			s->size = size;
	}
	if (!s->unsure)
		s->journal[s->n++] = (uint64_t)edge << 32 | step;
}

/* The same in a transaction: kept in the journal. */
static int walk_transaction(struct count_fill *fill, struct fill_state *s, const uint32_t *steps,
			    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t step = steps[i], edge = 0;

		if (s->step) {
			edge = follow(fill, csf_step_block(s->step),
				      &fill->place[csf_step_block(step)]);
			if (!edge)
				return -ENOMEM;
		}
		fill->ran[s->half][step]++;
		s->step = fill->look[step] ? step : 0;
		remember(s, step, edge);
		if (s->unsure)
			fill->stat[COUNT_UNSURE]++;
	}
	return 0;
}

static int walk_steps(struct count_fill *fill, struct fill_state *s, const uint32_t *steps,
		      size_t n)
{
	const uint8_t *look = fill->look;
	const uint64_t weight = fill->weight;
	uint64_t *ran = fill->ran[s->half];
	uint32_t open = s->step;

	for (size_t i = 0; i < n; i++) {
		uint32_t step = steps[i];

		if (open && !follow(fill, csf_step_block(open), &fill->place[csf_step_block(step)]))
			return -ENOMEM;
		ran[step] += weight;
		open = look[step] ? step : 0;
	}
	s->step = open;
	return 0;
}

/* ---------------------------------------------------------------- paths */

/* Learns paths up to @last.  Blocks must be learned after @last was read: threads add both. */
static int learn_paths(struct count_fill *fill, uint32_t last)
{
	const struct csf_image *image = fill->code->image;
	const size_t n = (size_t)last + 1;

	if (n > fill->size_path) {
		const size_t size = 2 * n + 1024;

		if (!array_zeros(&fill->path, fill->size_path, size, sizeof(*fill->path)))
			return -ENOMEM;
		fill->size_path = size;
	}
	if (!fill->turn) {
		fill->turn = calloc(FILL_TURNS, sizeof(*fill->turn));
		if (!fill->turn)
			return -ENOMEM;
		/* number 0 is not used */
		fill->n_path = 1;
	}
	for (; fill->n_path < n; fill->n_path++) {
		struct fill_path *p = &fill->path[fill->n_path];
		const uint32_t *step;
		const size_t steps = csf_path(image, fill->n_path, &step);

		p->open = fill->look[step[steps - 1]] ? step[steps - 1] : 0;
		for (size_t i = 0; i + 1 < steps; i++)
			if (fill->look[step[i]])
				p->open = FILL_WALKED;
	}
	return 0;
}

/* Counts @n times that the path @path came after the step @from.  Return: 0 or -ENOMEM. */
static int count_turns(struct count_fill *fill, uint32_t from, uint32_t path, uint64_t n)
{
	const uint32_t *step;
	uint32_t edge;

	if (!n)
		return 0;
	csf_path(fill->code->image, path, &step);
	edge = edge_to(fill, from >> 1, &fill->place[csf_step_block(*step)]);
	if (!edge)
		return -ENOMEM;
	fill->edge[edge - 1].count += n;
	return 0;
}

/* Another step comes before @p from now on.  Return: 0 or -ENOMEM. */
static int set_aside(struct count_fill *fill, struct fill_path *p)
{
	const uint32_t path = p - fill->path;
	struct fill_turn *t;

	if (!p->same)
		return 0;
	t = &fill->turn[(p->from * 0x9e3779b1u ^ path * 0x85ebca77u) >> (32 - FILL_TURN_BITS)];
	if (t->from != p->from || t->path != path) {
		if (count_turns(fill, t->from, t->path, t->n))
			return -ENOMEM;
		*t = (struct fill_turn){ .from = p->from, .path = path };
	}
	t->n += p->same;
	p->same = 0;
	return 0;
}

int fill_settle_paths(struct count_fill *fill)
{
	for (uint32_t i = 1; i < fill->n_path; i++) {
		struct fill_path *p = &fill->path[i];

		if (count_turns(fill, p->from, i, p->same))
			return -ENOMEM;
		p->same = 0;
	}
	for (size_t i = 0; i < FILL_TURNS && fill->turn; i++) {
		struct fill_turn *t = &fill->turn[i];

		if (count_turns(fill, t->from, t->path, t->n))
			return -ENOMEM;
		t->n = 0;
	}
	return 0;
}

/* Walks successive paths.  Return: how many; -ENOMEM. */
static long walk_paths(struct count_fill *fill, struct fill_state *s, const uint32_t *steps,
		       size_t n)
{
	const uint8_t half = s->half;
	const uint64_t weight = fill->weight;
	uint32_t open = s->step;
	size_t i = 0;

	for (; i < n && steps[i] & CSF_PATH; i++) {
		struct fill_path *p = &fill->path[steps[i] & ~CSF_PATH];

		if (p->open == FILL_WALKED)
			break;
		if (open && open != p->from) {
			if (set_aside(fill, p))
				return -ENOMEM;
			p->from = open;
		}
		p->same += open ? weight : 0;
		p->ran[half] += weight;
		open = p->open;
	}
	s->step = open;
	return i;
}

/* Walks steps, some of which are paths. */
static int walk(struct count_fill *fill, struct fill_state *s, const struct fill_run *run,
		const uint32_t *step)
{
	int (*const each)(struct count_fill *fill, struct fill_state *s, const uint32_t *steps,
			  size_t n) = run->in_transaction ? walk_transaction : walk_steps;
	const uint32_t *const end = step + run->n;

	while (step < end) {
		const uint32_t *next = step, *steps;
		long paths = 0;
		size_t n;

		while (next < end && !(*next & CSF_PATH))
			next++;
		if (each(fill, s, step, next - step))
			return -ENOMEM;
		if (!run->in_transaction)
			paths = walk_paths(fill, s, next, end - next);
		if (paths < 0)
			return -ENOMEM;
		step = next + paths;
		if (paths || step == end)
			continue;
		n = csf_path(fill->code->image, *step++, &steps);
		if (each(fill, s, steps, n))
			return -ENOMEM;
	}
	return 0;
}

/* Discards the execution since the start of the transaction. */
static void undo(struct count_fill *fill, struct fill_state *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const uint32_t edge = s->journal[i] >> 32, step = s->journal[i];

		if (step) {
			fill->ran[s->half][step]--;
			fill->stat[COUNT_FAILED]++;
		}
		if (edge)
			fill->edge[edge - 1].count--;
	}
}

/* ---------------------------------------------------------------- ends */

/* Follows the last branch to a place that no step has. */
static int follow_end(struct count_fill *fill, struct fill_state *s, const struct fill_run *run)
{
	uint32_t edge;

	if (!s->step || run->leads == FILL_NOWHERE ||
	    (run->leads == FILL_BY_CODE && fill->look[s->step] != FILL_FAR))
		return 0;
	edge = follow(fill, csf_step_block(s->step), &run->to);
	if (!edge)
		return -ENOMEM;
	if (run->in_transaction)
		remember(s, 0, edge);
	return 0;
}

static void stop(struct fill_state *s)
{
	s->step = 0;
	s->going = false;
}

static void end_transaction(struct count_fill *fill, struct fill_state *s, uint64_t what)
{
	if (what == CSF_TRANS_FAIL) {
		undo(fill, s);
		stop(s);
	}
	s->n = 0;
	s->unsure = false;
}

static int end(struct count_fill *fill, struct fill_state *s, const struct fill_run *run)
{
	int err;

	switch ((enum csf_end_kind)run->end) {
	case CSF_END_FULL:
	case CSF_END_CONTEXT:
	case CSF_END_TIME:
	case CSF_END_CODE:
		return 0;
	case CSF_END_TRANSACTION:
		end_transaction(fill, s, run->value);
		return 0;
	case CSF_END_GAP:
		if (run->goes_on)
			return 0;
		break;
	case CSF_END_EXCEPTION:
	case CSF_END_Q:
	case CSF_END_TRACE:
		break;
	}
	err = follow_end(fill, s, run);
	stop(s);
	return err;
}

/* ---------------------------------------------------------------- runs */

int fill_learn(struct count_fill *fill, const struct fill_batch *batch)
{
	int err = learn_blocks(fill, batch->block, batch->n_block);

	return err ? err : learn_paths(fill, batch->paths);
}

/*
 * The second half does not begin inside a transaction, which may be undone.  It begins only where
 * trace itself ends a run, because the end of a full run depends on the decoder; and not where a
 * packet is impossible and execution goes on: atom runs (quick.h) go on there, too.
 */
static void choose_half(struct fill_state *s, const struct fill_run *run)
{
	if (run->second_half && !s->n && !run->in_transaction && run->end != CSF_END_FULL &&
	    !run->goes_on)
		s->half = 1;
}

int fill_count(struct count_fill *fill, const struct fill_run *run, const uint32_t *steps)
{
	struct fill_state *s;
	int err;

	if (run->stream >= fill->n_state) {
		if (!array_zeros(&fill->state, fill->n_state, 2 * run->stream + 8, sizeof(*s)))
			return -ENOMEM;
		fill->n_state = 2 * run->stream + 8;
	}
	s = &fill->state[run->stream];
	if (!fill->replay)
		s->half = fill->half;
	if (run->starts)
		stop(s);
	if (run->n && !s->going) {
		fill->stat[COUNT_BREAKS] += fill->weight;
		s->going = true;
	}
	err = walk(fill, s, run, steps);
	if (!err)
		err = end(fill, s, run);
	choose_half(s, run);
	return err;
}
