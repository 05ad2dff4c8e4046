// SPDX-License-Identifier: GPL-2.0-only
#include "sample-parts.h"

void sample_walk(struct cs_samples *it, uint32_t n)
{
	const uint64_t start = addr_of(it, it->step);
	const struct cs_cell *cell = cell_of(it, it->step);

	if (cell->isa != CSF_T32) {
		it->walked += n;
		it->walked_addr = address(start + 4 * (uint64_t)(it->walked - 1), cell->isa);
		return;
	}
	for (; n; n--, it->walked++) {
		uint64_t at = it->walked_addr;

		at = it->walked ? at + sample_insn_size(it, at, CSF_T32) : start;
		it->walked_addr = (uint32_t)at;
	}
}

static bool at_last(const struct cs_samples *it)
{
	return it->walked == (it->blocks.info[block_of(it, it->step)] & INFO_INSNS);
}

/* Flags of the branch that led to the current step. */
static uint32_t flags_before(struct cs_samples *it)
{
	const struct cs_sample_state *s = it->state;
	struct leave l;

	if (!it->step && s->prev != CS_PREV_STEP)
		return CS_FLAG_BRANCH | CS_FLAG_TRACE_BEGIN;
	l = sample_leave(it);
	return sample_flags_to(it, &l, true);
}

static void set_insn(struct cs_samples *it, struct cs_sample *sample)
{
	const uint8_t isa = cell_of(it, it->step)->isa;
	const uint8_t *p;
	size_t n;

	if (!it->options.insn_bytes)
		return;
	if (at_last(it)) {
		sample_read_last(it, sample, block_of(it, it->step));
		return;
	}
	n = sample_insn_size(it, sample->ip, isa);
	if (sample_code(it, sample->ip, n, &p) == n) {
		memcpy(sample->insn, p, n);
		sample->insn_len = n;
		sample->isa = isa;
	}
}

/*
 * Number of cycles when the last instruction of the step is done; *@exact: counted at that point.
 */
static uint64_t cycles_here(const struct cs_samples *it, bool *exact)
{
	const struct cs_clock *c = &it->state->clock;
	const struct csf_run *run = it->in.run;
	const uint64_t seq = run->seq + it->step + 1;
	uint64_t cycles = c->cycles;

	*exact = false;
	if (!at_last(it))
		return cycles;
	for (size_t i = it->mark; i < run->n_mark; i++) {
		const struct csf_mark *m = &run->mark[i];

		if (m->kind != CSF_MARK_CYCLES || m->flags & CSF_MARK_UNKNOWN)
			continue;
		if (m->at > seq)
			break;
		cycles += m->count;
		*exact = true;
	}
	return cycles;
}

void sample_insn_here(struct cs_samples *it, struct cs_sample *sample, enum cs_sample_kind kind)
{
	const struct csf_run *run = it->in.run;

	begin_sample(it, sample, kind);
	sample->ip = it->walked_addr;
	sample->from = it->task;
	sample->to = it->task;
	if (it->options.compat)
		sample->flags = flags_before(it);
	else if (at_last(it))
		sample->flags = cell_of(it, it->step)->flags;
	if (run->in_transaction)
		sample->flags |= CS_FLAG_IN_TX;
	set_insn(it, sample);
}

/* The instruction that the iterator has come to. */
static void insn(struct cs_samples *it, struct cs_sample *sample, enum cs_sample_kind kind)
{
	sample_insn_here(it, sample, kind);
	sample->time = sample_clock_now(it);
}

/* The next sample is due one period after this one was due, not after it came. */
static void next_due(struct cs_samples *it)
{
	struct cs_sample_state *s = it->state;
	uint64_t now = sample_clock_now(it);

	s->due += it->options.period;
	if (s->due <= now)
		s->due = now + it->options.period;
}

bool sample_insn(struct cs_samples *it, struct cs_sample *sample)
{
	struct cs_sample_state *s = it->state;
	uint64_t period = s->insns;
	uint64_t cycles;
	bool exact;

	s->insns = 0;
	if (s->due_known)
		next_due(it);
	if (!it->options.insns || sample_skip(it))
		return false;
	insn(it, sample, CS_SAMPLE_INSN);
	sample->period = period;
	cycles = cycles_here(it, &exact);
	sample_ipc(it, sample, &s->insn, s->clock.insns, cycles, exact);
	return true;
}

bool sample_cycles(struct cs_samples *it, struct cs_sample *sample)
{
	struct cs_sample_state *s = it->state;
	uint64_t cycles;
	bool exact;

	if (!it->options.cycles)
		return false;
	cycles = cycles_here(it, &exact);
	if (cycles == s->sampled || sample_skip(it))
		return false;
	insn(it, sample, CS_SAMPLE_CYCLES);
	sample->period = cycles - s->sampled;
	s->sampled = cycles;
	return true;
}

bool sample_quick(struct cs_samples *it, struct cs_sample *sample)
{
	const struct leave l = sample_leave(it);
	bool begins = !it->step && it->state->prev != CS_PREV_STEP;

	if (!begins && !sample_named(&it->options, l.flags, l.direct))
		return false;
	if (!it->options.insns || sample_skip(it))
		return false;
	it->walked_addr = addr_of(it, it->step);
	insn(it, sample, CS_SAMPLE_INSN);
	sample->period = 1;
	return true;
}
