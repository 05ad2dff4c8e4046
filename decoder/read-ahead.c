// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <assert.h>
#include <stdlib.h>

#include "read-ahead.h"
#include "address-cache.h"

/*
 * Minimum and maximum bytes of a segment; between them, one segment of what is fed for each thread.
 * With paths, a byte makes fewer steps.
 */
#define SEGMENT_MIN	(4u << 10)
#define SEGMENT_MAX	(32u << 10)
#define SEGMENT_MAX_PATHS	(128u << 10)

/*
 * Minimum number of segments in the ring: while the caller takes one, and takes frames apart,
 * others are decoded.
 */
#define SEGMENTS_MIN	8

static struct segment *head(const struct read_ahead *a)
{
	return a->segment[a->head % a->n_segment];
}

/* ---------------------------------------------------------------- cutting segments */

/*
 * Where no more bytes are known to follow, the last segments are smaller, as threads that are done
 * wait for them.  But bytes that are announced segment by segment will be followed by more, which
 * is not known yet when they are cut.
 */
static size_t segment_size(const struct read_ahead *a, const struct fed *fed, size_t from)
{
	const size_t known = fed->n - from + (fed == &a->now ? a->next.n : 0);
	const size_t left = a->announced ? fed->n : known;
	const size_t size = left / (2 * (a->threads->n + 1));
	const size_t max = a->dec->config.paths ? SEGMENT_MAX_PATHS : SEGMENT_MAX;

	if (a->threads->segment)
		return a->threads->segment;
	return size < SEGMENT_MIN ? SEGMENT_MIN : size > max ? max : size;
}

/* The more segments other decoders use, the fewer this one gets. */
static size_t segment_max(const struct read_ahead *a)
{
	const size_t others = a->threads->n_used - (a->tail - a->head);
	const size_t n = others < 2 * a->n_segment ? 2 * a->n_segment - others : 0;

	return n < 2 ? 2 : n > a->n_segment ? a->n_segment : n;
}

/* Handing over less than the smallest segment takes longer than decoding it. */
static void find(const struct csf_decoder *d, struct fed *fed, size_t from)
{
	const size_t least = d->read_ahead->threads->segment ?: SEGMENT_MIN;

	fed->next = from;
	fed->next_own = 0;
	if (fed->n >= least && from <= fed->n - least)
		fed->next_own = segment_find(d, fed->bytes, fed->n, &fed->next);
}

/* Cuts the next segment of @fed.  Returns false: no memory. */
static bool cut_segment(struct csf_decoder *d, struct fed *fed)
{
	struct read_ahead *a = d->read_ahead;
	struct segment *segment = threads_take(a->threads, d);

	if (!segment)
		return false;
	a->segment[a->tail % a->n_segment] = segment;
	segment->bytes = fed->bytes + fed->next;
	segment->n = fed->n - fed->next;
	segment->from = fed->offset + fed->next;
	segment->own = fed->offset + fed->next_own;
	find(d, fed, fed->next + segment_size(a, fed, fed->next));
	segment->stop = fed->next_own ? fed->offset + fed->next_own : UINT64_MAX;
	segment->step_max = a->threads->step_max;
	segment->space = d->flow.space;
	segment->time = d->addr.time;
	segment->stamp = a->threads->stamp;
	segment->chooses = a->chooses;
	segment->asks = d->config.ask_code;
	segment->paths = d->config.paths;
	if (segment->guess_stamp != a->guess_stamp)
		memcpy(segment->guess, a->guess, sizeof(a->guess));
	segment->guess_stamp = a->guess_stamp;
	a->tail++;
	threads_queue(a->threads, segment);
	return true;
}

/*
 * Cuts as many as there is room for, once the spaces of contexts are known: before that their
 * output would not be right.  Without memory there are none, which is only slower.
 */
static void cut(struct csf_decoder *d)
{
	struct read_ahead *a = d->read_ahead;
	/* the caller alone gains nothing, except in tests */
	bool ok = a->guesses && (a->threads->n || a->threads->segment);

	while (ok && a->tail - a->head < segment_max(a)) {
		struct fed *fed = a->now.next_own ? &a->now : &a->next;

		ok = fed->next_own && cut_segment(d, fed);
	}
}

/* The first segment is not needed any more. */
static void drop(struct csf_decoder *d)
{
	struct read_ahead *a = d->read_ahead;

	threads_drop(a->threads, head(a));
	a->head++;
	cut(d);
}

static void drop_kept(struct read_ahead *a)
{
	if (a->kept)
		threads_drop(a->threads, a->kept);
	a->kept = NULL;
}

/* The same, but the caller may still use the run that was handed out last. */
static void keep(struct csf_decoder *d)
{
	struct read_ahead *a = d->read_ahead;

	drop_kept(a);
	a->kept = head(a);
	a->head++;
	cut(d);
}

/* Drops the segments of @fed: the first ones, or the last ones. */
static void drop_of(struct csf_decoder *d, struct fed *fed)
{
	struct read_ahead *a = d->read_ahead;
	const uint64_t from = fed->offset;

	fed->next_own = 0;
	for (size_t i = a->head; i != a->tail; i++)
		if (a->segment[i % a->n_segment]->own - from < fed->n)
			threads_cancel(a->threads, a->segment[i % a->n_segment]);
	while (a->head != a->tail && head(a)->own - from < fed->n)
		drop(d);
	while (a->head != a->tail &&
	       a->segment[(a->tail - 1) % a->n_segment]->own - from < fed->n) {
		a->tail--;
		threads_drop(a->threads, a->segment[a->tail % a->n_segment]);
	}
}

/* The bytes fed are used up, or not needed. */
static void leave(struct csf_decoder *d)
{
	drop_of(d, &d->read_ahead->now);
	d->read_ahead->arrived = false;
	d->read_ahead->handing = false;
}

static void drop_all(struct csf_decoder *d)
{
	read_ahead_next_feed(d, NULL, 0);
	leave(d);
	drop_kept(d->read_ahead);
}

void read_ahead_feed(struct csf_decoder *d, const uint8_t *bytes, size_t n, uint64_t offset)
{
	struct read_ahead *a = d->read_ahead;
	const struct fed *next = &a->next;
	bool known = next->bytes == bytes && next->n == n && next->offset == offset;

	a->announced = known;
	if (known)
		leave(d);
	else
		drop_all(d);
	a->now = known ? *next : (struct fed){ .bytes = bytes, .n = n, .offset = offset };
	a->next = (struct fed){ 0 };
	if (!known)
		find(d, &a->now, segment_size(a, &a->now, 0));
	cut(d);
}

void read_ahead_next_feed(struct csf_decoder *d, const uint8_t *bytes, size_t n)
{
	struct read_ahead *a = d->read_ahead;

	drop_of(d, &a->next);
	a->next = (struct fed){ .bytes = bytes, .n = n, .offset = a->now.offset + a->now.n };
	if (!n)
		return;
	find(d, &a->next, 0);
	cut(d);
}

/* ---------------------------------------------------------------- from segment to segment */

/* The decoder is at the end of a run that ended like this: does a segment begin here? */
static void arrive(struct csf_decoder *d, uint8_t end, uint64_t offset)
{
	struct read_ahead *a = d->read_ahead;

	while (a->head != a->tail && head(a)->own < offset)
		drop(d);
	a->arrived = a->head != a->tail && end == CSF_END_CONTEXT && head(a)->own == offset;
}

/* The whole segment was handed out: the decoder goes on after it. */
static void finish(struct csf_decoder *d)
{
	struct read_ahead *a = d->read_ahead;

	segment_take_over(head(a), d, a->base);
	a->handing = false;
	keep(d);
	arrive(d, a->end, a->end_offset);
}

/* The decoder continues the last run of the segment, of which this is the @rest. */
static void resume(struct csf_decoder *d, const struct csf_run *rest)
{
	struct read_ahead *a = d->read_ahead;

	segment_take_over(head(a), d, a->base);
	segment_resume(rest, d);
	a->handing = false;
	drop(d);
}

/* ---------------------------------------------------------------- decoding again */

/* The next run, with what is known of addresses, which other decoders may have had meanwhile. */
static int next(struct csf_decoder *d, struct csf_run *run)
{
	if (!d->addr.cache && threads_lend(d->lender, d))
		return CSF_ERR_MEMORY;
	return decoder_next(d, run);
}

/* Decodes again what was handed out of @s: all, or up to the timestamp at offset @until. */
static int repeat(struct csf_decoder *d, const struct stored *s, uint64_t until)
{
	struct csf_run run;
	int got;

	d->flow.space = s->run.space;
	csf_set_time(d, head(d->read_ahead)->time, 0);
	d->flow.until = until;
	got = next(d, &run);
	d->flow.until = 0;
	assert(got <= 0 || until || (run.n_ran == s->run.n_ran && run.n_mark == s->run.n_mark &&
				     run.end == s->run.end));
	return got < 0 ? got : 0;
}

int read_ahead_settle(struct csf_decoder *d)
{
	struct read_ahead *a = d->read_ahead;
	const uint64_t time = d->addr.time, limit = d->flow.limit;
	const int space = d->flow.space;
	const struct segment *segment;
	int err = 0;

	if (!a || !a->handing)
		return 0;
	segment = head(a);
	if (a->n_run == segment->n_run && segment->whole) {
		finish(d);
		return 0;
	}
	for (size_t i = 0; i < a->n_run && !err; i++)
		err = repeat(d, &segment->run[i], 0);
	if (a->n_mark && !err) {
		const struct stored *s = &segment->run[a->n_run];

		err = repeat(d, s, segment->mark[s->mark + a->n_mark - 1].offset);
	}
	d->flow.space = space;
	csf_set_time(d, time, limit);
	a->handing = false;
	a->n_again++;
	keep(d);
	return err;
}

void read_ahead_image_changes(struct csf_image *image, int space)
{
	for (struct read_ahead *a = image->read_ahead; a; a = a->others) {
		const struct segment *segment;
		bool touched = space == CSF_SPACE_ALL;

		if (!a->handing)
			continue;
		segment = head(a);
		for (size_t i = 0; i <= a->n_run && i < segment->n_run; i++)
			touched |= segment->run[i].run.space == space;
		if (touched)
			read_ahead_settle(a->dec);
	}
}

/* ---------------------------------------------------------------- handing out */

static void guess_otherwise(struct read_ahead *a)
{
	a->guess_stamp = ++a->threads->guess_stamp;
}

/* The caller may have chosen another space for the last context, or for those after it. */
static void learn(struct csf_decoder *d)
{
	struct read_ahead *a = d->read_ahead;
	struct guess *guess = guess_of(a->guess, &a->to);

	a->chooses |= d->flow.space != CSF_SPACE_ALL;
	if (!a->to.known || (guess->known && guess->space == d->flow.space &&
			     state_same_context(&guess->ctx, &a->to)))
		return;
	*guess = (struct guess){ .ctx = a->to, .space = d->flow.space, .known = true };
	guess_otherwise(a);
	if (a->guesses)
		return;
	a->guesses = true;
	cut(d);
}

/* Is the decoder in the state that the first segment assumed? */
static void join(struct csf_decoder *d)
{
	struct read_ahead *a = d->read_ahead;
	struct segment *segment = head(a);
	struct state now;

	a->arrived = false;
	if (!threads_wait(a->threads, segment, !a->threads->n)) {
		drop(d);
		return;
	}
	state_take(&now, d);
	if (!segment->good || !state_same(d->protocol, &now, &segment->begin) ||
	    (d->flow.limit && !(d->config.marks & CSF_MARK_TIME))) {
		a->n_refused++;
		drop(d);
		return;
	}
	a->handing = true;
	a->n_run = 0;
	a->n_step = 0;
	a->n_ran = 0;
	a->n_mark = 0;
	a->base = d->flow.seq;
	a->pos = 0;
	a->steady = (struct steady){ 0 };
	a->n_taken++;
}

/* Are the maps of @space the same at the caller's time and at the segment's? */
static bool same_time(const struct csf_decoder *d, const struct segment *segment, int space)
{
	struct read_ahead *a = d->read_ahead;

	if (d->addr.time == segment->time || !image_timed(d->image))
		return true;
	if (a->steady.until <= a->steady.from || a->space != space) {
		a->steady = image_steady_in(d->image, space, segment->time);
		a->space = space;
	}
	return d->addr.time >= a->steady.from && d->addr.time < a->steady.until;
}

/* Is @s what the decoder itself would make? */
static bool holds(const struct csf_decoder *d, const struct segment *segment,
		  const struct stored *s)
{
	return s->run.space == d->flow.space && segment->asks == d->config.ask_code &&
	       segment->paths == d->config.paths &&
	       image_changed(d->image, d->flow.space) <= segment->image_generation &&
	       same_time(d, segment, d->flow.space) &&
	       !(d->flow.limit && !(d->config.marks & CSF_MARK_TIME));
}

/* Changes step numbers to count from the start of decode. */
static void count_marks(const struct read_ahead *a, struct csf_mark *mark, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		mark[i].seq += a->base;
		mark[i].at += a->base;
	}
}

/* Index of the mark that reaches the caller's limit; @n: none does. */
static size_t find_limit(const struct csf_decoder *d, const struct csf_mark *mark, size_t n)
{
	size_t i = 0;

	if (!d->flow.limit)
		return n;
	while (i < n && (mark[i].kind != CSF_MARK_TIME || mark[i].value < d->flow.limit))
		i++;
	return i;
}

/* Ends the run at its mark @i. */
static void end_at(const struct csf_image *image, struct csf_run *run, size_t i)
{
	run_end_at(image, run, i);
	run->to = (struct csf_context){ 0 };
	run->end = CSF_END_TIME;
	run->flags = 0;
	run->value = 0;
	run->addr = 0;
	run->from = 0;
	run->lost = 0;
	run->bytes = 0;
}

/* Makes a run of what is left of @s. */
static void begin_run(const struct read_ahead *a, const struct stored *s, struct csf_run *run)
{
	const struct segment *segment = head(a);

	*run = s->run;
	run->step = segment->step + s->step + a->n_step;
	run->n -= a->n_step;
	run->mark = segment->mark + s->mark + a->n_mark;
	run->n_mark -= a->n_mark;
	run->n_ran -= a->n_ran;
	run->seq += a->base + a->n_ran;
}

/* Removes internal flags; what was handed out ends after the last timestamp, or later. */
static void pass_marks(struct read_ahead *a, struct csf_mark *mark, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		mark[i].flags &= ~MARK_UNSAID;
		if (mark[i].kind == CSF_MARK_TIME)
			a->pos = mark[i].offset + 1;
	}
}

/* @run, all or part of @s, is handed out. */
static void end_run(struct csf_decoder *d, const struct stored *s, const struct csf_run *run)
{
	struct read_ahead *a = d->read_ahead;

	pass_marks(a, head(a)->mark + s->mark + a->n_mark, run->n_mark);
	a->n_step += run->n;
	a->n_ran += run->n_ran;
	a->n_mark += run->n_mark;
	a->end = run->end;
	a->end_offset = run->offset;
	if (run->end == CSF_END_CONTEXT)
		a->to = run->to;
	if (run->end == CSF_END_TIME)
		return;
	a->n_run++;
	a->n_step = 0;
	a->n_ran = 0;
	a->n_mark = 0;
	a->pos = s->pos;
}

/*
 * Hands out the next run of the segment, if it is right.  Returns 1; 0: look again; < 0: no memory.
 */
static int hand_out(struct csf_decoder *d, struct csf_run *run)
{
	struct read_ahead *a = d->read_ahead;
	struct segment *segment = head(a);
	struct stored *s = &segment->run[a->n_run];
	size_t limit, n_mark;

	if (a->n_run == segment->n_run || !holds(d, segment, s))
		return read_ahead_settle(d);
	/* a run that begins in the middle becomes full elsewhere */
	if (a->n_mark && s->run.end == CSF_END_FULL && !s->open)
		return read_ahead_settle(d);
	if (!a->n_ran && !a->n_mark)
		count_marks(a, segment->mark + s->mark, s->run.n_mark);
	begin_run(a, s, run);
	limit = find_limit(d, run->mark, run->n_mark);
	n_mark = run->n_mark;
	if (limit < n_mark && run->mark[limit].flags & MARK_UNSAID)
		return read_ahead_settle(d);
	if (limit == n_mark && s->open) {
		resume(d, run);
		return 0;
	}
	if (limit < n_mark)
		end_at(d->image, run, limit);
	run->time = d->addr.time;
	end_run(d, s, run);
	return 1;
}

int read_ahead_next(struct csf_decoder *d, struct csf_run *run)
{
	struct read_ahead *a = d->read_ahead;
	int got = 0;

	drop_kept(a);
	learn(d);
	while (!got) {
		if (a->arrived)
			join(d);
		if (a->handing) {
			got = hand_out(d, run);
			continue;
		}
		got = next(d, run);
		if (got <= 0) {
			leave(d);
			return got;
		}
		if (run->end == CSF_END_CONTEXT)
			a->to = run->to;
		arrive(d, run->end, run->offset);
	}
	return got;
}

uint64_t read_ahead_pos(const struct csf_decoder *d)
{
	return d->read_ahead && d->read_ahead->handing ? d->read_ahead->pos : 0;
}

/* ---------------------------------------------------------------- open and close */

void read_ahead_reset(struct csf_decoder *d)
{
	struct read_ahead *a = d->read_ahead;

	if (!a)
		return;
	drop_all(d);
	a->now = (struct fed){ 0 };
	a->to = (struct csf_context){ 0 };
}

void read_ahead_free(struct csf_decoder *d)
{
	struct read_ahead *a = d->read_ahead, **p;

	if (!a)
		return;
	drop_all(d);
	for (p = &d->image->read_ahead; *p != a; p = &(*p)->others)
		;
	*p = a->others;
	threads_part(a->threads, d);
	free(a->segment);
	free(a);
	d->read_ahead = NULL;
}

/*
 * @d leaves the other decoders, which keep the common knowledge of addresses: it needs a cache of
 * its own.
 */
static int has_memory(struct csf_decoder *d)
{
	if (d->addr.cache)
		return 0;
	d->addr.cache = address_entries_new(&d->addr.cache_mask, &d->addr.cache_stored);
	address_cache_disown(d);
	return d->addr.cache ? 0 : CSF_ERR_MEMORY;
}

CSF_API int csf_set_threads(struct csf_decoder *d, struct csf_threads *threads)
{
	struct read_ahead *a;
	int err = read_ahead_settle(d);

	if (err)
		return err;
	read_ahead_free(d);
	err = has_memory(d);
	if (err || !threads || d->config.without & CSF_WITHOUT_THREADS)
		return err;
	a = calloc(1, sizeof(*a));
	if (!a)
		return CSF_ERR_MEMORY;
	a->n_segment = threads->n < 3 ? SEGMENTS_MIN : 2 * (size_t)(threads->n + 1);
	a->segment = calloc(a->n_segment, sizeof(*a->segment));
	if (!a->segment) {
		free(a);
		return CSF_ERR_MEMORY;
	}
	a->threads = threads;
	guess_otherwise(a);
	a->dec = d;
	a->others = d->image->read_ahead;
	d->image->read_ahead = a;
	d->read_ahead = a;
	threads_join(threads, d);
	return 0;
}
