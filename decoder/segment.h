/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Segments: parts of a stream that are decoded before it is their turn, by other threads.
 *
 * A segment begins at an A-sync, but it owns the trace only from its first target address with
 * context on: what stands before that speaks of where the trace before ended.  So a decoder that
 * knows nothing starts at the A-sync, what it makes up to that address is thrown away, and its
 * state there is kept.  If the decoder of the stream comes to the same address in the same state,
 * then all that follows is the same, too.
 *
 * Which address space a context means, only the caller knows: a segment takes what it was the last
 * time, and goes no further than that is known.  And nothing of the caller's is called for it:
 * where code is needed that would have to be read, it ends.
 */
#ifndef CSF_SEGMENT_H
#define CSF_SEGMENT_H

#include "address-cache.h"
#include "state.h"

#define GUESS_MAX	64	/* a power of two */

/* Which space a context was the last time.  Of several with one hash the last one is kept. */
struct guess {
	struct csf_context ctx;
	int space;
	bool known;
};

/**
 * struct stored - a run that waits for its turn
 * @run: its arrays are not set
 * @step: index of its steps in the segment's; @mark: of its marks
 * @pos: offset of the next byte behind it
 * @open: it goes on, but not here: the last one of a segment
 */
struct stored {
	struct csf_run run;
	size_t step, mark;
	uint64_t pos;
	bool open;
};

#define SEGMENT_STEPS	(256u << 10)	/* behind more steps a segment ends */

enum segment_at { SEGMENT_FREE, SEGMENT_QUEUED, SEGMENT_RUNNING, SEGMENT_DONE };

/**
 * struct segment - part of what was fed
 * @dec: owned; what it makes of the segment
 * @own_step: its own arrays, for @step and @mark are in their place while it works; @own_mark
 * @next: of the queue, or of those that are spare
 * @at: enum segment_at: how far it is; guarded by the lock of the threads, as @next of what is not
 *      spare
 * @cancelled: nobody wants it any more; atomic
 * @bytes: borrowed, @n of them, from its A-sync to the end of what was fed
 * @from: offset of the A-sync
 * @own: of the address packet from which on it owns the trace
 * @stop: the same of the next segment; UINT64_MAX: there is none
 * @step_max: behind more steps it ends, as behind SEGMENT_STEPS
 * @space, @time, @asks, @paths: as of the decoder of the stream when the segment was cut
 * @guess: for contexts, as of @guess_stamp: of many lines of the cache, so copied if it is another
 * @stamp: of the address cache
 * @chooses: the caller has spaces; else they need not be guessed
 * @image_generation: of the image, when it was begun
 * @good: it got to @own; then @begin is the state there, and @before what had been counted
 * @whole: @dec is behind the last of the runs; else there was more, but it is not to be had
 * @step, @mark, @run: what came out, @n_... of each; owned
 */
struct segment {
	struct csf_decoder *dec;
	uint32_t *own_step;
	struct csf_mark *own_mark;
	struct segment *next;
	int at;
	bool cancelled;
	const uint8_t *bytes;
	size_t n;
	uint64_t from, own, stop;
	size_t step_max;
	int space;
	uint64_t time, stamp;
	struct guess guess[GUESS_MAX];
	uint64_t guess_stamp;
	bool chooses, asks, paths;
	uint32_t image_generation;
	bool good, whole;
	struct state begin;
	struct csf_stats before;
	uint32_t *step;
	struct csf_mark *mark;
	struct stored *run;
	size_t n_step, n_mark, n_run;
	size_t size_step, size_mark, size_run;
};

/* Of @d's kind.  Return: NULL: no memory. */
struct segment *segment_new(const struct csf_decoder *d);
void segment_free(struct segment *segment);

/* Is it of @d's kind? */
bool segment_fits(const struct segment *segment, const struct csf_decoder *d);

/**
 * segment_find() - where a segment can begin
 * @d: of the stream
 * @at: where to look from; then index of the A-sync
 *
 * Return: index of the address; 0: there is no more.
 */
static inline size_t segment_find(const struct csf_decoder *d, const uint8_t *bytes, size_t n,
				  size_t *at)
{
	const struct protocol *p = d->protocol;

	return p->find_segment ? p->find_segment(&d->config, bytes, n, at) : 0;
}

/* Decodes it, as far as it goes, by what the thread knows of addresses. */
void segment_decode(struct segment *segment, struct address_cache *address_cache);

/*
 * @d, whose state is segment->begin, becomes what it is behind the last run, and @segment->dec what
 * @d was.  @base: steps of @d before the segment.
 */
void segment_take_over(struct segment *segment, struct csf_decoder *d, uint64_t base);

/* Then @rest, what is left of the last run of the segment, begins the next run of @d. */
void segment_resume(const struct csf_run *rest, struct csf_decoder *d);

static inline struct guess *guess_of(struct guess *guess, const struct csf_context *ctx)
{
	uint32_t h = (ctx->contextid ^ ctx->vmid << 8 ^ ctx->el ^ ctx->security << 2) * 0x9e3779b1u;

	return &guess[h / (UINT32_MAX / GUESS_MAX + 1)];
}

#endif /* CSF_SEGMENT_H */
