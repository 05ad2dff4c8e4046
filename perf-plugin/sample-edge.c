// SPDX-License-Identifier: GPL-2.0-only
/*
 * Branches in short form.  A list of branches has the same few thousand a million times: making a
 * sample of each takes longer than decoding them.
 */
#include "sample-parts.h"

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))

/*
 * Passes steps up to @stop, before which there is no mark and after which there is another step.
 * If times are wanted, they are computed at the same steps as in cs_samples_next(), as time never
 * goes back before a reported one.
 */
static __always_inline size_t collect(struct cs_samples *it, struct cs_edge *edge, size_t stop,
				      bool timed)
{
	const uint16_t *info = it->blocks.info;
	const uint32_t *step = it->in.run->step;
	uint64_t insns = 0;
	size_t i = it->step, n = 0;

	for (; i < stop; i++) {
		const uint32_t block = info[csf_step_block(step[i])];
		const bool taken = step[i] & (block >> CS_INFO_BRANCH_BIT);

		insns += block & INFO_INSNS;
		edge[n] = (struct cs_edge){
			.from = csf_step_block(step[i]), .to = csf_step_block(step[i + 1]),
			.time = it->in.time,
		};
		if (timed && taken) {
			spend(it, insns);
			insns = 0;
			it->step = i + 1;
			edge[n].time = sample_clock_now(it);
		}
		n += taken;
	}
	it->step = i;
	spend(it, insns);
	return n;
}

/* Passes the step before a mark: the branch after it is after the mark, too. */
static size_t pass_mark(struct cs_samples *it, struct cs_edge *edge)
{
	const uint32_t *step = &it->in.run->step[it->step];
	const uint32_t block = it->blocks.info[csf_step_block(*step)];

	spend(it, block & INFO_INSNS);
	it->step++;
	sample_clock_pass(it);
	if (!(*step & (block >> CS_INFO_BRANCH_BIT)))
		return 0;
	*edge = (struct cs_edge){
		.from = csf_step_block(step[0]), .to = csf_step_block(step[1]),
		.time = sample_clock_now(it),
	};
	return 1;
}

bool sample_begun(struct cs_samples *it)
{
	if (it->phase == PHASE_START && !it->in.starts)
		it->phase = PHASE_LOST;
	if (it->phase == PHASE_LOST && !it->state->gap.open) {
		it->phase = PHASE_STEP;
		it->entering = it->branches && it->in.run->n && branched(it);
	}
	return it->phase == PHASE_STEP && !it->entering;
}

static bool in_short(struct cs_samples *it)
{
	return it->only_branches && it->skipped >= it->options.skip && sample_begun(it);
}

/* The last step is left to cs_samples_next(): only the next run tells its target. */
static size_t last_of(const struct csf_run *run)
{
	return run->n ? run->n - 1 : 0;
}

size_t cs_samples_edges(struct cs_samples *it, struct cs_edge *edge, size_t max)
{
	const size_t last = last_of(it->in.run);
	const bool timed = !it->options.timeless;
	size_t n = 0;

	/* not if some branches are not shown, as their times are not computed */
	if ((timed && it->choosy) || !in_short(it))
		return 0;
	if (it->mark_step <= it->step)
		sample_clock_pass(it);
	while (it->step < last && n < max) {
		size_t stop = it->mark_step - 1 < last ? it->mark_step - 1 : last;

		if (stop - it->step > max - n)
			stop = it->step + (max - n);
		n += timed ? collect(it, edge + n, stop, true) :
			     collect(it, edge + n, stop, false);
		if (it->step + 1 == it->mark_step && it->step < last && n < max)
			n += pass_mark(it, edge + n);
	}
	return n;
}

/* The number of instructions is not needed, as it is only for times and for ipc. */
bool cs_samples_steps(struct cs_samples *it, struct cs_steps *steps, size_t max)
{
	const size_t last = last_of(it->in.run);

	if (!it->options.timeless || it->options.insn_time || !in_short(it) || it->step >= last)
		return false;
	*steps = (struct cs_steps){
		.step = it->in.run->step + it->step, .info = it->blocks.info,
		.n = last - it->step < max ? last - it->step : max, .time = it->in.time,
	};
	it->step += steps->n;
	return true;
}

bool cs_samples_edge(struct cs_samples *it, const struct cs_edge *edge, struct cs_sample *sample)
{
	if (!sample_branch_between(it, sample, edge->from, edge->to))
		return false;
	sample->time = edge->time;
	if (it->options.insn_bytes)
		sample_read_last(it, sample, edge->from);
	return true;
}

bool cs_samples_edge_of(struct cs_samples *it, const struct cs_samples_input *input,
			const struct cs_edge *edge, struct cs_sample *sample)
{
	struct cs_sample_state state = { 0 };
	struct cs_samples other = *it;
	bool some = !cs_samples_run(&other, &state, input) &&
		    cs_samples_edge(&other, edge, sample);

	it->blocks = other.blocks;
	return some;
}
