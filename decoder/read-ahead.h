/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read-ahead: other threads decode segments of what a decoder was fed, before the decoder gets
 * there.  The decoder hands out their runs, if they are what it would have made itself.
 *
 * The caller sees no difference: the runs are the same, and so are the calls.  While a segment is
 * handed out the decoder itself stays at the start of that segment.  If the caller chooses
 * something other than was guessed (address space, time, limit, changed maps), the decoder decodes
 * again what was handed out, without handing it out again, and goes on from there.
 */
#ifndef CSF_READ_AHEAD_H
#define CSF_READ_AHEAD_H

#include "threads.h"

/**
 * struct fed - bytes that a decoder was fed, or will be fed
 * @bytes: borrowed, @n of them; @offset: of the first
 * @next: index of the A-sync of the next segment; @next_own: index of its address, 0: there is none
 */
struct fed {
	const uint8_t *bytes;
	size_t n;
	uint64_t offset;
	size_t next, next_own;
};

/**
 * struct read_ahead - the read-ahead of one decoder
 * @dec: its decoder; @others: list of those of the same image
 * @threads: borrowed
 * @segment: ring of @n_segment places; those from @head up to @tail are in use
 * @now: the bytes fed last; @next: the bytes that follow, if known; their segments come last
 * @guess: the spaces of contexts, with @guess_stamp; @guesses: there are some; @to: the last
 *         context; @chooses: the caller has chosen a space
 * @announced: @now was @next before
 * @arrived: the decoder is at the start of the first segment
 * @handing: that segment is being handed out: @n_run of its runs, and @n_step and @n_mark of the
 *           next run, @n_ran with the steps of paths
 * @kept: a segment that was handed out, whose last run the caller may still use; NULL: none
 * @base: steps before that segment
 * @pos: end of what was handed out, see read_ahead_pos()
 * @end, @end_offset: end of the run that was handed out last, and its offset
 * @steady: the span of times in which the maps of @space are as at the time of the segment
 * @n_taken, @n_refused, @n_again: segments that were handed out; refused because their state
 *                           differed; decoded again
 */
struct read_ahead {
	struct csf_decoder *dec;
	struct read_ahead *others;
	struct csf_threads *threads;
	struct segment **segment;
	size_t n_segment, head, tail;
	struct fed now, next;
	struct guess guess[GUESS_MAX];
	uint64_t guess_stamp;
	struct csf_context to;
	bool guesses, chooses, announced, arrived, handing;
	size_t n_run, n_step, n_mark;
	uint64_t n_ran;
	struct segment *kept;
	uint64_t base, pos;
	uint8_t end;
	uint64_t end_offset;
	struct steady steady;
	int space;
	uint64_t n_taken, n_refused, n_again;
};

/* @bytes were fed, at @offset; nothing that was fed before is in use.  @n is not 0. */
void read_ahead_feed(struct csf_decoder *d, const uint8_t *bytes, size_t n, uint64_t offset);

/* @bytes will be fed next, unless others are; @n is 0: not known. */
void read_ahead_next_feed(struct csf_decoder *d, const uint8_t *bytes, size_t n);

/* csf_next() of a decoder with threads. */
int read_ahead_next(struct csf_decoder *d, struct csf_run *run);

/* Brings the decoder to the end of what was handed out.  Return: 0 or CSF_ERR_MEMORY. */
int read_ahead_settle(struct csf_decoder *d);

/*
 * The maps of @space are about to change, or all maps if it is CSF_SPACE_ALL: settles the decoders
 * that this concerns.
 */
void read_ahead_image_changes(struct csf_image *image, int space);

/* The bytes fed are not needed any more. */
void read_ahead_reset(struct csf_decoder *d);
void read_ahead_free(struct csf_decoder *d);

/* Offset of the end of what was handed out; 0: the decoder itself knows. */
uint64_t read_ahead_pos(const struct csf_decoder *d);

#endif /* CSF_READ_AHEAD_H */
