/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a thread has called and not returned from, as slices that begin and end.
 *
 * Begin and end always balance, and slices nest: what ends, ends with all that it called.
 */
#ifndef CSF_TIMELINE_STACK_H
#define CSF_TIMELINE_STACK_H

#include "timeline-out.h"

/* Deeper than this, all is ended and begins anew. */
#define TIMELINE_DEPTH	16384

/**
 * struct timeline_frame - a slice that has begun
 * @begin: when
 * @ret: where a return from it goes; 0: not known
 * @name: number; @before: of the function that went on as this one, without a call
 * @kind: enum slice_kind
 * @left: SLICE_SIGNAL: the handler has returned
 */
struct timeline_frame {
	uint64_t begin, ret;
	uint32_t name, before;
	uint8_t kind;
	bool left;
};

/**
 * struct timeline_stack - the slices of one track
 * @frame: @n of them, the outermost first; @n_written are in the file, the outermost ones
 * @track: where they are shown
 * @last: time of what happened last
 * @since: they are shown from here on, unless they are @hidden
 * @stream, @trace_nr: where it ran last, and losses there by then
 * @space: address space
 * @loss: of a SLICE_LOST, which is the outermost
 */
struct timeline_stack {
	struct timeline_frame *frame;
	size_t n, size, n_written;
	struct timeline_track track;
	uint64_t last, since;
	uint32_t stream;
	uint64_t trace_nr;
	int space;
	bool hidden;
	struct timeline_loss loss;
};

/* How control gets somewhere. */
enum timeline_move { MOVE_JUMP, MOVE_CALL, MOVE_RETURN, MOVE_EXCEPTION, MOVE_ERET };

/**
 * struct timeline_step - a branch
 * @move: enum timeline_move
 * @kind: MOVE_EXCEPTION: of what begins, enum slice_kind
 * @from: number of the function that it leaves
 * @to: where it goes
 * @addr: that as an address; @ret: a call or an exception: where it returns to
 * @time: when
 */
struct timeline_step {
	uint8_t move, kind;
	uint32_t from;
	struct timeline_place to;
	uint64_t addr, ret, time;
};

/* All of these return 0, or -1: no memory. */

/* A slice begins inside all others. */
int timeline_push(struct timeline_out *o, struct timeline_stack *s,
		  const struct timeline_frame *frame);

/* A branch was taken. */
int timeline_step(struct timeline_out *o, struct timeline_stack *s,
		  const struct timeline_step *step);

/* Trace goes on at @step.addr, behind a SLICE_OFF or its like, or from nothing. */
int timeline_resume(struct timeline_out *o, struct timeline_stack *s,
		    const struct timeline_step *step);

/* The innermost ends until @n are left. */
void timeline_pop(struct timeline_out *o, struct timeline_stack *s, size_t n, uint64_t time);

/* Time goes by: what has been going on for long enough is written. */
void timeline_pass(struct timeline_out *o, struct timeline_stack *s, uint64_t time);

/* What is in the file ends there; what goes on is shown again when @hidden is false. */
void timeline_hide(struct timeline_out *o, struct timeline_stack *s, uint64_t time);

static inline struct timeline_frame *timeline_top(struct timeline_stack *s)
{
	return s->n ? &s->frame[s->n - 1] : NULL;
}

#endif /* CSF_TIMELINE_STACK_H */
