// SPDX-License-Identifier: GPL-2.0-only
#include "jump-parts.h"

/* Moves between two looks for an interrupt. */
#define LOOK_EVERY	65536

bool jump_stopped(const struct walk *walk, const struct walk_at *at, uint64_t n)
{
	return !(n % LOOK_EVERY) && n && walk->look &&
	       !walk->look(walk->ctx, at->part, walk->track->n);
}

/* ---------------------------------------------------------------- calls */

/* Does an exception lead to a higher level, whose trace is here? */
static bool rises(struct walk *walk, const struct walk_at *at, const struct window_run *r)
{
	const uint8_t el = r->el;
	struct walk_at next = *at;

	if (walk_step(walk, &next, WALK_FORWARD) != WALK_MOVED)
		return false;
	r = walk_run(walk, &next);
	return r && r->el > el;
}

int jump_depth(struct walk *walk, const struct walk_at *at)
{
	const struct window_run *r = walk_run(walk, at);
	struct csf_block b;
	bool taken;

	if (!walk_block(walk, at, &b, &taken))
		return r && r->end == CSF_END_EXCEPTION && rises(walk, at, r);
	if (!taken || b.flags & CSF_FLAG_CUT)
		return 0;
	return b.flags & CSF_FLAG_LINK ? 1 : b.flags & (CSF_FLAG_RET | CSF_FLAG_ERET) ? -1 : 0;
}

bool jump_loses(struct walk *walk, const struct walk_at *at)
{
	const struct window_run *r = walk_run(walk, at);

	if (!r || at->step < r->n)
		return false;
	return (r->end == CSF_END_GAP && r->value != CSF_GAP_OFF && r->value != CSF_GAP_START) ||
	       r->truncated;
}

static uint32_t tid_at(struct walk *walk, const struct walk_at *at)
{
	const struct window_run *r = walk_run(walk, at);

	return r ? r->tid : PERF_NO_TID;
}

/*
 * Goes to the item of the same thread with which execution has left @depth functions; backward: to
 * the one that entered them.
 */
static int level(struct walk *walk, struct walk_at *at, int direction, int depth)
{
	const uint32_t tid = tid_at(walk, at);
	struct walk_at to = *at;
	int ret;

	for (uint64_t n = 1; ; n++) {
		ret = walk_step(walk, &to, direction);
		if (ret != WALK_MOVED)
			return ret;
		if (tid_at(walk, &to) != tid)
			continue;
		if (jump_loses(walk, &to)) {
			*at = to;
			return JUMP_GAP;
		}
		if (jump_stopped(walk, &to, n))
			return WALK_STOPPED;
		depth += direction * jump_depth(walk, &to);
		if (!depth)
			break;
	}
	*at = to;
	return WALK_MOVED;
}

static bool is_last(struct walk *walk, const struct walk_at *at)
{
	struct csf_block b;
	bool taken;

	return !walk_block(walk, at, &b, &taken) || at->insn + 1 == b.n_insn;
}

int jump_over(struct walk *walk, struct walk_at *at, int direction)
{
	struct walk_at to = *at;
	int ret;

	if (direction > 0 && is_last(walk, at) && jump_depth(walk, at) > 0) {
		ret = level(walk, &to, direction, 1);
		if (ret == WALK_MOVED)
			ret = walk_step(walk, &to, direction);
	} else {
		ret = walk_insn(walk, &to, direction);
		if (ret == WALK_MOVED && direction < 0 && !at->insn && jump_depth(walk, &to) < 0)
			ret = level(walk, &to, direction, 1);
	}
	if (ret == WALK_MOVED || ret == JUMP_GAP)
		*at = to;
	return ret;
}

int jump_out(struct walk *walk, struct walk_at *at, int direction)
{
	struct walk_at to = *at;
	const int depth = direction > 0 ? 1 + jump_depth(walk, at) : 1;
	int ret = depth ? level(walk, &to, direction, depth) : WALK_MOVED;

	if (ret == WALK_MOVED && direction > 0)
		ret = walk_step(walk, &to, direction);
	if (ret == WALK_MOVED || ret == JUMP_GAP)
		*at = to;
	return ret;
}
