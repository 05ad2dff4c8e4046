/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read-ahead: other threads decode segments of what a decoder was fed, before their turn.  The
 * decoder hands out what they made, if that is what it would have made itself.
 *
 * Nobody can tell: the runs are the same, and so are the calls.  While a segment is handed out the
 * decoder itself stays where that begins.  Where the caller has other wishes than were guessed
 * (address space, time, limit, changed maps) it decodes once more what was handed out, without
 * handing it out, and goes on from there.
 */
#ifndef CSF_READ_AHEAD_H
#define CSF_READ_AHEAD_H

#include "threads.h"

/**
 * struct fed - bytes that a decoder was fed, or is going to be
 * @bytes: borrowed, @n of them; @offset of the first
 * @next: index of the A-sync of the next segment; @next_own: of its address, 0: there is none
 */
struct fed {
	const uint8_t *bytes;
	size_t n;
	uint64_t offset;
	size_t next, next_own;
};

/**
 * struct read_ahead - of one decoder
 * @dec: whose it is; @others: of decoders of the same image
 * @threads: borrowed
 * @segment: ring of room for @n_segment; those from @head up to @tail are in use
 * @now: what was fed last; @next: what follows, if that is known; segments of it come last
 * @guess: for contexts, as of @guess_stamp; @guesses: there is any; @to: the last context;
 *         @chooses: the caller has chosen some space
 * @announced: @now was @next before
 * @arrived: the decoder is where the first segment begins
 * @handing: it is handed out: @n_run of its runs, and @n_step and @n_mark of the next, with
 *           @n_ran steps of paths, too
 * @base: steps before it
 * @pos: what is handed out ends here, see read_ahead_pos()
 * @end, @end_offset: of the run that was handed out last
 * @steady: times at which maps of @space are as at the time of the segment
 * @n_taken, @n_refused, @n_again: segments that were handed out; that were not, for their state was
 *         another; that were decoded again
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
	uint64_t base, pos;
	uint8_t end;
	uint64_t end_offset;
	struct steady steady;
	int space;
	uint64_t n_taken, n_refused, n_again;
};

/* What was fed, from @offset on; nothing of what was fed before is in use.  @n is not 0. */
void read_ahead_feed(struct csf_decoder *d, const uint8_t *bytes, size_t n, uint64_t offset);

/* What will be fed next, if anything else is not; @n is 0: nobody knows. */
void read_ahead_next_feed(struct csf_decoder *d, const uint8_t *bytes, size_t n);

/* csf_next() of a decoder that has others decode. */
int read_ahead_next(struct csf_decoder *d, struct csf_run *run);

/* The decoder becomes what it is behind what was handed out.  Return: 0 or CSF_ERR_MEMORY. */
int read_ahead_settle(struct csf_decoder *d);

/* What @space maps is about to change, or, if CSF_SPACE_ALL, any: settles whom that concerns. */
void read_ahead_image_changes(struct csf_image *image, int space);

/* Nothing of what was fed is wanted. */
void read_ahead_reset(struct csf_decoder *d);
void read_ahead_free(struct csf_decoder *d);

/* What stands before this was handed out; 0: the decoder itself knows. */
uint64_t read_ahead_pos(const struct csf_decoder *d);

#endif /* CSF_READ_AHEAD_H */
