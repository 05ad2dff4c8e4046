/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ahead: of what a decoder was fed, other threads decode pieces before it is their turn, and the
 * decoder hands out what they made, if that is what it would have made itself.
 *
 * Nobody can tell: the runs are the same, and so are the calls.  While a piece is handed out the
 * decoder itself stays where that begins.  Where the caller has other wishes than were guessed
 * (address space, time, limit, changed maps) it decodes once more what was handed out, without
 * handing it out, and goes on from there.
 */
#ifndef CSF_AHEAD_H
#define CSF_AHEAD_H

#include "threads.h"

/**
 * struct fed - bytes that a decoder was fed, or is going to be
 * @bytes: borrowed, @n of them; @offset of the first
 * @next: index of the A-sync of the next piece; @next_own: of its address, 0: there is none
 */
struct fed {
	const uint8_t *bytes;
	size_t n;
	uint64_t offset;
	size_t next, next_own;
};

/**
 * struct ahead - of one decoder
 * @dec: whose it is; @others: of decoders of the same image
 * @threads: borrowed
 * @piece: ring of room for @n_piece; those from @head up to @tail are in use
 * @now: what was fed last; @next: what follows, if that is known; pieces of it come last
 * @guess: for contexts, as of @guess_stamp; @guesses: there is any; @to: the last context;
 *         @chooses: the caller has chosen some space
 * @announced: @now was @next before
 * @arrived: the decoder is where the first piece begins
 * @handing: it is handed out: @n_run of its runs, and @n_step and @n_mark of the next, with
 *           @n_ran steps of paths, too
 * @base: steps before it
 * @pos: what is handed out ends here, see ahead_pos()
 * @end, @end_offset: of the run that was handed out last
 * @steady: times at which maps of @space are as at the time of the piece
 * @n_taken, @n_refused, @n_again: pieces that were handed out; that were not, for their state was
 *         another; that were decoded again
 */
struct ahead {
	struct csf_decoder *dec;
	struct ahead *others;
	struct csf_threads *threads;
	struct piece **piece;
	size_t n_piece, head, tail;
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
void ahead_feed(struct csf_decoder *d, const uint8_t *bytes, size_t n, uint64_t offset);

/* What will be fed next, if anything else is not; @n is 0: nobody knows. */
void ahead_next_feed(struct csf_decoder *d, const uint8_t *bytes, size_t n);

/* csf_next() of a decoder that has others decode. */
int ahead_next(struct csf_decoder *d, struct csf_run *run);

/* The decoder becomes what it is behind what was handed out.  Return: 0 or CSF_ERR_MEMORY. */
int ahead_settle(struct csf_decoder *d);

/* What @space maps is about to change, or, if CSF_SPACE_ALL, any: settles whom that concerns. */
void ahead_image_changes(struct csf_image *image, int space);

/* Nothing of what was fed is wanted. */
void ahead_reset(struct csf_decoder *d);
void ahead_free(struct csf_decoder *d);

/* What stands before this was handed out; 0: the decoder itself knows. */
uint64_t ahead_pos(const struct csf_decoder *d);

#endif /* CSF_AHEAD_H */
