// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moves in short form.  Between two samples with their last branches there are hundreds that are
 * never shown: for each branch only its identity is reported.
 */
#include "sample-parts.h"

static size_t add(const struct cs_samples *it, size_t step, struct cs_edge *edge)
{
	const uint32_t *s = &it->in.run->step[step];

	edge->from = s[0] >> 1;
	edge->to = s[1] >> 1;
	edge->time = 0;
	return s[0] & (it->blocks.info[s[0] >> 1] >> CS_INFO_BRANCH_BIT);
}

/* Leaves a step whose last sample was reported.  Return: a branch left it. */
static size_t leave(struct cs_samples *it, struct cs_edge *edge)
{
	const uint32_t n = it->blocks.info[block_of(it, it->step)] & INFO_INSNS;

	if (it->step + 1 >= it->in.run->n || sample_due(it) <= n - it->walked)
		return 0;
	spend(it, n - it->walked);
	it->walked = 0;
	it->phase = PHASE_STEP;
	return add(it, it->step++, edge);
}

/* Passes steps up to @stop, or to one that has a sample. */
static size_t pass(struct cs_samples *it, struct cs_edge *edge, size_t stop)
{
	const uint32_t *step = it->in.run->step;
	const uint16_t *info = it->blocks.info;
	const uint64_t due = sample_due(it);
	uint64_t left = due;
	size_t i, n = 0;

	for (i = it->step; i < stop; i++) {
		const uint32_t insns = info[csf_step_block(step[i])] & INFO_INSNS;

		if (insns >= left)
			break;
		left -= insns;
		n += add(it, i, edge + n);
	}
	it->step = i;
	spend(it, due - left);
	return n;
}

size_t cs_samples_moves(struct cs_samples *it, struct cs_edge *edge, size_t max)
{
	const struct csf_run *run = it->in.run;
	const size_t last = run->n ? run->n - 1 : 0;
	size_t n = 0;

	if (!it->only_moves)
		return 0;
	if (it->phase == PHASE_CYCLES || it->phase == PHASE_INSNS)
		n = leave(it, edge);
	if (!sample_begun(it))
		return n;
	while (it->step < last && n < max) {
		size_t stop;

		if (it->mark_step <= it->step)
			sample_clock_pass(it);
		stop = it->mark_step < last ? it->mark_step : last;
		if (stop - it->step > max - n)
			stop = it->step + (max - n);
		n += pass(it, edge + n, stop);
		if (it->step < stop)
			break;
	}
	return n;
}

void cs_samples_ends(struct cs_samples *it, const struct cs_edge *edge, struct cs_ends *ends)
{
	const struct cs_cell *cell = &it->blocks.cell[edge->from];

	ends->from = address(addr_of_block(it, edge->from) + cell->last, cell->isa);
	ends->to = addr_of_block(it, edge->to);
	ends->flags = cell->flags | (it->in.run->in_transaction ? CS_FLAG_IN_TX : 0);
}
