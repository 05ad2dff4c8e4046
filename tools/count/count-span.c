// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count-span.h"

/**
 * struct span_state - of a stream
 * @time: it is decoded up to here
 * @offset: likewise, in the stream
 * @apart: the last part was not passed on; @passed: the last steps were
 * @shown: the thread of the run is chosen
 */
struct span_state {
	uint64_t time, offset;
	bool apart, passed, shown;
};

void count_span_fini(struct count_span *s)
{
	free(s->state);
}

static struct span_state *state_of(struct count_span *s, size_t number)
{
	if (number >= s->n_state) {
		size_t n = 2 * number + 8;
		struct span_state *p = realloc(s->state, n * sizeof(*p));

		if (!p)
			return NULL;
		memset(p + s->n_state, 0, (n - s->n_state) * sizeof(*p));
		s->state = p;
		s->n_state = n;
	}
	return &s->state[number];
}

static bool is_wanted(const struct count_span *s, const struct span_state *state)
{
	return state->shown && time_spans_have(&s->part->spans, state->time);
}

/* A mark between two steps belongs to the part that has the first of them. */
static void cut(struct csf_run *r, size_t first, size_t end)
{
	const uint64_t until = r->seq + end;
	const bool last = end == r->n;

	r->step += first;
	r->seq += first;
	r->n = end - first;
	for (; first && r->n_mark && r->mark->at <= r->seq; r->mark++)
		r->n_mark--;
	while (!last && r->n_mark && r->mark[r->n_mark - 1].at > until)
		r->n_mark--;
}

/*
 * The steps from @first on are not passed on, those before them were: only they tell where the last
 * branch before them went.  Return: 0 or -ENOMEM.
 */
static int lead(struct count_span *s, const struct perf_run *run, size_t first)
{
	const struct csf_run *r = &run->run;
	const uint64_t addr = csf_block_addr(run->stream->dec, r, csf_step_block(r->step[first]));

	return count_fill_next(s->fill, run->stream, r->space, addr);
}

/* Passes on steps of a run from @first up to @end; with the end of the run, if it is theirs. */
static int pass_part(struct count_span *s, struct span_state *state, const struct perf_run *run,
		     size_t first, size_t end)
{
	const bool wanted = is_wanted(s, state), last = end == run->run.n;
	struct perf_run part = *run;
	int err = 0;

	if (!wanted && end > first && state->passed && (first || !run->starts))
		err = lead(s, run, first);
	if (wanted || end > first)
		state->passed = wanted;
	cut(&part.run, first, end);
	if (!last)
		part.run.end = CSF_END_FULL;
	if (!err && s->follow && state->shown)
		err = s->follow(s->owner, &part, wanted);
	if (err || (!wanted && !(last && run->run.end == CSF_END_TRANSACTION))) {
		state->apart = true;
		return err;
	}
	if (!wanted)
		part.run.n = 0;
	part.starts = state->apart || (run->starts && !first);
	state->apart = !wanted;
	return s->take(s->owner, &part);
}

/* Counts a gap's loss; that of some gaps is unknown: see COUNT_HOLES. */
static void count_gap(uint64_t *stat, const struct csf_run *run)
{
	const bool hole = run->value == CSF_GAP_OVERFLOW || run->value == CSF_GAP_DISCARD;

	stat[COUNT_SKIPPED] += run->bytes;
	stat[COUNT_LOST + run->value] += run->lost;
	stat[COUNT_HOLES] += hole && csf_run_is_gap(run);
}

/* Counts trace, and its losses, up to the end of the run. */
static void count_trace(struct count_span *s, struct span_state *state, const struct csf_run *run)
{
	uint64_t *stat = s->fill->stat;

	if (is_wanted(s, state)) {
		if (run->offset > state->offset)
			stat[COUNT_BYTES] += run->offset - state->offset;
		if (run->end == CSF_END_GAP)
			count_gap(stat, run);
	}
	if (run->offset > state->offset)
		state->offset = run->offset;
}

int count_span_run(struct count_span *s, const struct perf_run *run)
{
	const struct perf_replay *replay = s->fill->replay;
	const struct csf_run *r = &run->run;
	struct span_state *state = state_of(s, run->stream->number);
	const bool cuts = replay->timed && s->part->spans.n;
	size_t first = 0;
	int err = 0;

	if (!state)
		return -ENOMEM;
	state->shown = selection_has_run(s->part, replay, run);
	if (run->after > state->time)
		state->time = run->after;
	if (!replay->timed)
		state->time = run->fragment->time;
	for (size_t i = 0; i < r->n_mark && cuts && !err; i++) {
		const struct csf_mark *m = &r->mark[i];
		uint64_t time, at = m->at > r->seq ? m->at - r->seq : 0;

		if (m->kind != CSF_MARK_TIME || m->flags & CSF_MARK_UNKNOWN)
			continue;
		time = perf_replay_time(replay, m->value);
		if (time <= state->time)
			continue;
		if (at > r->n)
			at = r->n;
		if (at > first) {
			err = pass_part(s, state, run, first, at);
			first = at;
		}
		state->time = time;
	}
	if (!err)
		err = pass_part(s, state, run, first, r->n);
	count_trace(s, state, r);
	return err;
}
