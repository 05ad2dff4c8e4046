// SPDX-License-Identifier: GPL-2.0-only
/*
 * A branch is shown when the step behind it is known, because only then is it
 * known where it went.  So one step is remembered: its last instruction, how it
 * left, and what kind of branch that was; what comes later may change the kind
 * (an exception takes the step's place as the way out) or end it.
 */
#include <stdio.h>
#include <string.h>

#include "perf-sample.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* What cs_samples_next() does next. */
enum phase {
	PHASE_START,	/* the run may begin anew */
	PHASE_STEP,	/* the next step */
	PHASE_INSNS,	/* instruction samples in it */
	PHASE_BRANCH,	/* the branch that led to it */
	PHASE_END,	/* how the run ends */
	PHASE_DONE,
};

void cs_samples_init(struct cs_samples *it, const struct cs_samples_options *options,
		       struct csf_image *image)
{
	*it = (struct cs_samples){ .options = *options, .image = image, .phase = PHASE_DONE };
}

void cs_samples_fini(struct cs_samples *it)
{
	*it = (struct cs_samples){ .phase = PHASE_DONE };
}

int cs_samples_run(struct cs_samples *it, struct cs_sample_state *state,
		   const struct cs_samples_input *input)
{
	it->state = state;
	it->in = *input;
	it->step = 0;
	it->mark = 0;
	it->number = 0;
	it->phase = PHASE_START;
	return 0;
}

/* ---------------------------------------------------------------- flags */

static uint32_t block_flags(const struct csf_block *b)
{
	uint32_t flags = CS_FLAG_BRANCH;

	if (b->flags & CSF_FLAG_CUT)
		return 0;
	if (b->kind == CSF_INSN_BRANCH) {
		if (b->flags & CSF_FLAG_LINK)
			return flags | CS_FLAG_CALL;
		return flags | (b->flags & CSF_FLAG_COND ? CS_FLAG_CONDITIONAL : 0);
	}
	if (b->kind != CSF_INSN_INDIRECT)
		return 0;
	if (b->flags & CSF_FLAG_LINK)
		return flags | CS_FLAG_CALL;
	if (b->flags & CSF_FLAG_ERET)
		return flags | CS_FLAG_RETURN | CS_FLAG_INTERRUPT;
	return flags | (b->flags & CSF_FLAG_RET ? CS_FLAG_RETURN : 0);
}

/* Source: ARM IHI 0064, "Exception packet", TYPE for A and R profiles. */
enum { EXC_RESET = 0, EXC_HALT = 1, EXC_CALL = 2, EXC_SERROR = 4, EXC_IRQ = 14, EXC_FIQ = 15 };

static uint32_t exception_flags(const struct cs_sample_state *s, uint64_t type)
{
	uint32_t flags = CS_FLAG_BRANCH | CS_FLAG_CALL;

	switch (type) {
	case EXC_CALL:
		return flags | (s->svc ? CS_FLAG_SYSCALLRET : CS_FLAG_INTERRUPT);
	case EXC_RESET:
	case EXC_HALT:
	case EXC_SERROR:
	case EXC_IRQ:
	case EXC_FIQ:
		return flags | CS_FLAG_ASYNC | CS_FLAG_INTERRUPT;
	default:
		return flags | CS_FLAG_INTERRUPT;
	}
}

const char *cs_sample_flags(uint32_t flags, char *buf)
{
	static const struct {
		uint32_t flags;
		const char *name;
	} names[] = {
		{ CS_FLAG_BRANCH | CS_FLAG_CALL, "call" },
		{ CS_FLAG_BRANCH | CS_FLAG_RETURN, "return" },
		{ CS_FLAG_BRANCH | CS_FLAG_CONDITIONAL, "jcc" },
		{ CS_FLAG_BRANCH, "jmp" },
		{ CS_FLAG_BRANCH | CS_FLAG_CALL | CS_FLAG_INTERRUPT, "int" },
		{ CS_FLAG_BRANCH | CS_FLAG_RETURN | CS_FLAG_INTERRUPT, "iret" },
		{ CS_FLAG_BRANCH | CS_FLAG_CALL | CS_FLAG_SYSCALLRET, "syscall" },
		{ CS_FLAG_BRANCH | CS_FLAG_RETURN | CS_FLAG_SYSCALLRET, "sysret" },
		{ CS_FLAG_BRANCH | CS_FLAG_CALL | CS_FLAG_ASYNC | CS_FLAG_INTERRUPT,
		  "hw int" },
		{ CS_FLAG_BRANCH | CS_FLAG_TRACE_BEGIN, "tr strt" },
		{ CS_FLAG_BRANCH | CS_FLAG_TRACE_END, "tr end" },
	};
	const size_t n = ARRAY_SIZE(names);

	for (size_t i = 0; i < n; i++)
		if (names[i].flags == flags)
			return names[i].name;
	for (size_t i = 0; i < n && flags & CS_FLAG_TRACE_END; i++)
		if (names[i].flags == (flags & ~CS_FLAG_TRACE_END)) {
			snprintf(buf, 24, "tr end  %s", names[i].name);
			return buf;
		}
	return "";
}

/* ---------------------------------------------------------------- samples */

static void read_insn(struct cs_samples *it, struct cs_sample *sample, unsigned int size)
{
	if (csf_image_read(it->image, sample->from.space, sample->ip, sample->from.map_time,
			   sample->insn, size) == size)
		sample->insn_len = size;
}

/* Of the run at hand. */
static struct cs_place place_of(const struct cs_samples *it)
{
	const struct csf_run *run = it->in.run;

	return (struct cs_place){
		.context = run->context, .space = run->space, .map_time = run->time,
		.pid = it->in.pid, .tid = it->in.tid,
	};
}

/* A branch from the step before to @addr; from nowhere if there was a break. */
static bool branch(struct cs_samples *it, struct cs_sample *sample, uint64_t addr)
{
	const struct cs_sample_state *s = it->state;

	if (!it->options.branches && !it->options.moves)
		return false;
	*sample = (struct cs_sample){
		.kind = CS_SAMPLE_BRANCH,
		.flags = s->flags,
		.wanted = it->options.branches,
		.moves = it->options.moves,
		.addr = addr,
		.period = 1,
		.time = s->time,
		.trace_nr = s->trace_nr,
		.to = place_of(it),
	};
	if (s->prev == CS_PREV_STEP) {
		sample->ip = s->last;
		sample->from = s->place;
		read_insn(it, sample, s->last_size);
	} else {
		sample->flags = CS_FLAG_BRANCH | CS_FLAG_TRACE_BEGIN;
		sample->from = sample->to;
	}
	if (!addr)
		sample->to = sample->from;
	return true;
}

/* Trace stops being continuous.  Return: there is a sample that says so. */
static bool break_off(struct cs_samples *it, struct cs_sample *sample)
{
	struct cs_sample_state *s = it->state;
	bool was_step = s->prev == CS_PREV_STEP;

	s->flags |= CS_FLAG_BRANCH | CS_FLAG_TRACE_END;
	was_step = was_step && branch(it, sample, 0);
	s->prev = CS_PREV_BREAK;
	s->flags = CS_FLAG_BRANCH | CS_FLAG_TRACE_BEGIN;
	s->trace_nr++;
	return was_step;
}

/*
 * Code that is missing begins at the target of a branch: that branch is known
 * from end to end.  What follows is not.
 */
static bool into_the_dark(struct cs_samples *it, struct cs_sample *sample)
{
	struct cs_sample_state *s = it->state;
	bool some;

	if (s->prev != CS_PREV_STEP || !s->taken)
		return break_off(it, sample);
	some = branch(it, sample, it->in.run->addr);
	s->prev = CS_PREV_BREAK;
	s->flags = CS_FLAG_BRANCH | CS_FLAG_TRACE_BEGIN;
	s->trace_nr++;
	return some;
}

/* ---------------------------------------------------------------- steps */

/* Timestamps in front of the step at hand. */
static void pass_marks(struct cs_samples *it, uint64_t seq)
{
	const struct csf_run *run = it->in.run;

	for (; it->mark < run->n_mark && run->mark[it->mark].seq <= seq; it->mark++)
		if (run->mark[it->mark].kind == CSF_MARK_TIME &&
		    !(run->mark[it->mark].flags & CSF_MARK_UNKNOWN))
			it->state->time = run->mark[it->mark].value;
}

static void load_step(struct cs_samples *it)
{
	const struct csf_run *run = it->in.run;
	uint32_t number = run->step[it->step] >> 1;

	if (it->mark < run->n_mark)
		pass_marks(it, run->seq + it->step);
	if (number != it->number) {
		csf_block(it->image, number, &it->block);
		it->addr = csf_block_addr(it->in.dec, run, number);
		it->number = number;
	}
	it->walked_addr = it->addr;
	it->walked = 0;
	it->left = it->block.n_insn;
}

/*
 * An exception return that comes back behind an SVC ends a system call.  Which
 * of the two it was, the return itself does not say.
 */
static void see_return(struct cs_samples *it)
{
	struct cs_sample_state *s = it->state;
	const struct csf_run *run = it->in.run;
	const enum csf_isa isa = it->block.isa;
	const unsigned int size = isa == CSF_T32 ? 2 : 4;
	struct csf_insn insn;
	uint8_t b[4];

	if (s->flags != (CS_FLAG_BRANCH | CS_FLAG_RETURN | CS_FLAG_INTERRUPT) ||
	    csf_image_read(it->image, run->space, it->addr - size, run->time, b, size) != size)
		return;
	csf_insn(&insn, size == 2 ? b[0] | b[1] << 8 :
		 b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24, it->addr - size, isa, 0);
	if (insn.kind == CSF_INSN_EXCEPTION && insn.flags & CSF_FLAG_SVC)
		s->flags = CS_FLAG_BRANCH | CS_FLAG_RETURN | CS_FLAG_SYSCALLRET;
}

/* The step at hand becomes the step before. */
static void remember(struct cs_samples *it)
{
	const struct csf_run *run = it->in.run;
	const struct csf_block *b = &it->block;
	struct cs_sample_state *s = it->state;
	bool branches = b->kind == CSF_INSN_BRANCH || b->kind == CSF_INSN_INDIRECT;

	s->prev = CS_PREV_STEP;
	s->taken = run->step[it->step] & 1 && branches && !(b->flags & CSF_FLAG_CUT);
	s->svc = b->kind == CSF_INSN_EXCEPTION && b->flags & CSF_FLAG_SVC;
	s->isa = b->isa;
	s->flags = block_flags(b);
	s->last = it->addr + b->size - b->last_size;
	s->last_size = b->last_size;
	s->place = place_of(it);
}

/* Moves on to the @n-th next instruction of the block; the first one is the first. */
static void walk(struct cs_samples *it, uint32_t n)
{
	const struct csf_run *run = it->in.run;

	it->left -= n;
	if (it->block.isa != CSF_T32) {
		it->walked_addr = it->addr + 4 * (uint64_t)(it->walked + n - 1);
		it->walked += n;
		return;
	}
	for (; n; n--, it->walked++) {
		uint8_t b[2] = { 0 };

		if (!it->walked)
			continue;
		csf_image_read(it->image, run->space, it->walked_addr, run->time, b, 2);
		it->walked_addr += b[1] >> 3 >= 0x1d ? 4 : 2;
	}
}

/* Return: there is an instruction sample in what is left of the block. */
static bool sample_insn(struct cs_samples *it, struct cs_sample *sample)
{
	const struct csf_run *run = it->in.run;
	struct cs_sample_state *s = it->state;
	unsigned int size = 4;

	if (!it->options.insns || !it->options.period)
		return false;
	if (it->options.period - s->count > it->left) {
		s->count += it->left;
		return false;
	}
	walk(it, it->options.period - s->count);
	s->count = 0;
	*sample = (struct cs_sample){
		.kind = CS_SAMPLE_INSN,
		.flags = s->flags,
		.ip = it->walked_addr,
		.period = it->options.period,
		.time = s->time,
		.wanted = true,
		.trace_nr = s->trace_nr,
		.from = place_of(it),
	};
	if (s->prev != CS_PREV_STEP)
		sample->flags = CS_FLAG_BRANCH | CS_FLAG_TRACE_BEGIN;
	if (it->block.isa == CSF_T32) {
		uint8_t b[2] = { 0 };

		csf_image_read(it->image, run->space, sample->ip, run->time, b, 2);
		size = b[1] >> 3 >= 0x1d ? 4 : 2;
	}
	read_insn(it, sample, size);
	return true;
}

/* ---------------------------------------------------------------- ends */

static bool end_run(struct cs_samples *it, struct cs_sample *sample)
{
	const struct csf_run *run = it->in.run;
	struct cs_sample_state *s = it->state;

	pass_marks(it, UINT64_MAX);
	switch ((enum csf_end_kind)run->end) {
	case CSF_END_EXCEPTION:
		if (s->prev == CS_PREV_STEP) {
			s->taken = true;
			s->flags = exception_flags(s, run->value);
		}
		return false;
	case CSF_END_GAP:
		if (run->value == CSF_GAP_IMAGE)
			return into_the_dark(it, sample);
		return break_off(it, sample);
	case CSF_END_Q:
	case CSF_END_TRACE:
		return break_off(it, sample);
	case CSF_END_FULL:
	case CSF_END_CONTEXT:
	case CSF_END_TRANSACTION:
	case CSF_END_TIME:
		return false;
	}
	return false;
}

/* What the phase at hand does; sets the next.  Return: it made a sample. */
static bool advance(struct cs_samples *it, struct cs_sample *sample)
{
	struct cs_sample_state *s = it->state;
	bool some = false;

	switch ((enum phase)it->phase) {
	case PHASE_START:
		it->phase = PHASE_STEP;
		return it->in.starts && break_off(it, sample);
	case PHASE_STEP:
		it->phase = PHASE_END;
		if (it->step < it->in.run->n) {
			load_step(it);
			if (s->prev == CS_PREV_STEP)
				see_return(it);
			it->phase = PHASE_INSNS;
		}
		return false;
	case PHASE_INSNS:
		some = sample_insn(it, sample);
		if (!some)
			it->phase = PHASE_BRANCH;
		return some;
	case PHASE_BRANCH:
		if (s->prev == CS_PREV_BREAK || (s->prev == CS_PREV_STEP && s->taken))
			some = branch(it, sample, it->addr);
		remember(it);
		it->step++;
		it->phase = PHASE_STEP;
		return some;
	case PHASE_END:
		it->phase = PHASE_DONE;
		return end_run(it, sample);
	case PHASE_DONE:
		break;
	}
	return false;
}

bool cs_samples_next(struct cs_samples *it, struct cs_sample *sample)
{
	while (it->phase != PHASE_DONE)
		if (advance(it, sample))
			return true;
	return false;
}

/* ---------------------------------------------------------------- errors */

bool cs_gap_is_loss(const struct csf_run *run)
{
	return run->end == CSF_END_GAP && run->value != CSF_GAP_OFF &&
	       (run->value != CSF_GAP_START || run->lost);
}

void cs_sample_error_text(const struct cs_sample *sample, char *buf, size_t n)
{
	snprintf(buf, n, "%s", csf_gap_name(sample->code));
}
