/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Segments: parts of a stream that other threads decode ahead of the stream's decoder.
 *
 * A segment begins at an A-sync, but it owns the trace only from its first target address with
 * context on: the packets before that describe where the trace before it ended.  So a decoder with
 * no history starts at the A-sync, its output up to that address is thrown away, and its state
 * there is kept.  If the decoder of the stream reaches the same address in the same state, all that
 * follows is the same, too.
 *
 * Only the caller knows the address space of a context.  A segment takes the space that the context
 * had last, and ends where it would need another.  The caller's functions are not called for a
 * segment: it ends where code is needed that would have to be read.
 */
#ifndef CSF_SEGMENT_H
#define CSF_SEGMENT_H

#include "address-cache.h"
#include "state.h"

#define GUESS_MAX	64	/* a power of two */

/* The space that a context had last.  Of several contexts with one hash the last is kept. */
struct guess {
	struct csf_context ctx;
	int space;
	bool known;
};

/**
 * struct stored - a run that waits to be handed out
 * @run: the run; its arrays are not set
 * @step: index of its steps in those of the segment; @mark: of its marks
 * @pos: offset of the next byte after it
 * @open: it goes on, but not in this segment, whose last run it is
 */
struct stored {
	struct csf_run run;
	size_t step, mark;
	uint64_t pos;
	bool open;
};

#define SEGMENT_STEPS	(256u << 10)	/* a segment ends after more steps than this */

enum segment_at { SEGMENT_FREE, SEGMENT_QUEUED, SEGMENT_RUNNING, SEGMENT_DONE };

/**
 * struct segment - part of what was fed
 * @dec: the decoder of the segment; owned
 * @own_step, @own_mark: arrays of @dec, which has @step and @mark in their place while it works
 * @next: next in the queue, or of the spare segments
 * @at: enum segment_at: its progress; the lock of the threads guards it, and @next unless it is
 *      spare
 * @cancelled: it is not needed any more; atomic
 * @bytes: borrowed, @n of them, from its A-sync to the end of what was fed
 * @from: offset of the A-sync
 * @own: offset of the address packet from which on it owns the trace
 * @stop: @own of the next segment; UINT64_MAX: there is none
 * @step_max: it ends after more steps than this; usually SEGMENT_STEPS
 * @space, @time, @asks, @paths: those of the decoder of the stream when the segment was cut
 * @guess: the spaces of contexts, copied only when @guess_stamp differs, as it spans many cache
 *         lines
 * @stamp: for the address cache: see address_cache_lend()
 * @chooses: the caller chooses spaces; otherwise they need not be guessed
 * @image_generation: that of the image when the segment was begun
 * @good: it reached @own; @begin is then the state there, and @before the counts so far
 * @whole: @dec is at the end of the last run; otherwise there was more, which is lost
 * @step, @mark, @run: the output, @n_step, @n_mark and @n_run of each; owned
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

/* Creates a segment for decoders like @d.  Return: NULL: no memory. */
struct segment *segment_new(const struct csf_decoder *d);
void segment_free(struct segment *segment);

/* Is @segment for decoders like @d? */
bool segment_fits(const struct segment *segment, const struct csf_decoder *d);

/**
 * segment_find() - find the next place where a segment can begin
 * @d: decoder of the stream
 * @at: index to search from; set to the index of the A-sync
 *
 * Return: index of the address; 0: there is no such place.
 */
static inline size_t segment_find(const struct csf_decoder *d, const uint8_t *bytes, size_t n,
				  size_t *at)
{
	const struct protocol *p = d->protocol;

	return p->find_segment ? p->find_segment(&d->config, bytes, n, at) : 0;
}

/* Decodes @segment as far as possible, with what the thread knows of addresses. */
void segment_decode(struct segment *segment, struct address_cache *address_cache);

/*
 * Brings @d from the state segment->begin to the end of the last run; segment->dec gets what @d
 * was.
 * @base: steps of @d before the segment.
 */
void segment_take_over(struct segment *segment, struct csf_decoder *d, uint64_t base);

/* Then makes @rest, the rest of the segment's last run, the start of the next run of @d. */
void segment_resume(const struct csf_run *rest, struct csf_decoder *d);

static inline struct guess *guess_of(struct guess *guess, const struct csf_context *ctx)
{
	uint32_t h = (ctx->contextid ^ ctx->vmid << 8 ^ ctx->el ^ ctx->security << 2) * 0x9e3779b1u;

	return &guess[h / (UINT32_MAX / GUESS_MAX + 1)];
}

#endif /* CSF_SEGMENT_H */
