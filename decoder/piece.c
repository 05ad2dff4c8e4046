// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "ahead.h"
#include "piece.h"

#define LOOK_MAX	256	/* bytes from the A-sync to the address, at most */

/* And behind so many of these, as behind piece.step_max. */
#define STORED_MARK_MAX	(32u << 10)
#define RUN_MAX		(16u << 10)

/* ---------------------------------------------------------------- where one begins */

/* May the packet stand between Trace Info, if it is @informed, and the address? */
static bool passes(const struct csf_packet *pkt, bool informed)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_EVENT:
	case CSF_PKT_IGNORE:
		return true;
	case CSF_PKT_INFO:
		return !informed;
	case CSF_PKT_BAD:
	case CSF_PKT_ASYNC:
	case CSF_PKT_DISCARD:
	case CSF_PKT_OVERFLOW:
	case CSF_PKT_EXCEPTION:
	case CSF_PKT_Q:
		return false;
	default:
		return informed;
	}
}

/* Bytes from the A-sync at @p to the first address with context; 0: there is none near. */
static size_t find_own(const struct config *c, const uint8_t *p, size_t left)
{
	uint8_t look[LOOK_MAX + CSF_PACKET_MAX] = { 0 };
	size_t n = left < LOOK_MAX ? left : LOOK_MAX, at = SYNC_SIZE;
	bool informed = false;
	struct csf_packet pkt;

	memcpy(look, p, n);
	while (at < n) {
		size_t size = packet_read(c, look + at, &pkt);

		if (at + size > n || !passes(&pkt, informed))
			return 0;
		if (pkt.type == CSF_PKT_ADDR_CTXT32 || pkt.type == CSF_PKT_ADDR_CTXT64)
			return pkt.flags & CSF_PKT_CTXT ? at : 0;
		informed |= pkt.type == CSF_PKT_INFO;
		at += size;
	}
	return 0;
}

size_t piece_find(const struct config *c, const uint8_t *bytes, size_t n, size_t *at)
{
	for (; *at < n; *at += SYNC_SIZE) {
		size_t own;

		*at += sync_find(bytes + *at, n - *at);
		if (*at >= n)
			break;
		own = find_own(c, bytes + *at, n - *at);
		if (own)
			return *at + own;
	}
	return 0;
}

/* ---------------------------------------------------------------- decoding */

struct piece *piece_new(const struct csf_decoder *d)
{
	struct piece *piece = calloc(1, sizeof(*piece));

	if (!piece)
		return NULL;
	piece->dec = decoder_new(&d->config, d->image);
	if (!piece->dec) {
		free(piece);
		return NULL;
	}
	piece->own_step = piece->dec->step;
	piece->own_mark = piece->dec->mark;
	/* whoever decodes it has one */
	place_cache_free(piece->dec->cache, piece->dec->cache_mask);
	piece->dec->cache = NULL;
	piece->dec->cache_mask = 0;
	return piece;
}

void piece_free(struct piece *piece)
{
	if (!piece)
		return;
	csf_free(piece->dec);
	free(piece->step);
	free(piece->mark);
	free(piece->run);
	free(piece);
}

bool piece_fits(const struct piece *piece, const struct csf_decoder *d)
{
	struct config c = piece->dec->config;

	/* these it is told each time */
	c.ask_code = d->config.ask_code;
	c.paths = d->config.paths;
	return piece->dec->image == d->image && !memcmp(&c, &d->config, sizeof(c));
}

static void restart(struct piece *piece)
{
	struct csf_decoder *d = piece->dec;

	csf_set_time(d, piece->time, 0);
	d->space = piece->space;
	d->config.ask_code = piece->asks;
	d->quiet = true;
	d->marker_seen = d->config.tsmark;	/* most often so */
	d->win.offset = piece->from;
	csf_feed(d, piece->bytes, piece->n);
	piece->generation = __atomic_load_n(&d->image->generation, __ATOMIC_ACQUIRE);
	piece->n_step = 0;
	piece->n_mark = 0;
	piece->n_run = 0;
	piece->good = false;
	piece->whole = false;
}

/* The space behind @run.  Returns whether it is known. */
static bool choose(struct piece *piece, const struct csf_run *run)
{
	const struct guess *guess = guess_of(piece->guess, &run->to);

	if (run->end != CSF_END_CONTEXT || !piece->chooses)
		return true;
	if (!guess->known || !state_same_context(&guess->ctx, &run->to))
		return false;
	piece->dec->space = guess->space;
	return true;
}

/* Steps are counted from where the piece owns the trace. */
static void count_from(struct csf_decoder *d, uint64_t seq)
{
	struct element_queue *q = &d->queue;

	for (uint32_t i = 0; i < q->n; i++) {
		struct element *el = &q->ring[(q->oldest + i) & (q->size - 1)];

		if (el->type == EL_CYCLES)
			el->at += seq - d->seq;
	}
	if (d->el.type == EL_CYCLES)
		d->el.at += seq - d->seq;
	d->marker_at += seq - d->seq;
	if (d->asked_at)
		d->asked_at += seq - d->seq;
	d->seq = seq;
}

/* Up to where the piece owns the trace.  Returns whether it got there. */
static bool warm_up(struct piece *piece)
{
	struct csf_decoder *d = piece->dec;
	struct csf_run run;

	while (decoder_next(d, &run) > 0) {
		bool known = choose(piece, &run);

		if (run.offset > piece->own)
			return false;
		if (run.end == CSF_END_CONTEXT && run.offset == piece->own) {
			state_take(&piece->begin, d);
			count_from(d, 0);
			piece->before = d->stats;
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

/* For one more run.  Returns whether there is. */
static bool make_room(struct piece *piece)
{
	const uint32_t max = piece->dec->config.run_max;

	return grow((void **)&piece->step, &piece->size_step, piece->n_step + max,
		    sizeof(*piece->step)) &&
	       grow((void **)&piece->mark, &piece->size_mark, piece->n_mark + MARK_MAX,
		    sizeof(*piece->mark)) &&
	       grow((void **)&piece->run, &piece->size_run, piece->n_run + 1,
		    sizeof(*piece->run));
}

/* Is @run where the piece ends? */
static bool is_last(struct piece *piece, const struct csf_run *run)
{
	if (piece->run[piece->n_run - 1].open || !choose(piece, run))
		return true;
	if (run->offset >= piece->stop &&
	    (run->offset > piece->stop || run->end == CSF_END_CONTEXT))
		return true;
	return piece->n_step > piece->step_max || piece->n_mark > STORED_MARK_MAX ||
	       piece->n_run > RUN_MAX;
}

/* The last run is full, and has a rest: whoever goes on makes both of it. */
static void leave_open(struct piece *piece, struct stored *s)
{
	struct csf_decoder *d = piece->dec;
	const uint64_t n_ran = d->resume_step + d->resume_more;

	s->run.n += d->resume_step;
	s->run.n_ran += n_ran;
	s->run.n_mark += d->resume_mark;
	s->open = true;
	piece->n_step += d->resume_step;
	piece->n_mark += d->resume_mark;
	d->seq += n_ran;
	d->stats.steps += n_ran;
	d->resume_step = 0;
	d->resume_more = 0;
	d->resume_mark = 0;
}

/* The next run.  Returns whether it is not the last. */
static bool decode_run(struct piece *piece)
{
	struct csf_decoder *d = piece->dec;
	struct stored *s;
	int got;

	if (!make_room(piece))
		return false;
	s = &piece->run[piece->n_run];
	s->step = piece->n_step;
	s->mark = piece->n_mark;
	d->step = piece->step + piece->n_step;
	d->mark = piece->mark + piece->n_mark;
	d->missed = false;
	got = decoder_next(d, &s->run);
	/* of code that could not be read only an atom asks before it is taken for missing */
	if (got < 0 || (d->missed && s->run.end != CSF_END_CODE))
		return false;
	if (!got) {
		piece->whole = true;
		return false;
	}
	s->open = d->missed || !d->ended;
	if (d->missed)			/* whoever goes on looks again */
		d->asked_at = 0;
	s->pos = window_offset(&d->win, d->win.pos);
	piece->n_step += s->run.n;
	piece->n_mark += s->run.n_mark;
	/* where the next run has its arrays that rest is already */
	d->rest_step = 0;
	d->rest_mark = 0;
	piece->n_run++;
	piece->whole = is_last(piece, &s->run);
	if (piece->whole && (d->resume_step || d->resume_mark))
		leave_open(piece, s);
	return !piece->whole;
}

void piece_decode(struct piece *piece, struct memory *memory)
{
	struct csf_decoder *d = piece->dec;

	piece->good = false;
	csf_reset(d);
	if (!memory_lend(memory, d, piece->stamp))
		return;
	restart(piece);
	if (d->memo)
		path_memo_resume(d->memo, piece->from);
	decoder_ask_paths(d, piece->paths);	/* without memory there are none */
	piece->good = warm_up(piece);
	while (piece->good && decode_run(piece))
		if (__atomic_load_n(&piece->cancelled, __ATOMIC_RELAXED))
			break;
	d->step = piece->own_step;
	d->mark = piece->own_mark;
	memory_take_back(memory, d);
	if (memory->memo)		/* offsets are of another piece next */
		path_memo_restart(memory->memo, window_offset(&d->win, d->win.pos));
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

/* What the caller told @d, and not the piece. */
static void tell(struct csf_decoder *to, const struct csf_decoder *d)
{
	to->ahead = d->ahead;
	to->config.ask_code = d->config.ask_code;
	to->config.paths = d->config.paths;
	to->quiet = false;
	to->missed = false;
	to->end = d->end;
	to->broken = d->broken;
	to->commit_rest = d->commit_rest;
	to->win.ended = d->win.ended;
	to->win.flush = d->win.flush;
	to->space = d->space;
	to->limit = d->limit;
}

void piece_resume(const struct csf_run *rest, struct csf_decoder *d)
{
	d->resume_step = rest->n;
	d->resume_mark = rest->n_mark;
	d->resume_more = rest->n_ran - rest->n;
	memcpy(d->step, rest->step, rest->n * sizeof(*d->step));
	memcpy(d->mark, rest->mark, rest->n_mark * sizeof(*d->mark));
	for (size_t i = 0; i < rest->n_mark; i++)
		d->mark[i].flags &= ~MARK_UNSAID;
	d->seq -= rest->n_ran;
	d->stats.steps -= rest->n_ran;
}

/* What is behind this is good for any decoder of the image, or the memory's. */
#define MOVED	offsetof(struct csf_decoder, tags)

/* @d becomes what @w is, which keeps what it owns, and is good for nothing else then. */
static void move(struct csf_decoder *d, struct csf_decoder *w)
{
	struct element *ring = d->queue.ring;
	const uint32_t size = d->queue.size;

	memcpy(d, w, MOVED);
	window_copy(&d->win, &w->win);
	w->queue.ring = ring;
	w->queue.size = size;
}

void piece_take_over(struct piece *piece, struct csf_decoder *d, uint64_t base)
{
	struct csf_decoder *w = piece->dec;
	uint32_t *step = d->step;
	struct csf_mark *mark = d->mark;
	struct memory own = { 0 };

	memory_take_back(&own, d);
	tell(w, d);
	count_from(w, w->seq + base);
	add_stats(&w->stats, &d->stats, &piece->before);
	move(d, w);
	w->ahead = NULL;
	/* but each keeps its arrays, and its memory */
	d->step = step;
	d->mark = mark;
	memory_exchange(&own, d);
}
