// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions in short form.  A list of every instruction has the same few thousand blocks again
 * and again, and only the times of a step's instructions are new.
 */
#include "sample-parts.h"

/* Is it at the first instruction of a step, with nothing else to report before it? */
static bool at_step(struct cs_samples *it)
{
	const struct csf_run *run = it->in.run;

	if (it->phase == PHASE_CYCLES || it->phase == PHASE_INSNS) {
		if (it->walked != (it->blocks.info[block_of(it, it->step)] & INFO_INSNS))
			return false;
		it->step++;
		it->walked = 0;
		it->phase = PHASE_STEP;
	}
	return sample_begun(it) && it->step < run->n;
}

uint32_t cs_samples_block(struct cs_samples *it, uint64_t *time, uint32_t *n)
{
	uint32_t block;

	if (!it->only_insns || it->skipped < it->options.skip || !at_step(it))
		return 0;
	if (it->mark_step <= it->step)
		sample_clock_pass(it);
	block = block_of(it, it->step);
	*n = it->blocks.info[block] & INFO_INSNS;
	sample_clock_ahead(it, time, *n);
	return block;
}

void cs_samples_block_insn(struct cs_samples *it, uint32_t nth, struct cs_sample *sample)
{
	if (!nth)
		it->walked = 0;
	sample_walk(it, 1);
	sample_insn_here(it, sample, CS_SAMPLE_INSN);
}

void cs_samples_block_pass(struct cs_samples *it)
{
	const uint32_t n = it->blocks.info[block_of(it, it->step)] & INFO_INSNS;

	/* and none of them waits for a sample */
	it->state->clock.insns += n;
	it->state->insns = 0;
	it->step++;
	it->walked = 0;
}
