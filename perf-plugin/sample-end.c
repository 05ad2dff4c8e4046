// SPDX-License-Identifier: GPL-2.0-only
#include "sample-parts.h"

/* Makes the last step of the run the step before the next run. */
static void remember(struct cs_samples *it)
{
	struct cs_sample_state *s = it->state;
	const struct cs_cell *cell;
	uint32_t step;

	if (!it->in.run->n)
		return;
	it->step = it->in.run->n;
	step = it->in.run->step[it->step - 1];
	cell = &it->blocks.cell[csf_step_block(step)];
	s->prev = CS_PREV_STEP;
	s->taken = branched(it);
	s->in_tx = it->in.run->in_transaction;
	s->direct = cell->bits & CELL_DIRECT;
	s->flags = cell->flags;
	s->block = csf_step_block(step);
	s->last = address(addr_of(it, it->step - 1) + cell->last, cell->isa);
	s->ret = 0;
	s->task = it->task;
	it->step = 0;
}

static uint32_t exception_flags(enum csf_exception_kind kind, bool svc)
{
	uint32_t flags = CS_FLAG_BRANCH | CS_FLAG_CALL;

	switch (kind) {
	case CSF_EXC_KIND_CALL:
		return flags | (svc ? CS_FLAG_SYSCALLRET : CS_FLAG_INTERRUPT);
	case CSF_EXC_KIND_RESET:
	case CSF_EXC_KIND_HALT:
	case CSF_EXC_KIND_SERROR:
	case CSF_EXC_KIND_IRQ:
	case CSF_EXC_KIND_FIQ:
		return flags | CS_FLAG_ASYNC | CS_FLAG_INTERRUPT;
	default:
		return flags | CS_FLAG_INTERRUPT;
	}
}

/*
 * The exception replaces the way out of the step before it.  If that was a branch, it reached its
 * target and was interrupted there.
 */
static bool end_exception(struct cs_samples *it, struct cs_sample *sample)
{
	const struct csf_run *run = it->in.run;
	struct cs_sample_state *s = it->state;
	bool some = false;
	bool svc;

	if (s->prev != CS_PREV_STEP)
		return false;
	svc = it->blocks.cell[s->block].bits & CELL_SVC;
	if (s->taken && !it->options.compat && !(run->flags & CSF_EXC_NO_ADDR)) {
		some = sample_branch(it, sample, run->addr, true, true);
		s->last = run->addr;
		s->block = 0;
	}
	s->taken = true;
	s->direct = false;
	s->flags = exception_flags(csf_exception_kind(it->in.dec, run->value), svc);
	s->ret = run->flags & CSF_EXC_NO_ADDR ? 0 : run->addr;
	return some;
}

static bool end_transaction(struct cs_samples *it, struct cs_sample *sample)
{
	const uint64_t what = it->in.run->value;
	struct cs_sample_state *s = it->state;
	uint32_t flags = what == CSF_TRANS_START ? CS_FLAG_IN_TX : 0;

	if (what == CSF_TRANS_FAIL) {
		flags = CS_FLAG_BRANCH | CS_FLAG_TX_ABORT;
		s->taken = true;
		s->direct = false;
		s->in_tx = false;
		s->flags = flags;
	}
	if (!it->options.transactions || what == CSF_TRANS_INIT || s->prev != CS_PREV_STEP ||
	    sample_skip(it))
		return false;
	*sample = (struct cs_sample){
		.kind = CS_SAMPLE_TRANSACTION, .wanted = true, .flags = flags, .ip = s->last,
		.period = 1, .time = sample_clock_now(it), .trace_nr = s->trace_nr,
		.from = s->task, .to = s->task,
	};
	if (it->options.insn_bytes)
		sample_read_last(it, sample, s->block);
	return true;
}

static void forget(struct cs_samples *it)
{
	struct cs_sample_state *s = it->state;

	sample_clock_break(it);
	s->branch = (struct cs_count){ s->clock.insns, s->clock.cycles };
	s->insn = s->branch;
	s->sampled = s->clock.cycles;
	s->prev = CS_PREV_BREAK;
}

/*
 * The target of the last branch, although nothing was traced there: from the trace or, for a direct
 * branch, from the code.  0: not known; perf always has 0.
 */
static uint64_t untraced(const struct cs_samples *it)
{
	const struct csf_run *run = it->in.run;
	const struct cs_sample_state *s = it->state;

	if (!it->ended || !s->taken || it->options.compat)
		return 0;
	if (run->end == CSF_END_Q || (run->end == CSF_END_GAP && run->value == CSF_GAP_WALK))
		return run->from;
	return run->end == CSF_END_GAP || run->end == CSF_END_TRACE ? run->addr : 0;
}

bool sample_break(struct cs_samples *it, struct cs_sample *sample)
{
	struct cs_sample_state *s = it->state;
	bool some = false;

	if (s->prev == CS_PREV_STEP) {
		s->flags |= CS_FLAG_BRANCH | CS_FLAG_TRACE_END;
		some = sample_branch(it, sample, untraced(it), true, true);
	}
	if (s->prev != CS_PREV_BREAK)
		forget(it);
	s->trace_nr += it->lost;
	it->lost = false;
	return some;
}

bool sample_flush(struct cs_samples *it, struct cs_sample *sample, uint32_t flags)
{
	const struct cs_samples_options *o = &it->options;
	struct cs_sample_state *s = it->state;

	if (!o->compat || !o->insns || !o->last_branch || s->prev != CS_PREV_STEP)
		return false;
	*sample = (struct cs_sample){
		.kind = CS_SAMPLE_INSN, .wanted = true, .ip = s->last, .from = s->task,
		.to = s->task, .trace_nr = s->trace_nr, .period = s->insns,
		.time = sample_clock_now(it),
		.flags = s->flags | flags,
	};
	if (o->insn_bytes)
		sample_read_last(it, sample, s->block);
	s->insns = 0;
	return true;
}

/* Losses are reported when all are known: with the next run that does not add to them. */
static void open_gap(struct cs_samples *it)
{
	const struct csf_run *run = it->in.run;
	struct cs_gap *gap = &it->state->gap;

	if (run->flags & CSF_GAP_MORE && gap->open) {
		gap->lost += run->lost;
		gap->bytes += run->bytes;
		return;
	}
	if (!cs_gap_is_loss(run))
		return;
	it->lost = true;
	*gap = (struct cs_gap){
		.open = true, .code = run->value, .addr = run->addr, .lost = run->lost,
		.bytes = run->bytes, .time = sample_clock_now(it), .task = it->task,
	};
}

static uint16_t error_of(uint16_t code)
{
	switch (code) {
	case CSF_GAP_OVERFLOW:
		return CS_ERROR_OVERFLOW;
	case CSF_GAP_START:
	case CSF_GAP_CUT:
	case CSF_GAP_SPECULATION:
	case CSF_GAP_BREAK:
		return CS_ERROR_LOST;
	default:
		return 0;
	}
}

bool sample_gap(struct cs_samples *it, struct cs_sample *sample)
{
	const struct csf_run *run = it->in.run;
	struct cs_gap *gap = &it->state->gap;

	if (!gap->open || (!run->n && run->end == CSF_END_GAP && run->flags & CSF_GAP_MORE))
		return false;
	gap->open = false;
	if (!it->options.errors || it->options.errors_not & error_of(gap->code))
		return false;
	*sample = (struct cs_sample){
		.kind = CS_SAMPLE_ERROR, .wanted = true, .code = gap->code,
		.error = error_of(gap->code), .ip = gap->addr, .time = gap->time,
		.lost = gap->lost, .bytes = gap->bytes, .from = gap->task, .to = gap->task,
		.trace_nr = it->state->trace_nr,
	};
	return true;
}

bool sample_end(struct cs_samples *it, struct cs_sample *sample)
{
	const struct csf_run *run = it->in.run;
	struct cs_sample_state *s = it->state;
	bool some = false;

	remember(it);
	it->ended = true;
	it->phase = PHASE_DONE;
	switch ((enum csf_end_kind)run->end) {
	case CSF_END_EXCEPTION:
		return end_exception(it, sample);
	case CSF_END_TRANSACTION:
		return end_transaction(it, sample);
	case CSF_END_GAP:
		/*
		 * Missing code begins at the target of a branch: both ends of that branch are
		 * known.  The code after it is not known.
		 */
		if (run->value == CSF_GAP_IMAGE && !(run->flags & CSF_GAP_RETURN) &&
		    s->prev == CS_PREV_STEP && s->taken) {
			some = sample_branch(it, sample, run->addr, true, true);
			forget(it);
		}
		open_gap(it);
		it->phase = PHASE_FLUSH;
		return some;
	case CSF_END_TRACE:
		it->phase = PHASE_FLUSH;
		return sample_flush(it, sample, 0);
	case CSF_END_Q:
		it->lost = true;
		it->phase = PHASE_FLUSH;
		return false;
	case CSF_END_CONTEXT:
		/* stock perf then waits for a timestamp */
		if (it->options.compat)
			sample_clock_break(it);
		return false;
	case CSF_END_FULL:
	case CSF_END_CODE:
	case CSF_END_TIME:
		return false;
	}
	return false;
}
