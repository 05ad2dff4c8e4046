/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common parts of cs_samples_next(): code, branches, instructions, and the end of a run each have a
 * file of their own; perf-sample.c orders them.
 */
#ifndef CSF_SAMPLE_PARTS_H
#define CSF_SAMPLE_PARTS_H

#include <string.h>

#include "sample-block.h"
#include "sample-clock.h"

/* The next thing that cs_samples_next() does. */
enum phase {
	PHASE_START,	/* the run may begin again */
	PHASE_LOST,	/* an error whose losses are all known now */
	PHASE_STEP,	/* go to the next step that has something to report */
	PHASE_ENTER,	/* the branch that led to it */
	PHASE_QUICK,	/* its first instruction */
	PHASE_INSNS,	/* go to the next instruction sample in it */
	PHASE_INSN,	/* that sample */
	PHASE_CYCLES,	/* the same for cycles */
	PHASE_LEAVE,	/* as PHASE_ENTER, in the order of stock perf */
	PHASE_END,	/* the end of the run */
	PHASE_FLUSH,	/* trace breaks off: the last instruction of stock perf */
	PHASE_BREAK,	/* trace breaks off: the last branch */
	PHASE_DONE,
};

static inline uint32_t block_of(const struct cs_samples *it, size_t step)
{
	return csf_step_block(it->in.run->step[step]);
}

static inline const struct cs_cell *cell_of(const struct cs_samples *it, size_t step)
{
	return &it->blocks.cell[block_of(it, step)];
}

static inline uint64_t address(uint64_t addr, uint8_t isa)
{
	return isa == CSF_A64 ? addr : (uint32_t)addr;
}

/* Address of the first instruction of a block of the run.  Most are in one section. */
static inline uint64_t addr_of_block(struct cs_samples *it, uint32_t block)
{
	const struct cs_cell *cell = &it->blocks.cell[block];

	if (it->section != cell->section) {
		it->base = csf_block_addr(it->in.dec, it->in.run, block) - cell->offset;
		it->section = cell->section;
	}
	return address(it->base + cell->offset, cell->isa);
}

static inline uint64_t addr_of(struct cs_samples *it, size_t step)
{
	return addr_of_block(it, block_of(it, step));
}

/* Sets the fields that are the same for all kinds. */
static inline void begin_sample(struct cs_samples *it, struct cs_sample *sample,
				enum cs_sample_kind kind)
{
	/* field by field: clearing all at once is slower */
	sample->kind = kind;
	sample->wanted = true;
	sample->moves = false;
	sample->insn_len = 0;
	sample->flags = 0;
	sample->code = 0;
	sample->isa = 0;
	sample->error = 0;
	sample->addr = 0;
	sample->ret = 0;
	sample->period = 1;
	sample->time = 0;
	sample->insn_cnt = 0;
	sample->cyc_cnt = 0;
	sample->trace_nr = it->state->trace_nr;
	sample->lost = 0;
	sample->bytes = 0;
}

static inline void spend(struct cs_samples *it, uint64_t n)
{
	it->state->clock.insns += n;
	it->state->insns += n;
}

/* Instructions until the next sample, >= 1, if the period is in instructions. */
static inline uint64_t sample_due(const struct cs_samples *it)
{
	const uint64_t insns = it->state->insns;

	return insns < it->options.period ? it->options.period - insns : 1;
}

/* Did the step before the current one go elsewhere than to the instruction after it? */
static inline bool branched(const struct cs_samples *it)
{
	const struct cs_sample_state *s = it->state;
	uint32_t step;

	if (!it->step)
		return s->prev == CS_PREV_BREAK || (s->prev == CS_PREV_STEP && s->taken);
	step = it->in.run->step[it->step - 1];
	return step & (it->blocks.info[csf_step_block(step)] >> CS_INFO_BRANCH_BIT);
}

/* How control left what came before, as far as known without its target. */
struct leave {
	uint64_t ip;
	uint32_t flags;
	uint32_t block;
	bool direct;
};

/* Skips one more sample at the beginning.  Return: it is skipped. */
bool sample_skip(struct cs_samples *it);

/* Does the trace name the target?  A quick decode shows only these. */
bool sample_named(const struct cs_samples_options *o, uint32_t flags, bool direct);

/* Sets the number of instructions, and cycles, since the last sample of this kind that had them. */
void sample_ipc(const struct cs_samples *it, struct cs_sample *sample, struct cs_count *last,
		uint64_t insns, uint64_t cycles, bool exact);

/* -------- sample-code.c */

/* Reads the last instruction of a block, at @sample->ip, once for all times that it is executed. */
void sample_read_last(struct cs_samples *it, struct cs_sample *sample, uint32_t block);

/* Reads code of the run, a piece at a time.  Return: number of bytes at *@p, at most @n. */
size_t sample_code(struct cs_samples *it, uint64_t addr, size_t n, const uint8_t **p);

unsigned int sample_insn_size(struct cs_samples *it, uint64_t addr, uint8_t isa);

/*
 * An exception return to the instruction after an SVC ends a system call; the return itself does
 * not tell.
 */
bool sample_after_svc(struct cs_samples *it, uint32_t block);

/* -------- sample-branch.c */

struct leave sample_leave(struct cs_samples *it);

/* Flags of a branch whose target is known; @to: it leads to a step of the run. */
uint32_t sample_flags_to(struct cs_samples *it, const struct leave *l, bool to);

/* The common case: from one step of the run to the next. */
bool sample_branch_within(struct cs_samples *it, struct cs_sample *sample);

/* Sets all of that which does not depend on its time.  Return: it must be shown. */
bool sample_branch_between(struct cs_samples *it, struct cs_sample *sample, uint32_t from,
			   uint32_t to);

/*
 * A branch to @addr, the current step or outside all code; 0: trace ends.
 * @show: make a sample; @tell: report a move.
 */
bool sample_branch(struct cs_samples *it, struct cs_sample *sample, uint64_t addr, bool show,
		   bool tell);

/* -------- sample-edge.c */

/* Is it at the first step of the run, or later, with nothing to report of how the run begins? */
bool sample_begun(struct cs_samples *it);

/* -------- sample-insn.c: where the iterator has come to */

/* Goes to the @n-th next instruction of the step, counted from 1. */
void sample_walk(struct cs_samples *it, uint32_t n);

/* Sets all of an instruction's sample except its time. */
void sample_insn_here(struct cs_samples *it, struct cs_sample *sample, enum cs_sample_kind kind);

bool sample_insn(struct cs_samples *it, struct cs_sample *sample);
bool sample_cycles(struct cs_samples *it, struct cs_sample *sample);

/* For a quick decode: the sample where the trace named an address. */
bool sample_quick(struct cs_samples *it, struct cs_sample *sample);

/* -------- sample-end.c */

/* Handles the end of the run: sets the next phase. */
bool sample_end(struct cs_samples *it, struct cs_sample *sample);

/* Trace is interrupted.  Return: there is a sample for it. */
bool sample_break(struct cs_samples *it, struct cs_sample *sample);

/*
 * Stock perf's instruction sample where a buffer ends, and where trace breaks off (see @flags): its
 * count begins again.
 */
bool sample_flush(struct cs_samples *it, struct cs_sample *sample, uint32_t flags);

/* Reports the losses of the gap before, if they are all known. */
bool sample_gap(struct cs_samples *it, struct cs_sample *sample);

#endif /* CSF_SAMPLE_PARTS_H */
