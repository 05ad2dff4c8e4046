// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * P0 elements: where execution went.
 *
 * Atoms give the direction of one branch each; exceptions, source addresses and Q elements name an
 * address, and the way there is walked.
 */
#include "flow.h"

/* -------- atoms */

/* Steps over a cut block, which takes no atom.  Returns true if execution can go on. */
static bool step_cut(struct csf_decoder *d)
{
	uint32_t cur = d->exec.cur;

	if (!flow_step(d, cur, false))
		return false;
	exec_leave(d, cur, false);
	return ++d->exec.cuts < CUT_MAX;
}

void follow_leave(struct csf_decoder *d, uint32_t number, bool taken, bool traced)
{
	uint8_t slow = flow_block(d, number)->slow;

	if (slow & BLOCK_LINK && traced)
		exec_push(d, number);
	if (slow & BLOCK_INDIRECT && taken) {
		if (!(slow & BLOCK_OUT))
			d->exec.retstack.n = 0;
		d->exec.returns = true;
		d->exec.cur = 0;
		d->exec.from = 0;
		return;
	}
	exec_leave(d, number, taken);
}

/* There is no code for the next atom.  Returns true if the run ends with CSF_END_CODE for it. */
static bool ask_code(struct csf_decoder *d)
{
	uint64_t pc = exec_pc(d), at = flow_now(d);

	if (!flow_asks(d) || (d->flow.asked_pc == pc && d->flow.asked_at == at + 1))
		return false;
	d->flow.asked_pc = pc;
	d->flow.asked_at = at + 1;
	flow_end(d, CSF_END_CODE);
	d->out.run->addr = pc;
	return true;
}

/* Finds the block of the next atom, and steps over blocks that take no atom. */
static bool find_block(struct csf_decoder *d, unsigned int n)
{
	enum located why = EXEC_FOUND;
	uint64_t addr;

	while (d->exec.cuts < CUT_MAX) {
		why = exec_locate(d);
		if (why != EXEC_FOUND) {
			if (why == EXEC_NO_CODE && ask_code(d))
				return false;
			flow_lose(d, why, n);
			return false;
		}
		if (likely(!(flow_block(d, d->exec.cur)->slow & BLOCK_CUT)))
			return true;
		if (!step_cut(d) && d->out.ended)
			return false;
	}
	addr = exec_pc(d);
	flow_open_gap(d, CSF_GAP_WALK, n, 0);
	d->out.run->addr = addr;
	d->out.run->from = addr;
	d->flow.gap_addr = addr;
	return false;
}

bool follow_must_take(const struct csf_decoder *d, uint32_t number)
{
	const struct csf_block *b = &flow_block(d, number)->pub;

	/* some units give an N atom for a branch to the next instruction */
	return d->config.checks && load_link(&d->image->blocks.succ[number << 1]) & SUCC_AWAY &&
	       !(b->kind == CSF_INSN_BRANCH && b->target == (int64_t)(b->offset + b->size));
}

/* The current block ends with an instruction that cannot have been left with an N atom. */
static void gap_not_taken(struct csf_decoder *d)
{
	const struct csf_block *b = &flow_block(d, d->exec.cur)->pub;
	const uint64_t pc = exec_pc(d);

	flow_open_gap(d, CSF_GAP_WALK, d->el.n, 0);
	d->out.run->flags = CSF_GAP_NOT_TAKEN;
	d->out.run->from = pc;
	d->out.run->addr = pc + b->size - b->last_size;
	d->flow.gap_addr = d->out.run->addr;
}

/*
 * Steps through the atoms of d->el until they are used up, the run is full, or execution is lost.
 * flow_fast() does the same for most atoms.
 */
bool follow_atoms(struct csf_decoder *d)
{
	struct element *el = &d->el;

	for (; el->n; el->n--) {
		bool taken = el->val & 1;
		uint32_t cur;

		if (!find_block(d, el->n))
			return !d->out.ended || (d->out.run->end != CSF_END_FULL &&
					     d->out.run->end != CSF_END_CODE);
		cur = d->exec.cur;
		if (!taken && unlikely(follow_must_take(d, cur))) {
			gap_not_taken(d);
			return true;
		}
		if (!flow_step(d, cur, taken))
			return false;
		d->exec.cuts = 0;
		follow_leave(d, cur, taken, el->init & 1);
		el->val >>= 1;
		el->init >>= 1;
	}
	return true;
}

/* -------- walks */

/* At the start of a walk, what is known of the way. */
static struct follow follow_start(const struct csf_decoder *d, bool planning)
{
	return (struct follow){
		.planning = planning, .it = d->el.flags & EL_IT ? IT_MAX : 0,
	};
}

/* Sets @result to the number of steps that @walk would take from here; changes nothing else. */
#define PLAN(d, result, walk) do {			\
	struct exec was = (d)->exec;			\
							\
	(d)->follow = follow_start(d, true);		\
	(result) = (walk);				\
	(d)->follow.planning = false;			\
	(d)->follow.followed = 0;			\
	(d)->follow.counted = 0;			\
	(d)->follow.it = follow_start(d, false).it;	\
	(d)->exec = was;				\
} while (0)

/* One mark for all @n steps, so that listings can show them as one range. */
static void mark_walk(struct csf_decoder *d, uint16_t kind, uint64_t value, uint32_t n)
{
	struct csf_mark *m = flow_mark(d, kind);

	if (m) {
		m->value = value;
		m->count = n;
	}
}

/* A walk was not possible.  @to: its goal. */
static void gap_in_walk(struct csf_decoder *d, enum followed why, uint64_t to)
{
	uint64_t pc = exec_pc(d);

	flow_open_gap(d, why == FOLLOW_NO_CODE ? CSF_GAP_IMAGE : CSF_GAP_WALK, 0, 0);
	d->out.run->from = pc;
	d->out.run->addr = why == FOLLOW_NO_CODE ? pc : to;
	d->flow.gap_addr = d->out.run->addr;
}

/*
 * Addresses of AArch32 are modulo 2^32, whatever upper half they get from the history of addresses.
 */
static void wrap_address(struct csf_decoder *d)
{
	if (d->flow.ctx.known && !d->flow.ctx.bits64)
		d->el.addr = (uint32_t)d->el.addr;
}

/* -------- exceptions */

#define M_RESET		1
#define M_DEBUG_HALT	0x18
#define A_RESET		0
#define A_DEBUG_HALT	1
#define A_SYSTEM_ERROR	4

/* Is there an address to walk to?  Not for a reset, even if one follows, nor in a tail chain. */
static bool returns_somewhere(const struct csf_decoder *d)
{
	const struct element *el = &d->el;

	if (d->config.profile != CSF_PROFILE_M)
		return el->flags & EL_ADDR && el->exception != A_RESET;
	return el->flags & EL_ADDR && el->exception != M_RESET && (el->addr | 1) != 0xffffffff;
}

static uint16_t exception_flags(const struct csf_decoder *d)
{
	const struct element *el = &d->el;
	bool m = d->config.profile == CSF_PROFILE_M;
	uint16_t flags = 0;

	if (!returns_somewhere(d))
		flags |= CSF_EXC_NO_ADDR;
	else if (el->flags & EL_TARGET)
		flags |= CSF_EXC_TARGET;
	if (el->val)
		flags |= CSF_EXC_INSIDE;
	if (el->flags & EL_FAULT)
		flags |= CSF_EXC_FAULT_PENDING;
	if (m ? el->exception == M_DEBUG_HALT :
		el->exception == A_DEBUG_HALT || el->exception == A_SYSTEM_ERROR)
		flags |= CSF_EXC_UNRELIABLE;
	return flags;
}

/*
 * Does the return address contradict the code?  Execution cannot have gone back without an atom.
 * In M profile it can, as a loop goes on without another LE; with speculation an address may be
 * that of an instruction that was not executed.
 */
static bool goes_back(const struct csf_decoder *d, uint64_t pc)
{
	return d->config.checks && pc > d->el.addr && d->config.profile != CSF_PROFILE_M &&
	       !d->config.max_spec && !(exception_flags(d) & CSF_EXC_UNRELIABLE);
}

/* Returns the next stage. */
static uint8_t exception_place(struct csf_decoder *d)
{
	struct element *el = &d->el;
	enum followed why;
	uint64_t pc;
	bool inside;

	if (!returns_somewhere(d))
		return STAGE_END;
	if (el->flags & EL_TARGET) {
		if (d->exec.returns && !d->exec.popped)
			exec_match(d, el->addr, el->is1);
		return STAGE_END;
	}
	switch (exec_locate(d)) {
	case EXEC_FOUND:
		break;
	case EXEC_NO_CODE:
		if (exec_pc(d) < el->addr)
			gap_in_walk(d, FOLLOW_NO_CODE, el->addr);
		return STAGE_END;
	case EXEC_EMPTY:
		flow_no_return(d, 0);
		return STAGE_END;
	case EXEC_UNKNOWN:
		return STAGE_END;
	case EXEC_ERROR:
		d->out.ended = true;
		return STAGE_END;
	}
	/* Most exceptions hit in the current block: there is nothing to plan or to mark. */
	d->follow.followed = 0;
	d->follow.it = follow_start(d, false).it;
	pc = exec_pc(d);
	if (goes_back(d, pc)) {
		gap_in_walk(d, FOLLOW_STUCK, el->addr);
		return STAGE_END;
	}
	if (pc >= el->addr || el->addr - pc < flow_block(d, d->exec.cur)->pub.size)
		return STAGE_FOLLOW;
	PLAN(d, why, follow_to(d, el->addr, &inside));
	if (why == FOLLOW_ERROR)
		d->out.ended = true;
	if ((d->follow.planned > 1 || d->follow.passed) && !d->out.ended)
		mark_walk(d, CSF_MARK_WALK, el->addr, d->follow.planned);
	return STAGE_FOLLOW;
}

bool follow_exception(struct csf_decoder *d)
{
	struct element *el = &d->el;
	enum followed why;
	bool inside = false;

	switch (el->stage) {
	case STAGE_START:
		el->count = 0;
		el->stage = STAGE_LOCATE;
		if (el->flags & EL_CTX) {
			el->stage = STAGE_START;
			if (flow_say_more(d))
				return false;
			el->stage = STAGE_LOCATE;
			flow_end_context(d);
			return false;
		}
		fallthrough;
	case STAGE_LOCATE:
		wrap_address(d);
		el->stage = exception_place(d);
		if (d->out.ended)
			return false;
		if (el->stage == STAGE_END)
			break;
		fallthrough;
	case STAGE_FOLLOW:
		why = follow_to(d, el->addr, &inside);
		el->val |= inside;
		if (why == FOLLOW_FULL || why == FOLLOW_ERROR)
			return false;
		el->stage = STAGE_END;
		if (why != FOLLOW_DONE) {
			gap_in_walk(d, why, el->addr);
			return false;
		}
		break;
	default:
		break;
	}

	if (flow_say_more(d))
		return false;
	flow_end(d, CSF_END_EXCEPTION);
	d->out.run->value = el->exception;
	d->out.run->addr = returns_somewhere(d) ? el->addr : 0;
	d->out.run->from = flow_goes_to(d);
	d->out.run->flags = exception_flags(d);
	exec_lose(d);
	d->flow.gap_open = false;
	return true;
}

/* -------- source addresses */

/* Only the instruction at the address is known, not the way to it. */
static bool source_alone(struct csf_decoder *d)
{
	struct element *el = &d->el;
	bool no_push = d->exec.no_push;
	const struct csf_block *b;
	enum located why;

	if (flow_say_more(d))
		return false;
	exec_go(d, el->addr, el->is1);
	exec_back(d, d->flow.ctx.el);
	d->exec.no_push = no_push;	/* it is not a target address */
	why = exec_locate(d);
	if (why != EXEC_FOUND) {
		flow_lose(d, why, 1);
		return true;
	}
	b = &flow_block(d, d->exec.cur)->pub;
	if (b->n_insn != 1 || b->flags & CSF_FLAG_CUT) {
		flow_open_gap(d, CSF_GAP_WALK, 1, 0);
		d->out.run->from = el->addr;
		d->out.run->addr = el->addr;
		d->flow.gap_addr = el->addr;
		return true;
	}
	d->flow.gap_open = false;
	d->follow.followed = 0;
	return follow_to_source(d, el->addr) == FOLLOW_DONE;
}

bool follow_source(struct csf_decoder *d)
{
	struct element *el = &d->el;
	enum followed why = FOLLOW_DONE;
	enum located at;

	if (el->stage == STAGE_START) {
		wrap_address(d);
		at = exec_locate(d);
		el->stage = STAGE_FOLLOW;
		if (at == EXEC_ERROR)
			return false;
		if (at == EXEC_EMPTY) {
			el->stage = STAGE_ALONE;
			flow_no_return(d, 0);
			return false;
		}
		if (at == EXEC_UNKNOWN || (exec_pc(d) > el->addr && !d->config.checks)) {
			el->stage = STAGE_ALONE;
		} else {
			why = FOLLOW_STUCK;
			if (exec_pc(d) <= el->addr)
				PLAN(d, why, follow_to_source(d, el->addr));
			if (why != FOLLOW_DONE) {
				el->stage = STAGE_ALONE;
				gap_in_walk(d, FOLLOW_STUCK, el->addr);
				return false;
			}
			if (d->follow.planned > 1)
				mark_walk(d, CSF_MARK_SOURCE, el->addr, d->follow.planned);
		}
	}
	if (el->stage == STAGE_ALONE)
		return source_alone(d);
	return follow_to_source(d, el->addr) == FOLLOW_DONE;
}

/* -------- Q */

static bool q_place(struct csf_decoder *d)
{
	struct element *el = &d->el;
	enum located why = exec_locate(d);
	enum followed followed = FOLLOW_STUCK;

	if (why != EXEC_FOUND && why != EXEC_NO_CODE) {
		flow_lose(d, why, 1);
		el->stage = STAGE_END;
		return !d->out.ended;
	}
	if (why == EXEC_FOUND && el->flags & EL_COUNT)
		PLAN(d, followed, follow_count(d, el->count, el->addr));
	if (followed == FOLLOW_DONE) {
		el->stage = STAGE_FOLLOW;
		mark_walk(d, CSF_MARK_Q, el->count, d->follow.planned);
		return true;
	}
	if (followed == FOLLOW_ERROR) {
		d->out.ended = true;
		return false;
	}
	el->stage = STAGE_END;
	flow_end(d, CSF_END_Q);
	d->out.run->from = exec_pc(d);
	d->out.run->addr = d->flow.ctx.bits64 ? el->addr : (uint32_t)el->addr;
	d->out.run->value = el->count;
	exec_lose(d);
	return false;
}

bool follow_q(struct csf_decoder *d)
{
	struct element *el = &d->el;

	if (el->stage == STAGE_START) {
		if (!(el->flags & EL_CTX_AFTER))	/* otherwise it may go to AArch64 */
			wrap_address(d);
		if (!q_place(d))
			return false;
	}
	if (el->stage == STAGE_FOLLOW) {
		if (follow_count(d, el->count, el->addr) != FOLLOW_DONE)
			return false;
		el->stage = STAGE_END;
	}
	if (flow_say_more(d))
		return false;
	exec_go(d, el->addr, el->is1);
	exec_back(d, el->flags & EL_CTX_AFTER ? el->ctx.el : d->flow.ctx.el);
	d->flow.gap_open = false;
	if (el->flags & EL_CTX_AFTER)
		flow_end_context(d);
	return true;
}
