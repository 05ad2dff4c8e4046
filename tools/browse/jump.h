/* SPDX-License-Identifier: GPL-2.0-only */
/* Moves by lines and calls, as those of a debugger, and the call stack. */
#ifndef CSF_JUMP_H
#define CSF_JUMP_H

#include "walk.h"

/* Why a move over a call, or out of a function, ended early. */
#define JUMP_GAP	(WALK_STOPPED + 1)	/* at a gap: calls may be missing */

/*
 * Goes to the next instruction of the same function, or of its caller: over a call and what it
 * calls.  Backward: over a return.  As a move, or JUMP_GAP.
 */
int jump_over(struct walk *walk, struct walk_at *at, int direction);

/* Forward: to after the return of the function.  Backward: to its call.  As jump_over(). */
int jump_out(struct walk *walk, struct walk_at *at, int direction);

/*
 * Goes to the first instruction of the next line, or of the line before.  @over: not into calls.
 * Without line numbers: to the next instruction.  As jump_over().
 */
int jump_line(struct walk *walk, struct walk_at *at, int direction, bool over);

/**
 * struct jump_frame - a function that is being executed
 * @at: the call in it, or what interrupted it; of the innermost: the place itself
 * @section, @offset: the instruction there, at address @addr
 */
struct jump_frame {
	struct walk_at at;
	uint64_t addr;
	uint32_t section;
	uint64_t offset;
};

#define JUMP_FRAMES	64

/**
 * struct jump_stack - the functions that are being executed at a place
 * @frame: @n of them, innermost first
 * @limit: the track begins there, or more parts would be needed: the outer ones are not known
 * @gap: a gap is why they are not known
 */
struct jump_stack {
	struct jump_frame frame[JUMP_FRAMES];
	size_t n;
	bool limit, gap;
};

/* The call stack at @at; looks back @parts parts of the track at most.  Return: 0, -ENOMEM. */
int jump_stack(struct walk *walk, const struct walk_at *at, uint32_t parts,
	       struct jump_stack *stack);

#endif /* CSF_JUMP_H */
