// SPDX-License-Identifier: GPL-2.0-only
/*
 * A branch is reported when the step after it is known, as only then its target is known.  The
 * event after a step may change the kind of its branch (an exception takes its place as the way
 * out), or end it.
 *
 * Most steps are only passed: skip() adds up their instructions and reads nothing else.  It stops
 * where there is something to report: an instruction sample is due in the step, a branch led to it,
 * or a mark is before it.
 *
 * One event may be several samples, each in a phase of its own.
 */
#include "sample-parts.h"

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))

static bool wants_insns(const struct cs_samples_options *o)
{
	return (o->insns || o->cycles) && !o->quick;
}

/* Of the branches within a run, are only calls and returns wanted or reported? */
static bool wants_calls(const struct cs_samples_options *o)
{
	return !o->compat && !o->quick && (!o->branches || o->calls || o->returns) &&
	       (!o->moves || o->only_calls);
}

static bool wants_branches(const struct cs_samples_options *o)
{
	return o->branches || o->moves || (o->quick && o->insns);
}

void cs_samples_init(struct cs_samples *it, const struct cs_samples_options *options,
		     struct csf_image *image)
{
	memset(it, 0, sizeof(*it));
	it->options = *options;
	it->options.branches |= options->calls || options->returns;
	if (!options->period) {
		it->options.period = 1;
		it->options.period_unit = CS_PERIOD_INSNS;
	}
	if (options->compat) {
		it->options.calls = false;
		it->options.returns = false;
		it->options.quick = 0;
	}
	if (!wants_insns(&it->options))
		it->options.period = UINT64_MAX;
	it->by_insns = !wants_insns(&it->options) || it->options.period_unit == CS_PERIOD_INSNS;
	it->branches = wants_branches(&it->options);
	it->choosy = it->options.calls || it->options.returns || it->options.quick;
	it->every_branch = it->options.branches && !options->skip && !it->choosy;
	it->only_branches = it->options.branches && !options->insns && !options->cycles &&
			    !options->moves && !options->ipc && !options->compat;
	it->only_insns = options->insns && it->options.period == 1 && it->by_insns &&
			 !it->branches && !options->cycles && !options->ipc && !options->compat &&
			 !options->quick;
	it->only_moves = options->moves && !options->only_calls && it->by_insns &&
			 !it->options.branches && !options->cycles && !options->compat &&
			 !options->quick;
	it->branch_bit = wants_calls(options) ? INFO_CALL_BIT : CS_INFO_BRANCH_BIT;
	it->image = image;
	it->phase = PHASE_DONE;
}

void cs_samples_fini(struct cs_samples *it)
{
	sample_blocks_fini(&it->blocks);
	it->phase = PHASE_DONE;
}

int cs_samples_run(struct cs_samples *it, struct cs_sample_state *state,
		   const struct cs_samples_input *input)
{
	const struct csf_run *run = input->run;

	it->state = state;
	it->in = *input;
	it->phase = PHASE_START;
	it->step = 0;
	it->walked = 0;
	it->section = 0;
	it->code_n = 0;
	it->entering = false;
	it->late = false;
	it->ended = false;
	it->lost = false;
	it->task = (struct cs_task){
		.context = run->context, .space = run->space, .map_time = run->time,
		.pid = input->pid, .tid = input->tid,
	};
	sample_clock_start(it);
	if (!input->starts)
		sample_clock_came(it);
	return sample_blocks_grow(&it->blocks, it->image);
}

static uint64_t needed_time(struct cs_samples *it)
{
	const uint64_t period = it->options.period;
	struct cs_sample_state *s = it->state;

	if (sample_clock_blind(it)) {
		s->due_known = false;
		return s->insns < period ? period - s->insns : 1;
	}
	if (!s->due_known)
		s->due = sample_clock_now(it) + period;
	s->due_known = true;
	return sample_clock_until(it, s->due);
}

/* Number of instructions until the next sample, >= 1; UINT64_MAX: not before the next mark. */
static inline uint64_t needed(struct cs_samples *it)
{
	return it->by_insns ? sample_due(it) : needed_time(it);
}

/* ---------------------------------------------------------------- steps */

/*
 * Passes steps up to @stop.  Return: the step with the *@need-th instruction from here, or a step
 * that a branch leads to if @entered is given, or @stop.  *@need: the rest.
 */
static __always_inline size_t skip(const struct cs_samples *it, size_t stop, uint64_t *need,
				   bool *entered)
{
	const uint32_t *step = it->in.run->step;
	const uint16_t *info = it->blocks.info;
	const unsigned int bit = it->branch_bit;
	uint64_t left = *need;
	size_t i = it->step;

	for (; i < stop; i++) {
		const uint32_t block = info[csf_step_block(step[i])];

		if ((block & INFO_INSNS) >= left)
			break;
		left -= block & INFO_INSNS;
		if (entered && step[i] & 1 & (block >> bit)) {
			*entered = true;
			i++;
			break;
		}
	}
	*need = left;
	return i;
}

/* Passes steps until there is something to report. */
static __always_inline enum phase pass_steps(struct cs_samples *it)
{
	const struct csf_run *run = it->in.run;

	for (;;) {
		size_t stop, from = it->step;
		uint64_t need, left;

		if (it->mark_step <= from)
			sample_clock_pass(it);
		if (it->entering)
			return PHASE_ENTER;
		if (from == run->n)
			return PHASE_END;
		stop = it->mark_step < run->n ? it->mark_step : run->n;
		need = needed(it);
		left = need;
		it->step = it->branches ? skip(it, stop, &left, &it->entering) :
					  skip(it, stop, &left, NULL);
		spend(it, need - left);
		/* what follows the last step is reported with the next run */
		if (it->step == run->n)
			it->entering = false;
		else if (it->step < stop && !it->entering)
			return PHASE_INSNS;
	}
}

/* Goes to the next instruction sample in the step, or leaves the step. */
static enum phase pass_insns(struct cs_samples *it)
{
	uint32_t n = it->blocks.info[block_of(it, it->step)] & INFO_INSNS;
	uint64_t need = needed(it);

	if (need <= n - it->walked) {
		sample_walk(it, need);
		spend(it, need);
		return PHASE_INSN;
	}
	spend(it, n - it->walked);
	it->walked = n;
	return PHASE_LEAVE;
}

static void next_step(struct cs_samples *it)
{
	it->step++;
	it->walked = 0;
	it->entering = it->branches && it->step < it->in.run->n && branched(it);
}

/* ---------------------------------------------------------------- phases */

static bool enter(struct cs_samples *it, struct cs_sample *sample)
{
	it->entering = false;
	it->late = it->options.compat;
	it->phase = it->options.quick ? PHASE_QUICK : it->late ? PHASE_INSNS : PHASE_STEP;
	return sample_branch(it, sample, addr_of(it, it->step), !it->late, true);
}

static bool leave(struct cs_samples *it, struct cs_sample *sample)
{
	bool some = it->late && sample_branch(it, sample, addr_of(it, it->step), true, false);

	it->late = false;
	it->phase = PHASE_STEP;
	next_step(it);
	return some;
}

/* Does the work of the current phase, and sets the next.  Return: it made a sample. */
static bool advance(struct cs_samples *it, struct cs_sample *sample)
{
	bool some;

	switch ((enum phase)it->phase) {
	case PHASE_START:
		it->phase = it->in.starts ? PHASE_FLUSH : PHASE_LOST;
		return false;
	case PHASE_FLUSH:
		it->phase = PHASE_BREAK;
		return sample_flush(it, sample, CS_FLAG_BRANCH | CS_FLAG_TRACE_END);
	case PHASE_BREAK:
		it->phase = it->ended ? PHASE_DONE : PHASE_LOST;
		some = sample_break(it, sample);
		if (!it->ended) {
			sample_clock_since(it);
			sample_clock_came(it);
		}
		return some;
	case PHASE_LOST:
		it->phase = PHASE_STEP;
		it->entering = it->branches && it->step < it->in.run->n && branched(it);
		return sample_gap(it, sample);
	case PHASE_STEP:
		it->phase = pass_steps(it);
		return false;
	case PHASE_ENTER:
		return enter(it, sample);
	case PHASE_QUICK:
		it->phase = PHASE_STEP;
		return sample_quick(it, sample);
	case PHASE_INSNS:
		it->phase = pass_insns(it);
		return false;
	case PHASE_INSN:
		it->phase = PHASE_CYCLES;
		return sample_insn(it, sample);
	case PHASE_CYCLES:
		it->phase = PHASE_INSNS;
		return sample_cycles(it, sample);
	case PHASE_LEAVE:
		return leave(it, sample);
	case PHASE_END:
		return sample_end(it, sample);
	case PHASE_DONE:
		break;
	}
	return false;
}

bool cs_samples_next(struct cs_samples *it, struct cs_sample *sample)
{
	const bool plain = !it->options.compat && !it->options.quick;

	while (it->phase != PHASE_DONE) {
		if (it->phase == PHASE_STEP) {
			it->phase = pass_steps(it);
			if (it->phase == PHASE_ENTER && plain && it->step) {
				it->phase = PHASE_STEP;
				it->entering = false;
				if (sample_branch_within(it, sample))
					return true;
				continue;
			}
		}
		if (advance(it, sample))
			return true;
	}
	return false;
}
