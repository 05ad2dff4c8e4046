// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Generic trace elements: takes runs apart again into single ranges and events.
 *
 * The marks and steps of a run are in the order of the trace; the end comes last.  Cut blocks
 * belong to the range of the step after them, unless the run ends first: a range comes from one
 * atom, or from one packet that names an address.
 */
#include "flow.h"

CSF_API void csf_elements_run(struct csf_elements *it, const struct csf_run *run)
{
	it->run = run;
	it->step = 0;
	it->mark = 0;
	it->ended = false;
}

static void start(const struct csf_elements *it, struct csf_element *e, uint8_t type)
{
	*e = (struct csf_element){
		.type = type, .offset = it->offset, .context = it->run->context,
	};
}

/* Adds the block of a step to the current range. */
static void extend(struct csf_elements *it, uint32_t step)
{
	const struct csf_block *b = &it->dec->image->blocks.block[step >> 1].pub;
	struct csf_element *e = &it->range;
	uint64_t addr = csf_block_addr(it->dec, it->run, step >> 1);

	if (!e->n_insn) {
		start(it, e, CSF_ELEM_INSTR_RANGE);
		e->st_addr = addr;
		e->isa = b->isa;
	}
	e->en_addr = addr + b->size;
	if (b->isa != CSF_A64)
		e->en_addr = (uint32_t)e->en_addr;
	e->n_insn += b->n_insn;
	e->last_kind = b->kind;
	e->last_flags = b->flags;
	e->last_size = b->last_size;
	e->flags = (step & 1 || b->flags & CSF_FLAG_CUT ? CSF_ELEM_EXEC : 0) |
		   (b->flags & CSF_FLAG_COND ? CSF_ELEM_COND : 0);
}

/* Hands out the current range. */
static int put_range(struct csf_elements *it, struct csf_element *e)
{
	const struct csf_element *r = &it->range;

	/* ETE has no packet for an exception return: the instruction tells. */
	it->returned = !it->dec->config.traces_eret && r->last_flags & CSF_FLAG_ERET &&
		       r->isa == CSF_A64 && r->flags & CSF_ELEM_EXEC;
	it->left_for = r->last_kind == CSF_INSN_INDIRECT && r->flags & CSF_ELEM_EXEC &&
		       !(r->last_flags & CSF_FLAG_CUT);
	*e = *r;
	it->range.n_insn = 0;
	return 1;
}

/* Does this step complete a range? */
static bool completes(struct csf_elements *it, uint32_t step)
{
	const struct csf_block *b = &it->dec->image->blocks.block[step >> 1].pub;

	if (it->left && --it->left)
		return it->group == CSF_MARK_SOURCE && it->options & CSF_ELEMS_SPLIT &&
		       !(b->flags & CSF_FLAG_CUT);
	if (it->group == CSF_MARK_WALK || it->group == CSF_MARK_Q) {
		it->range.flags |= CSF_ELEM_EXEC;
		it->group = 0;
		return true;
	}
	it->group = 0;
	return !(b->flags & CSF_FLAG_CUT);
}

/* Returns 1 if @m is an element of its own. */
static int put_mark(struct csf_elements *it, const struct csf_mark *m, struct csf_element *e)
{
	it->offset = m->offset;
	start(it, e, CSF_ELEM_UNKNOWN);
	switch (m->kind) {
	case CSF_MARK_TIME:
		e->type = CSF_ELEM_TIMESTAMP;
		e->timestamp = m->value;
		e->cycle_count = m->count;
		e->flags = CSF_ELEM_HAS_TS |
			   (m->flags & CSF_MARK_HAS_COUNT ? CSF_ELEM_HAS_CC : 0);
		return !(m->flags & CSF_MARK_EARLY);
	case CSF_MARK_CYCLES:
		e->type = CSF_ELEM_CYCLE_COUNT;
		e->cycle_count = m->count;
		e->flags = CSF_ELEM_HAS_CC;
		return 1;
	case CSF_MARK_EVENT:
		e->type = CSF_ELEM_EVENT;
		e->value = m->value;
		return 1;
	case CSF_MARK_ITE:
		e->type = CSF_ELEM_INSTRUMENTATION;
		e->value = m->value;
		e->el = m->count;
		return 1;
	case CSF_MARK_MARKER:
		e->type = CSF_ELEM_SYNC_MARKER;
		return 1;
	case CSF_MARK_ERET:
		e->type = CSF_ELEM_EXCEPTION_RET;
		return 1;
	case CSF_MARK_DATA:
		e->type = CSF_ELEM_DATA;
		e->access = &it->run->access[m->value];
		return 1;
	case CSF_MARK_COND:
		e->type = CSF_ELEM_CONDITION;
		e->value = m->flags;
		e->st_addr = m->value & ~1ull;
		e->isa = m->value & 1 ? CSF_T32 : it->run->context.bits64 ? CSF_A64 : CSF_A32;
		e->n_insn = m->count;
		return 1;
	case CSF_MARK_SOURCE:
	case CSF_MARK_WALK:
	case CSF_MARK_Q:
		it->group = m->kind;
		it->left = m->count;
		return 0;
	default:
		return 0;
	}
}

static int put_exception(struct csf_elements *it, struct csf_element *e)
{
	const struct csf_run *run = it->run;

	it->left_for = true;
	e->type = CSF_ELEM_EXCEPTION;
	e->value = run->value;
	e->en_addr = run->addr;
	if (!(run->flags & CSF_EXC_NO_ADDR))
		e->flags |= CSF_ELEM_RET_ADDR;
	else if (it->dec->config.profile == CSF_PROFILE_M)
		e->flags |= CSF_ELEM_TAIL_CHAIN;
	if (run->flags & CSF_EXC_TARGET)
		e->flags |= CSF_ELEM_RET_BR_TGT;
	return 1;
}

/* The target of a branch was not traced: only the end of the run has its address. */
static void put_untraced(struct csf_elements *it, struct csf_element *e)
{
	e->st_addr = it->left_for ? it->run->addr : 0;
	e->flags |= e->st_addr ? CSF_ELEM_UNTRACED : 0;
}

static int put_gap(struct csf_elements *it, struct csf_element *e)
{
	e->value = it->run->value;
	e->st_addr = it->run->addr;
	switch ((enum csf_gap)it->run->value) {
	case CSF_GAP_OFF:
		e->type = CSF_ELEM_TRACE_ON;
		put_untraced(it, e);
		e->value = it->on_reason;
		it->on_reason = CSF_ON_NORMAL;
		return 1;
	case CSF_GAP_IMAGE:
		e->type = it->run->flags & CSF_GAP_RETURN ? CSF_ELEM_ADDR_UNKNOWN :
							    CSF_ELEM_ADDR_NACC;
		return 1;
	case CSF_GAP_ADDRESS:
	case CSF_GAP_STACK:
	case CSF_GAP_WALK:
		e->type = CSF_ELEM_ADDR_UNKNOWN;
		return 1;
	default:
		e->type = CSF_ELEM_NO_SYNC;
		put_untraced(it, e);
		if (it->run->value == CSF_GAP_OVERFLOW)
			it->on_reason = CSF_ON_OVERFLOW;
		return 1;
	}
}

static int put_end(struct csf_elements *it, struct csf_element *e)
{
	const struct csf_run *run = it->run;

	it->ended = true;
	it->group = 0;
	it->left = 0;
	it->offset = run->offset;
	start(it, e, CSF_ELEM_UNKNOWN);
	switch ((enum csf_end_kind)run->end) {
	case CSF_END_CONTEXT:
		e->type = CSF_ELEM_PE_CONTEXT;
		e->context = run->to;
		e->isa = run->to.bits64 ? CSF_A64 :
			 run->flags & CSF_CONTEXT_IS1 ? CSF_T32 : CSF_A32;
		return 1;
	case CSF_END_EXCEPTION:
		return put_exception(it, e);
	case CSF_END_TRANSACTION:
		e->type = CSF_ELEM_MEMTRANS;
		e->value = run->value;
		return 1;
	case CSF_END_Q:
		it->left_for = false;
		e->type = CSF_ELEM_I_RANGE_NOPATH;
		e->st_addr = run->from;
		e->en_addr = run->addr;
		e->n_insn = run->value;
		return 1;
	case CSF_END_GAP:
		if (run->flags & CSF_GAP_MORE || !put_gap(it, e))
			return 0;
		it->left_for = false;
		return 1;
	case CSF_END_TRACE:
		e->type = CSF_ELEM_EO_TRACE;
		put_untraced(it, e);
		it->left_for = false;
		return 1;
	case CSF_END_FULL:
	case CSF_END_CODE:
	case CSF_END_TIME:
		break;
	}
	return 0;
}

/* Did an earlier packet lead to the end of the current range, in mid-block?  So does one of PTM. */
static bool reached(const struct csf_elements *it, const struct csf_mark *m)
{
	return m->kind == CSF_MARK_PACKET && it->range.n_insn && !it->left &&
	       it->range.last_flags & CSF_FLAG_CUT && it->range.offset != m->offset;
}

/* Marks up to the next step.  Returns 1 if one of them is an element, or ends a range. */
static int next_mark(struct csf_elements *it, struct csf_element *e)
{
	const struct csf_run *run = it->run;

	while (it->mark < run->n_mark && run->mark[it->mark].seq <= run->seq + it->step) {
		if (reached(it, &run->mark[it->mark]))
			return put_range(it, e);
		if (put_mark(it, &run->mark[it->mark++], e))
			return 1;
	}
	return 0;
}

/**
 * csf_elements_next() - get the next element of the run
 *
 * Return: 1 and an element; 0: call csf_elements_run() with the next run.
 */
CSF_API int csf_elements_next(struct csf_elements *it, struct csf_element *e)
{
	const struct csf_run *run = it->run;

	if (it->returned) {
		it->returned = false;
		start(it, e, CSF_ELEM_EXCEPTION_RET);
		return 1;
	}
	if (!it->started) {
		it->started = true;
		start(it, e, CSF_ELEM_NO_SYNC);
		e->value = CSF_GAP_START;
		return 1;
	}
	while (it->step < run->n) {
		uint32_t step;

		if (next_mark(it, e))
			return 1;
		step = run->step[it->step++];
		extend(it, step);
		if (completes(it, step))
			return put_range(it, e);
	}
	if (it->range.n_insn && run->end != CSF_END_FULL && run->end != CSF_END_CODE)
		return put_range(it, e);
	if (next_mark(it, e))
		return 1;
	return it->ended ? 0 : put_end(it, e);
}

CSF_API void csf_element_message(struct csf_element *e, const struct csf_message *m)
{
	*e = (struct csf_element){ .type = CSF_ELEM_EO_TRACE };
	if (!m)
		return;
	e->offset = m->offset;
	if (m->kind == CSF_MESSAGE_GAP) {
		e->type = CSF_ELEM_NO_SYNC;
		e->value = m->info;
		return;
	}
	e->type = m->kind == CSF_MESSAGE_CUSTOM ? CSF_ELEM_CUSTOM : CSF_ELEM_SWTRACE;
	e->value = m->value;
	e->message = m;
	if (m->kind == CSF_MESSAGE_RANGE) {
		e->type = CSF_ELEM_INSTR_RANGE;
		e->st_addr = m->value;
		e->en_addr = m->value + m->channel;
	}
	if (!(m->flags & CSF_MESSAGE_HAS_TIME))
		return;
	e->flags = CSF_ELEM_HAS_TS;
	e->timestamp = m->time;
}
