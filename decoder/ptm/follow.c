// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Elements of PTM to steps, where the flow needs help: the trace says how far execution came, and
 * not where an exception returns to.
 */
#include "parts.h"

static bool knows_place(const struct csf_decoder *d)
{
	return d->exec.known && !d->exec.returns && d->flow.ctx.known;
}

/* Takes the target of a return from the return stack, if a return waits for it. */
static void locate_return(struct csf_decoder *d)
{
	if (d->exec.known && d->exec.returns && d->flow.ctx.known)
		exec_locate(d);
}

/* An exception hit where execution is.  After a reset that says nothing. */
static void place_exception(struct csf_decoder *d)
{
	locate_return(d);
	if (d->flow.err || !knows_place(d) || d->el.exception == PTM_EXC_RESET)
		return;
	d->el.addr = exec_pc(d);
	d->el.is1 = exec_isa(d) == CSF_T32;
	d->el.flags |= EL_ADDR;
}

/* The place cannot be reached. */
static bool stuck(struct csf_decoder *d, enum csf_gap gap, uint64_t from)
{
	flow_open_gap(d, gap, 0, 0);
	d->out.run->from = from;
	d->out.run->addr = gap == CSF_GAP_IMAGE ? from : d->el.addr;
	d->flow.gap_addr = d->out.run->addr;
	return true;
}

/* Steps over a cut block.  Returns false if the run ended first. */
static bool pass(struct csf_decoder *d, uint32_t cut)
{
	d->exec.cur = cut;
	if (!flow_step(d, cut, false))
		return false;
	exec_leave(d, cut, false);
	return true;
}

/*
 * Steps over the first @bytes of the current block, and over the instruction there if d->el.count
 * is 1.  Returns true if the element is done.
 */
static bool pass_part(struct csf_decoder *d, uint32_t bytes)
{
	bool inside;
	const uint32_t cut = exec_part(d, d->exec.cur, bytes + d->el.count, &inside);

	if (!cut)
		return false;
	if (!d->el.count && flow_block(d, cut)->pub.size != bytes)
		return stuck(d, CSF_GAP_WALK, exec_pc(d));
	return pass(d, cut);
}

/* Execution is at d->el.addr, wherever it came from.  Returns false if the run ended first. */
static bool begin(struct csf_decoder *d)
{
	bool done;

	d->el.type = EL_ADDRESS;
	done = flow_element(d);
	d->el.type = PTM_EL_REACH;
	return done;
}

/*
 * Steps to d->el.addr: over cut blocks, then over a part of a block.  The limit holds for all runs
 * of the way together.
 */
static bool reach(struct csf_decoder *d)
{
	const struct element *el = &d->el;
	const bool may_begin = el->flags & EL_ADDR && d->flow.ctx.known;

	locate_return(d);
	if (d->flow.err)
		return false;
	if (!knows_place(d) && !may_begin)
		return true;
	if (!knows_place(d) && !begin(d))
		return false;
	if (el->addr < exec_pc(d))
		return stuck(d, CSF_GAP_WALK, exec_pc(d));
	for (;;) {
		const uint64_t pc = exec_pc(d), left = el->addr - pc;
		const struct csf_block *b;

		if (!left && !el->count)
			return true;
		if (d->exec.cuts == CUT_MAX)
			break;
		switch (exec_locate(d)) {
		case EXEC_FOUND:
			break;
		case EXEC_ERROR:
			return false;
		default:
			stuck(d, CSF_GAP_IMAGE, pc);
			return !left || !may_begin;
		}
		b = &flow_block(d, d->exec.cur)->pub;
		if (left < b->size)
			return pass_part(d, left);
		if (!(b->flags & CSF_FLAG_CUT))
			break;
		if (!pass(d, d->exec.cur))
			return false;
		d->exec.cuts++;
	}
	return stuck(d, CSF_GAP_WALK, exec_pc(d));
}

/* As flow_element() does for elements that lead to steps. */
static bool reach_element(struct csf_decoder *d)
{
	if (d->out.n_mark > MARK_MAX - 4) {
		flow_end(d, CSF_END_FULL);
		return false;
	}
	if (!d->el.begun)
		flow_mark(d, CSF_MARK_PACKET);
	d->el.begun = true;
	if (!reach(d))
		return false;
	d->exec.cuts = 0;
	return true;
}

bool ptm_element(struct csf_decoder *d)
{
	struct element *el = &d->el;

	if (el->type == PTM_EL_REACH)
		return reach_element(d);
	if (el->type == EL_EXCEPTION && !el->begun)
		place_exception(d);
	if (el->type == EL_CYCLES)
		classic_place_cycles(d);
	return d->flow.err ? false : flow_element(d);
}
