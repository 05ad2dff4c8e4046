// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "segment.h"

/* A segment ends after this many marks, as after segment.step_max steps. */
#define STORED_MARK_MAX	(32u << 10)
#define RUN_MAX		(16u << 10)

/* ---------------------------------------------------------------- decoding */

struct segment *segment_new(const struct csf_decoder *d)
{
	struct segment *segment = calloc(1, sizeof(*segment));

	if (!segment)
		return NULL;
	segment->dec = decoder_new(&d->config, d->image);
	if (!segment->dec) {
		free(segment);
		return NULL;
	}
	segment->own_step = segment->dec->out.step;
	segment->own_mark = segment->dec->out.mark;
	/* the thread that decodes it has one */
	address_entries_free(segment->dec->addr.cache, segment->dec->addr.cache_mask);
	segment->dec->addr.cache = NULL;
	segment->dec->addr.cache_mask = 0;
	return segment;
}

void segment_free(struct segment *segment)
{
	if (!segment)
		return;
	decoder_free(segment->dec);
	free(segment->step);
	free(segment->mark);
	free(segment->run);
	free(segment);
}

bool segment_fits(const struct segment *segment, const struct csf_decoder *d)
{
	struct config c = segment->dec->config;

	/* these are set for each segment */
	c.ask_code = d->config.ask_code;
	c.paths = d->config.paths;
	return segment->dec->image == d->image && !memcmp(&c, &d->config, sizeof(c));
}

static void restart(struct segment *segment)
{
	struct csf_decoder *d = segment->dec;

	csf_set_time(d, segment->time, 0);
	d->flow.space = segment->space;
	d->config.ask_code = segment->asks;
	d->quiet = true;
	d->flow.marker_seen = d->config.tsmark;	/* usually so */
	d->in.win.offset = segment->from;
	window_feed(&d->in.win, segment->bytes, segment->n);
	segment->image_generation = __atomic_load_n(&d->image->generation, __ATOMIC_ACQUIRE);
	segment->n_step = 0;
	segment->n_mark = 0;
	segment->n_run = 0;
	segment->good = false;
	segment->whole = false;
}

/* Chooses the space after @run.  Returns true if it is known. */
static bool choose(struct segment *segment, const struct csf_run *run)
{
	const struct guess *guess = guess_of(segment->guess, &run->to);

	if (run->end != CSF_END_CONTEXT || !segment->chooses)
		return true;
	if (!guess->known || !state_same_context(&guess->ctx, &run->to))
		return false;
	segment->dec->flow.space = guess->space;
	return true;
}

/* Counts steps from where the segment owns the trace. */
static void count_from(struct csf_decoder *d, uint64_t seq)
{
	struct element_queue *q = &d->queue;

	for (uint32_t i = 0; i < q->n; i++) {
		struct element *el = &q->ring[(q->oldest + i) & (q->size - 1)];

		if (el->type == EL_CYCLES)
			el->at += seq - d->flow.seq;
	}
	if (d->el.type == EL_CYCLES)
		d->el.at += seq - d->flow.seq;
	d->flow.marker_at += seq - d->flow.seq;
	if (d->flow.asked_at)
		d->flow.asked_at += seq - d->flow.seq;
	d->flow.seq = seq;
}

/* Decodes up to where the segment owns the trace.  Returns true if it got there. */
static bool warm_up(struct segment *segment)
{
	struct csf_decoder *d = segment->dec;
	struct csf_run run;

	while (decoder_next(d, &run) > 0) {
		bool known = choose(segment, &run);

		if (run.offset > segment->own)
			return false;
		if (run.end == CSF_END_CONTEXT && run.offset == segment->own) {
			state_take(&segment->begin, d);
			count_from(d, 0);
			segment->before = d->stats;
			return known;
		}
	}
	return false;
}

static bool grow(void **array, size_t *size, size_t want, size_t element)
{
	void *more;

	if (want <= *size)
		return true;
	want += want / 2;
	more = realloc(*array, want * element);
	if (!more)
		return false;
	*array = more;
	*size = want;
	return true;
}

/* Makes room for one more run.  Returns true if there is. */
static bool make_room(struct segment *segment)
{
	const uint32_t max = segment->dec->config.run_max;

	return grow((void **)&segment->step, &segment->size_step, segment->n_step + max,
		    sizeof(*segment->step)) &&
	       grow((void **)&segment->mark, &segment->size_mark, segment->n_mark + MARK_MAX,
		    sizeof(*segment->mark)) &&
	       grow((void **)&segment->run, &segment->size_run, segment->n_run + 1,
		    sizeof(*segment->run));
}

/* Does the segment end with @run? */
static bool is_last(struct segment *segment, const struct csf_run *run)
{
	if (segment->run[segment->n_run - 1].open || !choose(segment, run))
		return true;
	if (run->offset >= segment->stop &&
	    (run->offset > segment->stop || run->end == CSF_END_CONTEXT))
		return true;
	return segment->n_step > segment->step_max || segment->n_mark > STORED_MARK_MAX ||
	       segment->n_run > RUN_MAX;
}

/* The last run is full and has a rest: the decoder that goes on makes both of it. */
static void leave_open(struct segment *segment, struct stored *s)
{
	struct csf_decoder *d = segment->dec;
	const uint64_t n_ran = d->out.resume_step + d->out.resume_more;

	s->run.n += d->out.resume_step;
	s->run.n_ran += n_ran;
	s->run.n_mark += d->out.resume_mark;
	s->open = true;
	segment->n_step += d->out.resume_step;
	segment->n_mark += d->out.resume_mark;
	d->flow.seq += n_ran;
	d->stats.steps += n_ran;
	d->out.resume_step = 0;
	d->out.resume_more = 0;
	d->out.resume_mark = 0;
}

/* Decodes the next run.  Returns true if it is not the last. */
static bool decode_run(struct segment *segment)
{
	struct csf_decoder *d = segment->dec;
	struct stored *s;
	int got;

	if (!make_room(segment))
		return false;
	s = &segment->run[segment->n_run];
	s->step = segment->n_step;
	s->mark = segment->n_mark;
	d->out.step = segment->step + segment->n_step;
	d->out.mark = segment->mark + segment->n_mark;
	d->missed = false;
	got = decoder_next(d, &s->run);
	/* missing code that could not be read ends a segment only when an atom asks for it */
	if (got < 0 || (d->missed && s->run.end != CSF_END_CODE))
		return false;
	if (!got) {
		segment->whole = true;
		return false;
	}
	s->open = d->missed || !d->out.ended;
	if (d->missed)			/* the decoder that goes on looks again */
		d->flow.asked_at = 0;
	s->pos = window_offset(&d->in.win, d->in.win.pos);
	segment->n_step += s->run.n;
	segment->n_mark += s->run.n_mark;
	/* the rest is already at the start of the next run's arrays */
	d->out.rest_step = 0;
	d->out.rest_mark = 0;
	segment->n_run++;
	segment->whole = is_last(segment, &s->run);
	if (segment->whole && (d->out.resume_step || d->out.resume_mark))
		leave_open(segment, s);
	return !segment->whole;
}

void segment_decode(struct segment *segment, struct address_cache *address_cache)
{
	struct csf_decoder *d = segment->dec;

	segment->good = false;
	decoder_reset(d);
	if (!address_cache_lend(address_cache, d, segment->stamp))
		return;
	restart(segment);
	if (d->addr.memo)
		path_memo_resume(d->addr.memo, segment->from);
	decoder_ask_paths(d, segment->paths);	/* without memory there are none */
	segment->good = warm_up(segment);
	while (segment->good && decode_run(segment))
		if (__atomic_load_n(&segment->cancelled, __ATOMIC_RELAXED))
			break;
	state_end(&segment->begin, d);
	d->out.step = segment->own_step;
	d->out.mark = segment->own_mark;
	address_cache_take_back(address_cache, d);
	if (address_cache->addr.memo) /* next come offsets of another segment */
		path_memo_restart(address_cache->addr.memo,
				  window_offset(&d->in.win, d->in.win.pos));
}

/* ---------------------------------------------------------------- taking over */

/* @s += @more - @less */
static void add_stats(struct csf_stats *s, const struct csf_stats *more,
		      const struct csf_stats *less)
{
	s->packets += more->packets - less->packets;
	s->async += more->async - less->async;
	s->atoms += more->atoms - less->atoms;
	s->p0 += more->p0 - less->p0;
	s->steps += more->steps - less->steps;
	s->lost += more->lost - less->lost;
	s->skipped += more->skipped - less->skipped;
	for (int i = 0; i < CSF_GAP_NR; i++) {
		s->gaps[i] += more->gaps[i] - less->gaps[i];
		s->lost_by[i] += more->lost_by[i] - less->lost_by[i];
		s->skipped_by[i] += more->skipped_by[i] - less->skipped_by[i];
	}
}

void segment_resume(const struct csf_run *rest, struct csf_decoder *d)
{
	d->out.resume_step = rest->n;
	d->out.resume_mark = rest->n_mark;
	d->out.resume_more = rest->n_ran - rest->n;
	memcpy(d->out.step, rest->step, rest->n * sizeof(*d->out.step));
	memcpy(d->out.mark, rest->mark, rest->n_mark * sizeof(*d->out.mark));
	for (size_t i = 0; i < rest->n_mark; i++)
		d->out.mark[i].flags &= ~MARK_UNSAID;
	d->flow.seq -= rest->n_ran;
	d->stats.steps -= rest->n_ran;
}

/* Copies settings that the caller made in @d, which the segment does not have. */
static void tell(struct csf_decoder *w, const struct csf_decoder *d)
{
	w->in.end = d->in.end;
	w->in.broken = d->in.broken;
	w->in.commit_rest = d->in.commit_rest;
	w->in.win.ended = d->in.win.ended;
	w->in.win.flush = d->in.win.flush;
	w->flow.space = d->flow.space;
	w->flow.limit = d->flow.limit;
}

/* Moves the state of @w to @d; each keeps what it owns, and @w is of no use after that. */
static void move(struct csf_decoder *d, struct csf_decoder *w)
{
	const struct element_queue queue = d->queue;
	const struct output out = d->out;

	d->in = w->in;
	window_copy(&d->in.win, &w->in.win);
	d->queue = w->queue;
	w->queue.ring = queue.ring;
	w->queue.size = queue.size;
	d->packets = w->packets;
	d->el = w->el;
	d->el_ready = w->el_ready;
	d->exec = w->exec;
	d->flow = w->flow;
	d->follow = w->follow;
	d->out = w->out;
	d->out.step = out.step;
	d->out.mark = out.mark;
	d->stats = w->stats;
}

void segment_take_over(struct segment *segment, struct csf_decoder *d, uint64_t base)
{
	struct csf_decoder *w = segment->dec;
	struct address_cache own = { 0 };

	address_cache_take_back(&own, d);
	tell(w, d);
	count_from(w, w->flow.seq + base);
	add_stats(&w->stats, &d->stats, &segment->before);
	move(d, w);
	/* but each keeps its address cache; that of the segment tells when it was valid */
	d->addr = w->addr;
	address_cache_exchange(&own, d);
}
