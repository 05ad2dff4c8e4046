/* SPDX-License-Identifier: GPL-2.0-only */
/* Common parts of jump.c, jump-line.c and jump-stack.c. */
#ifndef CSF_JUMP_PARTS_H
#define CSF_JUMP_PARTS_H

#include "insn.h"
#include "jump.h"

/* Execution of the item at @at goes into a function: 1; it comes back from one: -1; neither: 0. */
int jump_depth(struct walk *walk, const struct walk_at *at);

/* Are calls and returns missing at @at? */
bool jump_loses(struct walk *walk, const struct walk_at *at);

/* After @n moves, up to @at: does the user want to stop? */
bool jump_stopped(const struct walk *walk, const struct walk_at *at, uint64_t n);

#endif /* CSF_JUMP_PARTS_H */
