// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Walks: steps to an address that the trace names, without atoms for the way.
 *
 * If the run becomes full during a walk, the walk is called again for the next run.  Each walk is
 * first tried with decoder.planning set, to see if it reaches the address.
 */
#include "flow.h"

static const struct csf_block *here(const struct csf_decoder *d)
{
	return &d->image->blocks.block[d->exec.cur].pub;
}

static bool is_cut(const struct csf_block *b)
{
	return b->flags & CSF_FLAG_CUT;
}

/* Passes the current block, not taken. */
static bool pass(struct csf_decoder *d)
{
	uint32_t number = d->exec.cur;

	if (!flow_step(d, number, false))
		return false;
	exec_leave(d, number, false);
	return true;
}

/* Does a branch at the end of @b lead to the instruction after it either way? */
static bool goes_on(const struct csf_block *b)
{
	return b->kind == CSF_INSN_BRANCH && b->target == (int64_t)(b->offset + b->size);
}

/*
 * Can execution have passed @b with no branch taken?  @it: see struct follow; set to that after @b.
 */
static bool passes(const struct csf_decoder *d, const struct csf_block *b, uint8_t *it)
{
	const bool strict = d->el.flags & EL_STRICT;
	const bool in_it = strict && b->isa == CSF_T32 && block_it(d->image, b, it);

	return is_cut(b) || b->flags & CSF_FLAG_COND || in_it || (strict && goes_on(b));
}

/* Executes only the first @bytes of the block; execution is then after them. */
static enum followed pass_part(struct csf_decoder *d, uint32_t bytes, bool *inside)
{
	uint32_t cut = exec_part(d, d->exec.cur, bytes, inside);

	if (!cut)
		return FOLLOW_ERROR;
	d->exec.cur = cut;
	return pass(d) ? FOLLOW_DONE : FOLLOW_FULL;
}

static enum followed find(struct csf_decoder *d)
{
	switch (exec_locate(d)) {
	case EXEC_FOUND:
		return FOLLOW_DONE;
	case EXEC_ERROR:
		return FOLLOW_ERROR;
	default:
		return FOLLOW_NO_CODE;
	}
}

enum followed follow_to(struct csf_decoder *d, uint64_t to, bool *inside)
{
	*inside = false;
	for (;;) {
		enum followed found = find(d);
		const struct csf_block *b;
		uint64_t pc;
		uint8_t it;

		if (found == FOLLOW_ERROR)
			return found;
		pc = exec_pc(d);
		if (pc >= to)
			return FOLLOW_DONE;
		if (d->follow.followed == FOLLOW_MAX)
			return FOLLOW_STUCK;
		if (found != FOLLOW_DONE)
			return found;

		b = here(d);
		if (to - pc < b->size)
			return pass_part(d, to - pc, inside);
		it = d->follow.it;
		if (!passes(d, b, &it)) {
			found = FOLLOW_DONE;
			if (b->n_insn > 1)
				found = pass_part(d, b->size - b->last_size, inside);
			return found == FOLLOW_DONE ? FOLLOW_STUCK : found;
		}
		d->follow.passed |= !is_cut(b);
		if (!pass(d))
			return FOLLOW_FULL;
		d->follow.it = it;
		d->follow.followed++;
	}
}

enum followed follow_to_source(struct csf_decoder *d, uint64_t at)
{
	while (d->follow.followed < FOLLOW_MAX) {
		enum followed found = find(d);
		const struct csf_block *b;
		uint64_t pc, last;
		uint32_t number;
		uint8_t it = d->follow.it;

		if (found != FOLLOW_DONE)
			return found;
		b = here(d);
		pc = exec_pc(d);
		last = pc + b->size - b->last_size;
		if (pc > at || last > at || (last == at && is_cut(b)))
			return FOLLOW_STUCK;
		if (last == at) {
			number = d->exec.cur;
			if (!flow_step(d, number, true))
				return FOLLOW_FULL;
			follow_leave(d, number, true, true);
			return FOLLOW_DONE;
		}
		if (!passes(d, b, &it) &&
		    (d->el.flags & EL_STRICT || follow_must_take(d, d->exec.cur)))
			return FOLLOW_STUCK;
		if (!pass(d))
			return FOLLOW_FULL;
		d->follow.it = it;
		d->follow.followed++;
	}
	return FOLLOW_STUCK;
}

/* Is @to the address of @offset in the block's section? */
static bool is_at(const struct csf_decoder *d, const struct csf_block *b, int64_t offset,
		  uint64_t to)
{
	uint64_t addr = exec_base(d) + offset;

	return b->isa == CSF_A64 ? addr == to : (uint32_t)addr == (uint32_t)to;
}

/*
 * Was the P0 instruction that ends the block, and is followed by @to, taken?  < 0: neither way
 * leads to @to.  In T32, IT may make any branch conditional.
 */
static int direction(const struct csf_decoder *d, const struct csf_block *b, uint64_t to)
{
	bool next = is_at(d, b, b->offset + b->size, to);

	if (b->kind == CSF_INSN_INDIRECT)
		return 1;
	if (b->kind != CSF_INSN_BRANCH)
		return next ? 1 : -1;
	if (next && (b->flags & CSF_FLAG_COND || b->isa == CSF_T32))
		return 0;
	return is_at(d, b, b->target, to) ? 1 : -1;
}

static enum followed last_step(struct csf_decoder *d, uint64_t to)
{
	int taken = direction(d, here(d), to);

	if (taken < 0)
		return FOLLOW_STUCK;
	return flow_step(d, d->exec.cur, taken) ? FOLLOW_DONE : FOLLOW_FULL;
}

enum followed follow_count(struct csf_decoder *d, uint32_t n, uint64_t to)
{
	uint32_t left = n;

	for (;;) {
		enum followed found = find(d);
		const struct csf_block *b;
		uint64_t pc;

		if (found == FOLLOW_ERROR)
			return found;
		pc = exec_pc(d);
		if (left == d->follow.counted)
			return pc == to ? FOLLOW_DONE : FOLLOW_STUCK;
		if (d->follow.followed == FOLLOW_MAX)
			return FOLLOW_STUCK;
		if (found != FOLLOW_DONE)
			return found;
		b = here(d);
		if (left - d->follow.counted < b->n_insn) {
			uint32_t cut = exec_first(d, d->exec.cur, left - d->follow.counted);

			if (!cut)
				return FOLLOW_ERROR;
			d->exec.cur = cut;
			b = here(d);
		} else if (!is_cut(b)) {
			return left - d->follow.counted == b->n_insn ? last_step(d, to) :
								       FOLLOW_STUCK;
		}
		left = n;
		if (!flow_step(d, d->exec.cur, false))
			return FOLLOW_FULL;
		d->follow.counted += b->n_insn;
		exec_leave(d, d->exec.cur, false);
		d->follow.followed++;
	}
}
