// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Flow: elements and program code in, runs of executed blocks out.
 *
 * An element is worked on until it is done or the run ends.  In the second case
 * it is given again for the next run; @stage says how far it is.
 */
#include <assert.h>

#include "flow.h"

static const struct block *block(const struct csf_decoder *d, uint32_t number)
{
	return &d->image->blocks.block[number];
}

/* -------- the run being made */

void flow_begin(struct csf_decoder *d, struct csf_run *run)
{
	*run = (struct csf_run){
		.step = d->step,
		.mark = d->mark,
		.seq = d->seq,
		.context = d->ctx,
		.space = d->space,
		.time = d->time,
		.in_transaction = d->in_transaction,
		.offset = window_offset(&d->win, d->win.pos),
	};
	d->run = run;
	d->ended = false;
	d->n_step = 0;
	d->n_mark = 0;
	place_check(d);
}

void flow_finish(struct csf_decoder *d)
{
	d->run->n = d->n_step;
	d->run->n_mark = d->n_mark;
	d->seq += d->n_step;
	d->stats.steps += d->n_step;
}

/* Steps handed out so far. */
static uint64_t now(const struct csf_decoder *d)
{
	return d->seq + d->n_step;
}

static void end_run(struct csf_decoder *d, enum csf_end_kind end)
{
	d->run->end = end;
	d->run->offset = d->el.offset;
	d->ended = true;
}

/* A mark for the element in hand; NULL: not wanted.  flow_element() has made sure of room. */
static struct csf_mark *add_mark(struct csf_decoder *d, uint16_t kind)
{
	struct csf_mark *m;

	if (!(d->config.marks & kind))
		return NULL;
	assert(d->n_mark < MARK_MAX);
	m = &d->mark[d->n_mark++];
	*m = (struct csf_mark){
		.seq = now(d), .offset = d->el.offset, .at = now(d), .kind = kind,
	};
	return m;
}

bool flow_step(struct csf_decoder *d, uint32_t number, bool taken)
{
	if (d->planning) {
		d->planned++;
		return true;
	}
	if (d->n_step == d->config.run_max) {
		end_run(d, CSF_END_FULL);
		return false;
	}
	d->step[d->n_step++] = number << 1 | taken;
	return true;
}

/* -------- gaps */

static void end_gap(struct csf_decoder *d, enum csf_gap gap, uint64_t lost, uint64_t bytes)
{
	end_run(d, CSF_END_GAP);
	d->run->value = gap;
	d->run->lost = lost;
	d->run->bytes = bytes;
	d->stats.lost += lost;
	d->stats.lost_by[gap] += lost;
	d->stats.skipped += bytes;
	d->stats.skipped_by[gap] += bytes;
}

/* Something is missing from here on, until an address says where execution is. */
static void open_gap(struct csf_decoder *d, enum csf_gap gap, uint64_t lost, uint64_t bytes)
{
	end_gap(d, gap, lost, bytes);
	d->stats.gaps[gap]++;
	d->gap_open = true;
	d->gap = gap;
	place_lose(d);
}

/* What was lost since the gap was opened has to be said before anything else happens. */
static bool say_more(struct csf_decoder *d)
{
	if (!d->more_lost && !d->more_bytes)
		return false;
	end_gap(d, d->gap, d->more_lost, d->more_bytes);
	d->run->flags = CSF_GAP_MORE;
	d->run->addr = d->gap_addr;
	d->more_lost = 0;
	d->more_bytes = 0;
	return true;
}

/* An indirect branch was taken, and neither an address nor the return stack says where to. */
static enum csf_gap no_return(const struct csf_decoder *d)
{
	return d->config.retstack ? CSF_GAP_STACK : CSF_GAP_ADDRESS;
}

/* @n P0 elements that cannot be followed, because of what place_locate() said. */
static void lose(struct csf_decoder *d, enum located why, uint64_t n)
{
	enum csf_gap gap = CSF_GAP_ADDRESS;
	uint64_t addr = why == PLACE_NO_CODE ? place_pc(d) : 0;

	if (why == PLACE_ERROR) {
		d->ended = true;
		return;
	}
	if (d->gap_open && !d->place.known) {
		d->more_lost += n;
		return;
	}
	if (why == PLACE_NO_CODE)
		gap = CSF_GAP_IMAGE;
	else if (why == PLACE_EMPTY)
		gap = no_return(d);
	open_gap(d, gap, n, 0);
	d->run->addr = addr;
	d->gap_addr = addr;
}

/* -------- atoms */

/* Steps over a cut block, which takes no atom.  Returns whether execution can go on. */
static bool step_cut(struct csf_decoder *d)
{
	uint32_t cur = d->place.cur;

	if (!flow_step(d, cur, false))
		return false;
	place_leave(d, cur, false);
	return ++d->place.cuts < CUT_MAX;
}

void flow_leave(struct csf_decoder *d, uint32_t number, bool taken, bool traced)
{
	uint8_t odd = block(d, number)->odd;

	if (odd & BLOCK_LINK && traced)
		place_push(d, number);
	if (odd & BLOCK_INDIRECT && taken) {
		d->place.returns = true;
		d->place.cur = 0;
		d->place.from = 0;
		return;
	}
	place_leave(d, number, taken);
}

/* The next atom has no block: finds it, and steps over what takes no atom. */
static bool find_block(struct csf_decoder *d, unsigned int n)
{
	enum located why = PLACE_FOUND;
	uint64_t addr;

	for (d->place.cuts = 0; d->place.cuts < CUT_MAX;) {
		why = place_locate(d);
		if (why != PLACE_FOUND) {
			lose(d, why, n);
			return false;
		}
		if (likely(!(block(d, d->place.cur)->odd & BLOCK_CUT)))
			return true;
		if (!step_cut(d) && d->ended)
			return false;
	}
	addr = place_pc(d);
	open_gap(d, CSF_GAP_WALK, n, 0);
	d->run->addr = addr;
	d->run->from = addr;
	return false;
}

/*
 * Steps through the atoms of d->el until they are used up, the run is full, or
 * it is not known where execution is.  flow_fast() does the same for most.
 */
static bool do_atoms(struct csf_decoder *d)
{
	struct element *el = &d->el;

	for (; el->n; el->n--) {
		bool taken = el->val & 1;
		uint32_t cur;

		if (!find_block(d, el->n))
			return !d->ended || d->run->end != CSF_END_FULL;
		cur = d->place.cur;
		if (!flow_step(d, cur, taken))
			return false;
		flow_leave(d, cur, taken, el->init & 1);
		el->val >>= 1;
		el->init >>= 1;
	}
	return true;
}

/* -------- walks */

/* How many steps @walk would take from here; nothing is changed. */
#define PLAN(d, result, walk) do {			\
	struct place was = (d)->place;			\
							\
	(d)->planning = true;				\
	(d)->planned = 0;				\
	(d)->passed = false;				\
	(d)->walked = 0;				\
	(d)->counted = 0;				\
	(result) = (walk);				\
	(d)->planning = false;				\
	(d)->walked = 0;				\
	(d)->counted = 0;				\
	(d)->place = was;				\
} while (0)

/* One mark for all @n steps, so that text can show them as one range. */
static void mark_walk(struct csf_decoder *d, uint16_t kind, uint64_t value, uint32_t n)
{
	struct csf_mark *m = add_mark(d, kind);

	if (m) {
		m->value = value;
		m->count = n;
	}
}

/* A walk could not be made.  @to: where it should have led. */
static void gap_in_walk(struct csf_decoder *d, enum walked why, uint64_t to)
{
	uint64_t pc = place_pc(d);

	open_gap(d, why == WALK_NO_CODE ? CSF_GAP_IMAGE : CSF_GAP_WALK, 0, 0);
	d->run->from = pc;
	d->run->addr = why == WALK_NO_CODE ? pc : to;
	d->gap_addr = d->run->addr;
}

/* Stages of an element, beyond 0. */
enum { STAGE_START, STAGE_PLACE, STAGE_WALK, STAGE_ALONE, STAGE_END };

static void end_context(struct csf_decoder *d)
{
	end_run(d, CSF_END_CONTEXT);
	d->run->to = d->el.ctx;
	d->ctx = d->el.ctx;
}

/* -------- exceptions */

#define M_RESET		1
#define M_DEBUG_HALT	0x18
#define A_RESET		0
#define A_DEBUG_HALT	1
#define A_SYSTEM_ERROR	4

/* Is there an address to walk to?  Not for a reset, whatever packet follows, nor in a tail chain. */
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

/* Returns the stage to go to. */
static uint8_t exception_place(struct csf_decoder *d)
{
	struct element *el = &d->el;
	enum walked why;
	bool inside;

	if (!returns_somewhere(d))
		return STAGE_END;
	if (el->flags & EL_TARGET) {
		if (d->place.returns && !d->place.popped)
			place_match(d, el->addr, el->is1);
		return STAGE_END;
	}
	switch (place_locate(d)) {
	case PLACE_FOUND:
		break;
	case PLACE_NO_CODE:
		if (place_pc(d) < el->addr)
			gap_in_walk(d, WALK_NO_CODE, el->addr);
		return STAGE_END;
	case PLACE_EMPTY:
		open_gap(d, no_return(d), 0, 0);
		return STAGE_END;
	case PLACE_UNKNOWN:
		return STAGE_END;
	case PLACE_ERROR:
		d->ended = true;
		return STAGE_END;
	}
	PLAN(d, why, walk_to(d, el->addr, &inside));
	if (why == WALK_ERROR)
		d->ended = true;
	if ((d->planned > 1 || d->passed) && !d->ended)
		mark_walk(d, CSF_MARK_WALK, el->addr, d->planned);
	return STAGE_WALK;
}

static bool do_exception(struct csf_decoder *d)
{
	struct element *el = &d->el;
	enum walked why;
	bool inside = false;

	switch (el->stage) {
	case STAGE_START:
		el->count = 0;
		el->stage = STAGE_PLACE;
		if (el->flags & EL_CTX) {
			el->stage = STAGE_START;
			if (say_more(d))
				return false;
			el->stage = STAGE_PLACE;
			end_context(d);
			return false;
		}
		fallthrough;
	case STAGE_PLACE:
		el->stage = exception_place(d);
		if (d->ended)
			return false;
		if (el->stage == STAGE_END)
			break;
		fallthrough;
	case STAGE_WALK:
		why = walk_to(d, el->addr, &inside);
		el->val |= inside;
		if (why == WALK_FULL || why == WALK_ERROR)
			return false;
		el->stage = STAGE_END;
		if (why != WALK_DONE) {
			gap_in_walk(d, why, el->addr);
			return false;
		}
		break;
	default:
		break;
	}

	if (say_more(d))
		return false;
	end_run(d, CSF_END_EXCEPTION);
	d->run->value = el->exception;
	d->run->addr = returns_somewhere(d) ? el->addr : 0;
	d->run->flags = exception_flags(d);
	place_lose(d);
	d->gap_open = false;
	return true;
}

/* -------- source addresses */

/* Only the instruction at the address is known, not the way there. */
static bool source_alone(struct csf_decoder *d)
{
	struct element *el = &d->el;
	const struct csf_block *b;
	enum located why;

	if (say_more(d))
		return false;
	place_go(d, el->addr, el->is1);
	why = place_locate(d);
	if (why != PLACE_FOUND) {
		lose(d, why, 1);
		return true;
	}
	b = &block(d, d->place.cur)->pub;
	if (b->n_insn != 1 || b->flags & CSF_FLAG_CUT) {
		open_gap(d, CSF_GAP_WALK, 1, 0);
		d->run->from = el->addr;
		d->run->addr = el->addr;
		return true;
	}
	d->gap_open = false;
	d->walked = 0;
	return walk_source(d, el->addr) == WALK_DONE;
}

static bool do_source(struct csf_decoder *d)
{
	struct element *el = &d->el;
	enum walked why = WALK_DONE;
	enum located at;

	if (el->stage == STAGE_START) {
		at = place_locate(d);
		el->stage = STAGE_WALK;
		if (at == PLACE_ERROR)
			return false;
		if (at == PLACE_UNKNOWN || (at != PLACE_EMPTY && place_pc(d) > el->addr)) {
			el->stage = STAGE_ALONE;
		} else if (at == PLACE_EMPTY) {
			el->stage = STAGE_ALONE;
			open_gap(d, no_return(d), 0, 0);
			return false;
		} else {
			PLAN(d, why, walk_source(d, el->addr));
			if (why != WALK_DONE) {
				el->stage = STAGE_ALONE;
				gap_in_walk(d, why, el->addr);
				return false;
			}
			if (d->planned > 1)
				mark_walk(d, CSF_MARK_SOURCE, el->addr, d->planned);
		}
	}
	if (el->stage == STAGE_ALONE)
		return source_alone(d);
	return walk_source(d, el->addr) == WALK_DONE;
}

/* -------- Q */

static bool q_place(struct csf_decoder *d)
{
	struct element *el = &d->el;
	enum located why = place_locate(d);
	enum walked walked = WALK_STUCK;

	if (why != PLACE_FOUND && why != PLACE_NO_CODE) {
		lose(d, why, 1);
		el->stage = STAGE_END;
		return !d->ended;
	}
	if (why == PLACE_FOUND && el->flags & EL_COUNT)
		PLAN(d, walked, walk_count(d, el->count, el->addr));
	if (walked == WALK_DONE) {
		el->stage = STAGE_WALK;
		mark_walk(d, CSF_MARK_Q, el->count, d->planned);
		return true;
	}
	if (walked == WALK_ERROR) {
		d->ended = true;
		return false;
	}
	el->stage = STAGE_END;
	end_run(d, CSF_END_Q);
	d->run->from = place_pc(d);
	d->run->addr = el->addr;
	d->run->value = el->count;
	place_lose(d);
	return false;
}

static bool do_q(struct csf_decoder *d)
{
	struct element *el = &d->el;

	if (el->stage == STAGE_START && !q_place(d))
		return false;
	if (el->stage == STAGE_WALK) {
		if (walk_count(d, el->count, el->addr) != WALK_DONE)
			return false;
		el->stage = STAGE_END;
	}
	if (say_more(d))
		return false;
	place_go(d, el->addr, el->is1);
	d->gap_open = false;
	if (el->flags & EL_CTX_AFTER)
		end_context(d);
	return true;
}

/* -------- the others */

static bool do_address(struct csf_decoder *d)
{
	if (say_more(d))
		return false;
	place_go(d, d->el.addr, d->el.is1);
	d->gap_open = false;
	if (d->el.flags & EL_CTX)
		end_context(d);
	return true;
}

/* Sync is lost: what the next Trace Info and context say again. */
static void forget(struct csf_decoder *d)
{
	d->place.retstack.n = 0;
	d->ctx.known = false;
	d->joined = false;
	d->marker = false;
	d->marker_seen = false;
}

/* Everything from the packet layer that makes a gap: overflow, damage, a cut. */
static bool do_gap(struct csf_decoder *d)
{
	struct element *el = &d->el;
	bool fail = d->in_transaction && (el->exception == CSF_GAP_OVERFLOW ||
					  el->exception == CSF_GAP_DISCARD);
	bool at = d->place.known && !d->place.returns && d->ctx.known;
	uint64_t addr = at ? place_pc(d) : 0;

	if (el->flags & EL_HARMLESS) {
		end_gap(d, el->exception, el->val, el->at);
		d->stats.gaps[el->exception]++;
		return true;
	}
	if (fail) {		/* it can never be committed now */
		d->in_transaction = false;
		end_run(d, CSF_END_TRANSACTION);
		d->run->value = CSF_TRANS_FAIL;
		return false;
	}
	open_gap(d, el->exception, el->val, el->at);
	d->run->addr = addr;
	d->gap_addr = addr;
	forget(d);
	return true;
}

static bool do_transaction(struct csf_decoder *d, enum csf_transaction what)
{
	end_run(d, CSF_END_TRANSACTION);
	d->run->value = what;
	d->in_transaction = what == CSF_TRANS_INIT || what == CSF_TRANS_START;
	if (what != CSF_TRANS_FAIL)
		return true;
	place_lose(d);
	d->gap_open = false;
	return true;
}

static bool do_info(struct csf_decoder *d)
{
	struct element *el = &d->el;

	if (el->stage == STAGE_START) {
		add_mark(d, CSF_MARK_INFO);
		place_info(d);
		if (d->joined)
			return true;
		d->joined = true;
		d->in_transaction = false;
		if (!(el->flags & EL_TRANS))
			return true;
		el->stage = STAGE_END;
	}
	return !say_more(d) && do_transaction(d, CSF_TRANS_INIT);
}

static bool do_time(struct csf_decoder *d)
{
	const struct element *el = &d->el;
	bool limit = d->limit && el->val >= d->limit;
	struct csf_mark *m;

	if (limit && say_more(d))
		return false;
	m = add_mark(d, CSF_MARK_TIME);
	if (m) {
		m->value = el->val;
		m->count = el->count;
		if (d->marker)
			m->at = d->marker_at;
		m->flags = (el->flags & EL_COUNT ? CSF_MARK_HAS_COUNT : 0) |
			   (el->val ? 0 : CSF_MARK_UNKNOWN) |
			   (d->config.tsmark && !d->marker_seen ? CSF_MARK_EARLY : 0);
	}
	d->marker = false;
	if (limit)
		end_run(d, CSF_END_TIME);
	return true;
}

static bool do_cycles(struct csf_decoder *d)
{
	const struct element *el = &d->el;
	struct csf_mark *m = add_mark(d, CSF_MARK_CYCLES);

	if (m) {
		m->count = el->count;
		m->at = el->at;
		m->flags = el->flags & EL_COUNT ? 0 : CSF_MARK_UNKNOWN;
	}
	return true;
}

static bool do_mark(struct csf_decoder *d, uint16_t kind)
{
	struct csf_mark *m = add_mark(d, kind);

	if (kind == CSF_MARK_MARKER) {
		d->marker = true;
		d->marker_seen = true;
		d->marker_at = now(d);
	}
	if (m) {
		m->value = d->el.val;
		m->count = d->el.count;
	}
	return true;
}

/* The run's end has something to say first, or nothing. */
static bool do_end(struct csf_decoder *d)
{
	if (d->broken) {
		open_gap(d, CSF_GAP_BREAK, 0, 0);
		d->gap_open = false;
	} else {
		end_run(d, CSF_END_TRACE);
	}
	place_lose(d);
	forget(d);
	return true;
}

static bool do_on(struct csf_decoder *d)
{
	open_gap(d, CSF_GAP_OFF, 0, 0);
	d->gap_open = false;
	d->place.retstack.n = 0;
	return true;
}

/* Elements that end the run at once. */
static bool ends(const struct element *el)
{
	return el->type == EL_ON || el->type == EL_CONTEXT || el->type == EL_GAP ||
	       el->type == EL_END || el->type == EL_TM_START || el->type == EL_TM_COMMIT ||
	       el->type == EL_TM_FAIL;
}

bool flow_element(struct csf_decoder *d)
{
	struct element *el = &d->el;

	if (d->n_mark > MARK_MAX - 4) {
		end_run(d, CSF_END_FULL);
		return false;
	}
	if (!el->begun && el->type <= EL_SOURCE)
		add_mark(d, CSF_MARK_PACKET);
	el->begun = true;
	if (ends(el) && say_more(d))
		return false;

	switch ((enum element_type)el->type) {
	case EL_ATOMS:		return do_atoms(d);
	case EL_EXCEPTION:	return do_exception(d);
	case EL_Q:		return do_q(d);
	case EL_SOURCE:		return do_source(d);
	case EL_TM_START:	return do_transaction(d, CSF_TRANS_START);
	case EL_TM_COMMIT:	return do_transaction(d, CSF_TRANS_COMMIT);
	case EL_TM_FAIL:	return do_transaction(d, CSF_TRANS_FAIL);
	case EL_ADDRESS:	return do_address(d);
	case EL_CONTEXT:	end_context(d); return true;
	case EL_SAME:		return do_mark(d, CSF_MARK_SAME);
	case EL_ON:		return do_on(d);
	case EL_TIME:		return do_time(d);
	case EL_CYCLES:		return do_cycles(d);
	case EL_EVENT:		return do_mark(d, CSF_MARK_EVENT);
	case EL_MARKER:		return do_mark(d, CSF_MARK_MARKER);
	case EL_ITE:		return do_mark(d, CSF_MARK_ITE);
	case EL_ERET:		return do_mark(d, CSF_MARK_ERET);
	case EL_RETURN:		return do_mark(d, CSF_MARK_RETURN);
	case EL_INFO:		return do_info(d);
	case EL_GAP:		return do_gap(d);
	case EL_END:		return do_end(d);
	case EL_NR:		break;
	}
	return true;
}
