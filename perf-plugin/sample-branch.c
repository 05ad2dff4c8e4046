// SPDX-License-Identifier: GPL-2.0-only
#include "sample-parts.h"

/* ---------------------------------------------------------------- what is wanted */

bool sample_skip(struct cs_samples *it)
{
	if (it->skipped >= it->options.skip)
		return false;
	it->skipped++;
	return true;
}

/* As perf filters calls and returns: a branch that may be one counts. */
static inline bool passes(const struct cs_samples_options *o, uint32_t flags)
{
	uint32_t mask = (o->calls ? CS_FLAG_CALL | CS_FLAG_ASYNC | CS_FLAG_TRACE_END : 0) |
			(o->returns ? CS_FLAG_RETURN | CS_FLAG_TRACE_BEGIN : 0);

	return !mask || flags & mask;
}

bool sample_named(const struct cs_samples_options *o, uint32_t flags, bool direct)
{
	const uint32_t event = CS_FLAG_TRACE_BEGIN | CS_FLAG_TRACE_END | CS_FLAG_INTERRUPT |
			       CS_FLAG_SYSCALLRET | CS_FLAG_TX_ABORT;

	return !o->quick || flags & event || (o->quick == 1 && !direct);
}

void sample_ipc(const struct cs_samples *it, struct cs_sample *sample, struct cs_count *last,
		uint64_t insns, uint64_t cycles, bool exact)
{
	if (!it->options.ipc || !(exact || it->options.approx_ipc) || cycles == last->cycles)
		return;
	sample->insn_cnt = insns - last->insns;
	sample->cyc_cnt = cycles - last->cycles;
	*last = (struct cs_count){ insns, cycles };
}

/* ---------------------------------------------------------------- one branch */

struct leave sample_leave(struct cs_samples *it)
{
	const struct cs_sample_state *s = it->state;
	const struct cs_cell *cell;

	if (!it->step)
		return (struct leave){ s->last, s->flags, s->block, s->direct };
	cell = cell_of(it, it->step - 1);
	return (struct leave){
		address(addr_of(it, it->step - 1) + cell->last, cell->isa), cell->flags,
		block_of(it, it->step - 1), cell->bits & CELL_DIRECT,
	};
}

uint32_t sample_flags_to(struct cs_samples *it, const struct leave *l, bool to)
{
	const uint32_t jump = CS_FLAG_BRANCH;
	uint32_t flags = l->flags;

	if (to && flags == (CS_FLAG_BRANCH | CS_FLAG_RETURN | CS_FLAG_INTERRUPT) &&
	    sample_after_svc(it, block_of(it, it->step)))
		flags = CS_FLAG_BRANCH | CS_FLAG_RETURN | CS_FLAG_SYSCALLRET;
	if (it->options.compat && (flags & ~CS_FLAG_TRACE_END) == jump && l->block &&
	    it->blocks.cell[l->block].bits & CELL_JUMP)
		flags |= CS_FLAG_RETURN;
	return flags;
}

/*
 * Sets both ends of a branch from what came before to @addr; after a break, the first is unknown.
 */
static void set_ends(struct cs_samples *it, struct cs_sample *sample, const struct leave *l)
{
	const struct cs_sample_state *s = it->state;
	const unsigned int size = it->blocks.cell[l->block].last_size;

	if (it->step || s->prev == CS_PREV_STEP) {
		sample->ip = l->ip;
		sample->from = it->step ? it->task : s->task;
		sample->insn_len = size;
		if (sample->flags & CS_FLAG_CALL)
			sample->ret = it->step || !s->ret ? l->ip + size : s->ret;
	} else {
		sample->ip = 0;
		sample->from = it->task;
	}
	sample->to = sample->addr ? it->task : sample->from;
}

static void set_wanted(struct cs_samples *it, struct cs_sample *sample, const struct leave *l)
{
	struct cs_sample_state *s = it->state;
	const struct cs_clock *c = &s->clock;

	sample->time = sample_clock_now(it);
	if (it->options.ipc)
		sample_ipc(it, sample, &s->branch, c->insns, c->cycles, c->cycles_at == c->insns);
	if (it->options.insn_bytes && sample->ip)
		sample_read_last(it, sample, l->block);
}

/* Is it a branch that is shown? */
static inline bool shows(struct cs_samples *it, uint32_t flags, bool direct)
{
	const struct cs_samples_options *o = &it->options;

	return it->every_branch || (o->branches && passes(o, flags) &&
				    sample_named(o, flags, direct) && !sample_skip(it));
}

bool sample_branch_between(struct cs_samples *it, struct cs_sample *sample, uint32_t from,
			   uint32_t to)
{
	const struct cs_cell *cell = &it->blocks.cell[from];
	const uint64_t ip = address(addr_of_block(it, from) + cell->last, cell->isa);
	const uint64_t addr = addr_of_block(it, to);
	const bool returns = cell->flags & CS_FLAG_RETURN && cell->flags & CS_FLAG_INTERRUPT;

	begin_sample(it, sample, CS_SAMPLE_BRANCH);
	sample->flags = cell->flags;
	if (returns && sample_after_svc(it, to))
		sample->flags = CS_FLAG_BRANCH | CS_FLAG_RETURN | CS_FLAG_SYSCALLRET;
	sample->wanted = shows(it, sample->flags, cell->bits & CELL_DIRECT);
	sample->moves = it->options.moves;
	sample->ip = ip;
	sample->addr = addr;
	sample->insn_len = cell->last_size;
	if (cell->flags & CS_FLAG_CALL)
		sample->ret = ip + cell->last_size;
	sample->from = it->task;
	sample->to = it->task;
	if (it->in.run->in_transaction)
		sample->flags |= CS_FLAG_IN_TX;
	return sample->wanted;
}

bool sample_branch_within(struct cs_samples *it, struct cs_sample *sample)
{
	const struct leave l = { .block = block_of(it, it->step - 1) };

	if (sample_branch_between(it, sample, l.block, block_of(it, it->step)))
		set_wanted(it, sample, &l);
	return sample->wanted || sample->moves;
}

bool sample_branch(struct cs_samples *it, struct cs_sample *sample, uint64_t addr, bool show,
		   bool tell)
{
	const bool to = addr && !it->ended;
	const struct leave l = sample_leave(it);
	uint32_t flags = sample_flags_to(it, &l, to);

	if (!it->step && it->state->prev != CS_PREV_STEP)
		flags = CS_FLAG_BRANCH | CS_FLAG_TRACE_BEGIN;
	show = show && shows(it, flags, l.direct);
	tell = tell && it->options.moves;
	if (!show && !tell)
		return false;
	begin_sample(it, sample, CS_SAMPLE_BRANCH);
	sample->wanted = show;
	sample->moves = tell;
	sample->flags = flags;
	sample->addr = addr;
	set_ends(it, sample, &l);
	if (sample->ip && !it->step ? it->state->in_tx : it->in.run->in_transaction)
		sample->flags |= CS_FLAG_IN_TX;
	if (show)
		set_wanted(it, sample, &l);
	return true;
}
