/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The calls of a thread that have not returned, as slices that begin and end.
 *
 * Begins and ends always balance, and slices nest: a slice ends together with all that it called.
 */
#ifndef CSF_TIMELINE_STACK_H
#define CSF_TIMELINE_STACK_H

#include "timeline-out.h"

/* The greatest depth: at more, all slices end and begin anew. */
#define TIMELINE_DEPTH	16384

/**
 * struct timeline_frame - a slice that has begun
 * @begin: time when it began
 * @ret: target of a return from it; 0: unknown
 * @inlined: SLICE_INLINED: the place where it is inlined
 * @name: number; @before: of the function that this one replaced by a jump
 * @kind: enum slice_kind
 * @left: SLICE_SIGNAL: the handler has returned
 * @unseen: it counts as written, but its function is not chosen
 */
struct timeline_frame {
	uint64_t begin, ret;
	const struct elf_inlined *inlined;
	uint32_t name, before;
	uint8_t kind;
	bool left, unseen;
};

/**
 * struct timeline_stack - the slices of one track
 * @frame: @n of them, the outermost first; @n_written are in the file, the outermost ones
 * @track: the track that shows them
 * @last: time of the last event
 * @since: time from which they are shown, unless they are @hidden
 * @stream, @trace_nr: where the thread ran last, and the losses there by then
 * @space: address space
 * @loss: of a SLICE_LOST, which is then the outermost
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

/* The kinds of control flow. */
enum timeline_move { MOVE_JUMP, MOVE_CALL, MOVE_RETURN, MOVE_EXCEPTION, MOVE_ERET };

/**
 * struct timeline_step - a branch
 * @move: enum timeline_move
 * @kind: MOVE_EXCEPTION: enum slice_kind of the new slice
 * @from: number of the function that the branch leaves
 * @to: its target
 * @in_from, @in_to: the innermost inlined functions at both; NULL: none, or not wanted
 * @addr: address of the target; @ret: for a call or an exception, the return address
 * @time: time of the branch
 */
struct timeline_step {
	uint8_t move, kind;
	uint32_t from;
	struct timeline_function to;
	const struct elf_inlined *in_from, *in_to;
	uint64_t addr, ret, time;
};

/* All of these return 0, or -1: no memory. */

/* Begins a slice inside all others. */
int timeline_push(struct timeline_out *o, struct timeline_stack *s,
		  const struct timeline_frame *frame);

/* Handles a taken branch. */
int timeline_step(struct timeline_out *o, struct timeline_stack *s,
		  const struct timeline_step *step);

/* Ends the innermost inlined functions: the function that they are in goes on. */
void timeline_leave_inlined(struct timeline_out *o, struct timeline_stack *s, uint64_t time);

/* Trace goes on at @step.addr, after a SLICE_OFF or similar, or begins there. */
int timeline_resume(struct timeline_out *o, struct timeline_stack *s,
		    const struct timeline_step *step);

/* Ends the innermost slices until @n are left. */
void timeline_pop(struct timeline_out *o, struct timeline_stack *s, size_t n, uint64_t time);

/* Advances time: slices that last long enough are written. */
void timeline_pass(struct timeline_out *o, struct timeline_stack *s, uint64_t time);

/* Ends the written slices; those that go on are shown again when @hidden is false. */
void timeline_hide(struct timeline_out *o, struct timeline_stack *s, uint64_t time);

static inline struct timeline_frame *timeline_top(struct timeline_stack *s)
{
	return s->n ? &s->frame[s->n - 1] : NULL;
}

#endif /* CSF_TIMELINE_STACK_H */
