// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "jump-parts.h"

static int add(struct walk *walk, const struct walk_at *at, struct jump_stack *stack)
{
	struct jump_frame *frame = &stack->frame[stack->n];
	struct walk_at insn = *at;
	struct walk_item item;

	/* The instruction before an exception is the one that it interrupted. */
	if (walk_look(walk, &insn, &item))
		return -ENOMEM;
	if (item.kind != WALK_INSN && walk_step(walk, &insn, WALK_BACK) == WALK_MOVED &&
	    walk_look(walk, &insn, &item))
		return -ENOMEM;
	if (item.kind != WALK_INSN)
		return 0;
	*frame = (struct jump_frame){
		.at = insn, .addr = item.addr, .section = item.section, .offset = item.offset,
	};
	stack->n++;
	return 0;
}

int jump_stack(struct walk *walk, const struct walk_at *at, uint32_t parts,
	       struct jump_stack *stack)
{
	const struct window_run *r = walk_run(walk, at);
	const uint32_t tid = r ? r->tid : PERF_NO_TID;
	struct walk_at to = *at;
	int ret, depth = 0, d;

	*stack = (struct jump_stack){ .n = 0 };
	ret = add(walk, at, stack);
	while (!ret && stack->n < JUMP_FRAMES) {
		ret = walk_step(walk, &to, WALK_BACK);
		stack->limit = ret == WALK_NONE || at->part - to.part > parts;
		if (ret || stack->limit)
			break;
		r = walk_run(walk, &to);
		if (!r || r->tid != tid)
			continue;
		stack->gap = jump_loses(walk, &to);
		if (stack->gap)
			break;
		d = jump_depth(walk, &to);
		if (d > 0 && !depth)
			ret = add(walk, &to, stack);
		else
			depth -= d;
	}
	return ret < 0 ? ret : 0;
}
