// SPDX-License-Identifier: GPL-2.0-only
/*
 * A branch is shown when the step behind it is known, because only then is it
 * known where it went.  What comes behind a step may change what its branch is
 * called (an exception takes its place as the way out) or end it.
 *
 * Most steps are only passed: skip() adds up their instructions and looks at
 * nothing else.  It stops where there is something to tell: an instruction
 * sample is due in the step, it was entered by a branch, or a mark lies in front
 * of it.
 *
 * One thing that happens may be several samples, each of a phase of its own.
 */
#include <string.h>

#include "sample-block.h"
#include "sample-clock.h"

/* What cs_samples_next() does next. */
enum phase {
	PHASE_START,	/* the run may begin anew */
	PHASE_LOST,	/* an error whose losses are now all known */
	PHASE_STEP,	/* on to the next step with something to tell */
	PHASE_ENTER,	/* the branch that led to it */
	PHASE_QUICK,	/* its first instruction */
	PHASE_INSNS,	/* on to the next instruction sample in it */
	PHASE_INSN,	/* that */
	PHASE_CYCLES,	/* and the same in cycles */
	PHASE_LEAVE,	/* as PHASE_ENTER, in the order of stock perf */
	PHASE_END,	/* how the run ends */
	PHASE_FLUSH,	/* trace breaks off: stock perf's last instruction */
	PHASE_BREAK,	/* trace breaks off: the last branch */
	PHASE_DONE,
};

static bool wants_insns(const struct cs_samples_options *o)
{
	return (o->insns || o->cycles) && !o->quick;
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
	it->addr_step = 0;
	it->code_n = 0;
	it->entering = false;
	it->late = false;
	it->ended = false;
	it->place = (struct cs_place){
		.context = run->context, .space = run->space, .map_time = run->time,
		.pid = input->pid, .tid = input->tid,
	};
	sample_clock_start(it);
	return sample_blocks_grow(&it->blocks, it->image);
}

/* ---------------------------------------------------------------- code */

static uint32_t block_of(const struct cs_samples *it, size_t step)
{
	return it->in.run->step[step] >> 1;
}

static const struct cs_cell *cell_of(const struct cs_samples *it, size_t step)
{
	return &it->blocks.cell[block_of(it, step)];
}

static uint64_t address(uint64_t addr, uint8_t isa)
{
	return isa == CSF_A64 ? addr : (uint32_t)addr;
}

static uint64_t addr_of(struct cs_samples *it, size_t step)
{
	if (it->addr_step != step + 1) {
		it->addr = csf_block_addr(it->in.dec, it->in.run, block_of(it, step));
		it->addr_step = step + 1;
	}
	return it->addr;
}

/* The last instruction of a block, at @addr; read once for all times it is executed. */
static void read_last(struct cs_samples *it, struct cs_sample *sample, uint32_t block)
{
	struct cs_cell *cell = &it->blocks.cell[block];
	const struct cs_place *at = &sample->from;

	if (!(cell->bits & CELL_BYTES)) {
		if (csf_image_read(it->image, at->space, sample->ip, at->map_time, cell->insn,
				   cell->last_size) != cell->last_size)
			return;
		cell->bits |= CELL_BYTES;
	}
	memcpy(sample->insn, cell->insn, sizeof(sample->insn));
	sample->insn_len = cell->last_size;
}

/* Code of the run, a piece at a time.  Return: bytes at *@p, at most @n. */
static size_t code(struct cs_samples *it, uint64_t addr, size_t n, const uint8_t **p)
{
	const struct cs_place *at = &it->place;
	uint64_t in = addr - it->code_addr;

	if (in >= it->code_n || it->code_n - in < n) {
		it->code_addr = addr;
		it->code_n = csf_image_read(it->image, at->space, addr, at->map_time, it->code,
					    sizeof(it->code));
		in = 0;
	}
	*p = it->code + in;
	return n < it->code_n - in ? n : it->code_n - in;
}

static unsigned int insn_size(struct cs_samples *it, uint64_t addr, uint8_t isa)
{
	const uint8_t *p;

	if (isa != CSF_T32)
		return 4;
	return code(it, addr, 2, &p) == 2 && p[1] >> 3 >= 0x1d ? 4 : 2;
}

/*
 * An exception return that comes back behind an SVC ends a system call.  Which
 * of the two it was, the return itself does not say.
 */
static bool behind_svc(struct cs_samples *it, size_t step)
{
	struct cs_cell *cell = &it->blocks.cell[block_of(it, step)];
	const unsigned int size = cell->isa == CSF_T32 ? 2 : 4;
	const uint64_t addr = addr_of(it, step) - size;
	struct csf_insn insn;
	const uint8_t *b;

	if (cell->bits & CELL_LOOKED)
		return cell->bits & CELL_BEHIND_SVC;
	if (code(it, addr, size, &b) == size) {
		csf_insn(&insn, size == 2 ? b[0] | b[1] << 8 :
			 b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24, addr, cell->isa, 0);
		if (insn.kind == CSF_INSN_EXCEPTION && insn.flags & CSF_FLAG_SVC)
			cell->bits |= CELL_BEHIND_SVC;
	}
	cell->bits |= CELL_LOOKED;
	return cell->bits & CELL_BEHIND_SVC;
}

/* ---------------------------------------------------------------- what is wanted */

static bool count_skip(struct cs_samples *it)
{
	if (it->skipped >= it->options.skip)
		return false;
	it->skipped++;
	return true;
}

/* As perf filters for calls and for returns: what may be one counts. */
static bool passes(const struct cs_samples_options *o, uint32_t flags)
{
	uint32_t mask = (o->calls ? CS_FLAG_CALL | CS_FLAG_ASYNC | CS_FLAG_TRACE_END : 0) |
			(o->returns ? CS_FLAG_RETURN | CS_FLAG_TRACE_BEGIN : 0);

	return !mask || flags & mask;
}

/* The trace names where it goes: all that is shown of a quick decode. */
static bool named(const struct cs_samples_options *o, uint32_t flags, bool direct)
{
	const uint32_t event = CS_FLAG_TRACE_BEGIN | CS_FLAG_TRACE_END | CS_FLAG_INTERRUPT |
			       CS_FLAG_SYSCALLRET | CS_FLAG_TX_ABORT;

	return !o->quick || flags & event || (o->quick == 1 && !direct);
}

/* How many instructions, and cycles, since a sample of this kind last said. */
static void tell_ipc(const struct cs_samples *it, struct cs_sample *sample, struct cs_count *last,
		     uint64_t insns, uint64_t cycles, bool exact)
{
	if (!it->options.ipc || !(exact || it->options.approx_ipc) || cycles == last->cycles)
		return;
	sample->insn_cnt = insns - last->insns;
	sample->cyc_cnt = cycles - last->cycles;
	*last = (struct cs_count){ insns, cycles };
}

/* ---------------------------------------------------------------- branches */

/* How control left what came before, as far as that itself says. */
struct leave {
	uint64_t ip;
	uint32_t flags;
	uint32_t block;
	bool direct;
};

static struct leave leave_of(struct cs_samples *it)
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

/* Flags of a branch, when it is known where it goes; @to: to a step of the run. */
static uint32_t flags_to(struct cs_samples *it, const struct leave *l, bool to)
{
	const uint32_t jump = CS_FLAG_BRANCH;
	uint32_t flags = l->flags;

	if (to && flags == (CS_FLAG_BRANCH | CS_FLAG_RETURN | CS_FLAG_INTERRUPT) &&
	    behind_svc(it, it->step))
		flags = CS_FLAG_BRANCH | CS_FLAG_RETURN | CS_FLAG_SYSCALLRET;
	if (it->options.compat && (flags & ~CS_FLAG_TRACE_END) == jump && l->block &&
	    it->blocks.cell[l->block].bits & CELL_JUMP)
		flags |= CS_FLAG_RETURN;
	return flags;
}

/* Both ends of a branch from what came before to @addr; from nowhere if there was a break. */
static void set_ends(struct cs_samples *it, struct cs_sample *sample, const struct leave *l)
{
	const struct cs_sample_state *s = it->state;

	if (it->step || s->prev == CS_PREV_STEP) {
		sample->ip = l->ip;
		sample->from = it->step ? it->place : s->place;
		if (sample->flags & CS_FLAG_CALL)
			sample->ret = it->step || !s->ret ?
				      l->ip + it->blocks.cell[l->block].last_size : s->ret;
	} else {
		sample->flags = CS_FLAG_BRANCH | CS_FLAG_TRACE_BEGIN;
		sample->from = it->place;
	}
	sample->to = sample->addr ? it->place : sample->from;
	if (it->options.insn_bytes || it->options.moves)
		sample->insn_len = sample->ip ? it->blocks.cell[l->block].last_size : 0;
}

static void set_wanted(struct cs_samples *it, struct cs_sample *sample, const struct leave *l)
{
	struct cs_sample_state *s = it->state;
	const struct cs_clock *c = &s->clock;

	if (!sample->wanted)
		return;
	sample->time = sample_clock_now(it);
	tell_ipc(it, sample, &s->branch, c->insns, c->cycles, c->cycles_at == c->insns);
	if (it->options.insn_bytes && sample->ip)
		read_last(it, sample, l->block);
}

/*
 * A branch to @addr, the step at hand or beyond all code; 0: trace ends.
 * @show: as a sample; @tell: as a move.
 */
static bool branch(struct cs_samples *it, struct cs_sample *sample, uint64_t addr, bool show,
		   bool tell)
{
	const bool to = addr && !it->ended;
	const struct leave l = leave_of(it);
	uint32_t flags = flags_to(it, &l, to);

	if (!it->step && it->state->prev != CS_PREV_STEP)
		flags = CS_FLAG_BRANCH | CS_FLAG_TRACE_BEGIN;
	show = show && it->options.branches && passes(&it->options, flags) &&
	       named(&it->options, flags, l.direct) && !count_skip(it);
	tell = tell && it->options.moves;
	if (!show && !tell)
		return false;
	*sample = (struct cs_sample){
		.kind = CS_SAMPLE_BRANCH, .wanted = show, .moves = tell, .flags = flags,
		.addr = addr, .period = 1, .trace_nr = it->state->trace_nr,
	};
	set_ends(it, sample, &l);
	if (it->in.run->in_transaction)
		sample->flags |= CS_FLAG_IN_TX;
	set_wanted(it, sample, &l);
	return true;
}

/* ---------------------------------------------------------------- instructions */

static void spend(struct cs_samples *it, uint64_t n)
{
	it->state->clock.insns += n;
	it->state->insns += n;
}

/* Instructions until the next sample, >= 1; of what is in sight. */
static uint64_t needed(struct cs_samples *it)
{
	const struct cs_samples_options *o = &it->options;
	struct cs_sample_state *s = it->state;

	if (!wants_insns(o))
		return UINT64_MAX;
	if (o->period_unit == CS_PERIOD_INSNS || sample_clock_blind(it)) {
		s->due_known = false;
		return s->insns < o->period ? o->period - s->insns : 1;
	}
	if (!s->due_known)
		s->due = sample_clock_now(it) + o->period;
	s->due_known = true;
	return sample_clock_until(it, s->due);
}

/* Moves on to the @n-th next instruction of the step; the first one is the first. */
static void walk(struct cs_samples *it, uint32_t n)
{
	const uint64_t start = addr_of(it, it->step);
	const struct cs_cell *cell = cell_of(it, it->step);

	if (cell->isa != CSF_T32) {
		it->walked += n;
		it->walked_addr = address(start + 4 * (uint64_t)(it->walked - 1), cell->isa);
		return;
	}
	for (; n; n--, it->walked++)
		it->walked_addr = it->walked ?
			(uint32_t)(it->walked_addr + insn_size(it, it->walked_addr, CSF_T32)) :
			start;
}

static bool at_last(const struct cs_samples *it)
{
	return it->walked == (it->blocks.info[block_of(it, it->step)] & INFO_INSNS);
}

/* Flags of the branch that led to the step at hand. */
static uint32_t flags_before(struct cs_samples *it)
{
	const struct cs_sample_state *s = it->state;
	struct leave l;

	if (!it->step && s->prev != CS_PREV_STEP)
		return CS_FLAG_BRANCH | CS_FLAG_TRACE_BEGIN;
	l = leave_of(it);
	return flags_to(it, &l, true);
}

static void set_insn(struct cs_samples *it, struct cs_sample *sample)
{
	const uint8_t isa = cell_of(it, it->step)->isa;
	const uint8_t *p;
	size_t n;

	if (!it->options.insn_bytes)
		return;
	if (at_last(it)) {
		read_last(it, sample, block_of(it, it->step));
		return;
	}
	n = insn_size(it, sample->ip, isa);
	if (code(it, sample->ip, n, &p) == n) {
		memcpy(sample->insn, p, n);
		sample->insn_len = n;
	}
}

/* Cycles counted when the last instruction of the step is done; *@exact: just then. */
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

/* An instruction, at which the iterator stands. */
static void insn(struct cs_samples *it, struct cs_sample *sample, enum cs_sample_kind kind)
{
	const struct csf_run *run = it->in.run;

	*sample = (struct cs_sample){
		.kind = kind, .wanted = true, .ip = it->walked_addr, .from = it->place,
		.to = it->place, .trace_nr = it->state->trace_nr, .time = sample_clock_now(it),
	};
	if (it->options.compat)
		sample->flags = flags_before(it);
	else if (at_last(it))
		sample->flags = cell_of(it, it->step)->flags;
	if (run->in_transaction)
		sample->flags |= CS_FLAG_IN_TX;
	set_insn(it, sample);
}

static bool sample_insn(struct cs_samples *it, struct cs_sample *sample)
{
	struct cs_sample_state *s = it->state;
	uint64_t period = s->insns;
	uint64_t cycles;
	bool exact;

	s->insns = 0;
	if (!it->options.insns || count_skip(it))
		return false;
	insn(it, sample, CS_SAMPLE_INSN);
	sample->period = period;
	cycles = cycles_here(it, &exact);
	tell_ipc(it, sample, &s->insn, s->clock.insns, cycles, exact);
	return true;
}

static bool sample_cycles(struct cs_samples *it, struct cs_sample *sample)
{
	struct cs_sample_state *s = it->state;
	uint64_t cycles;
	bool exact;

	if (!it->options.cycles)
		return false;
	cycles = cycles_here(it, &exact);
	if (cycles == s->sampled || count_skip(it))
		return false;
	insn(it, sample, CS_SAMPLE_CYCLES);
	sample->period = cycles - s->sampled;
	s->sampled = cycles;
	return true;
}

/* Where the trace named an address, for a quick decode. */
static bool sample_quick(struct cs_samples *it, struct cs_sample *sample)
{
	const struct leave l = leave_of(it);
	bool begins = !it->step && it->state->prev != CS_PREV_STEP;

	if (!begins && !named(&it->options, l.flags, l.direct))
		return false;
	if (!it->options.insns || count_skip(it))
		return false;
	it->walked_addr = addr_of(it, it->step);
	insn(it, sample, CS_SAMPLE_INSN);
	sample->period = 1;
	return true;
}

/* ---------------------------------------------------------------- steps */

/*
 * Passes steps up to @stop.  Return: the one that holds the *@need-th instruction
 * from here, or that is entered by a branch if @branches, or @stop.  *@need: what is left of it.
 */
static inline size_t skip(const uint16_t *info, const uint32_t *step, size_t i, size_t stop,
			  uint64_t *need, bool branches)
{
	uint64_t left = *need;

	for (; i < stop; i++) {
		const uint32_t block = info[step[i] >> 1];

		if ((block & INFO_INSNS) >= left)
			break;
		left -= block & INFO_INSNS;
		if (branches && step[i] & (block >> INFO_BRANCH_BIT)) {
			i++;
			break;
		}
	}
	*need = left;
	return i;
}

/* The step in front of the one at hand went somewhere else than behind it. */
static bool branched(const struct cs_samples *it)
{
	const struct cs_sample_state *s = it->state;
	uint32_t step;

	if (!it->step)
		return s->prev == CS_PREV_BREAK || (s->prev == CS_PREV_STEP && s->taken);
	step = it->in.run->step[it->step - 1];
	return step & (it->blocks.info[step >> 1] >> INFO_BRANCH_BIT);
}

/* Passes steps until there is something to tell. */
static enum phase pass_steps(struct cs_samples *it)
{
	const struct csf_run *run = it->in.run;
	const bool branches = wants_branches(&it->options);

	for (;;) {
		size_t stop, from = it->step;
		uint64_t need, left;

		if (it->mark_step <= it->step)
			sample_clock_pass(it);
		if (it->step == run->n)
			return PHASE_END;
		if (it->entering)
			return PHASE_ENTER;
		stop = it->mark_step < run->n ? it->mark_step : run->n;
		need = needed(it);
		left = need;
		it->step = branches ?
			skip(it->blocks.info, run->step, from, stop, &left, true) :
			skip(it->blocks.info, run->step, from, stop, &left, false);
		spend(it, need - left);
		it->entering = branches && it->step > from && branched(it);
		if (it->step < stop && !it->entering)
			return PHASE_INSNS;
	}
}

/* On to the next instruction sample in the step, or out of it. */
static enum phase pass_insns(struct cs_samples *it)
{
	uint32_t n = it->blocks.info[block_of(it, it->step)] & INFO_INSNS;
	uint64_t need = needed(it);

	if (need <= n - it->walked) {
		walk(it, need);
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
	it->entering = wants_branches(&it->options) && branched(it);
}

/* The last step of the run becomes the step before the next. */
static void remember(struct cs_samples *it)
{
	struct cs_sample_state *s = it->state;
	const struct cs_cell *cell;
	uint32_t step;

	if (!it->in.run->n)
		return;
	it->step = it->in.run->n;
	step = it->in.run->step[it->step - 1];
	cell = &it->blocks.cell[step >> 1];
	s->prev = CS_PREV_STEP;
	s->taken = branched(it);
	s->direct = cell->bits & CELL_DIRECT;
	s->flags = cell->flags;
	s->block = step >> 1;
	s->last = address(addr_of(it, it->step - 1) + cell->last, cell->isa);
	s->ret = 0;
	s->place = it->place;
	it->step = 0;
}

/* ---------------------------------------------------------------- ends */

/* Source: ARM IHI 0064, "Exception packet", TYPE for A and R profiles. */
enum { EXC_RESET = 0, EXC_HALT = 1, EXC_CALL = 2, EXC_SERROR = 4, EXC_IRQ = 14, EXC_FIQ = 15 };

static uint32_t exception_flags(uint64_t type, bool svc)
{
	uint32_t flags = CS_FLAG_BRANCH | CS_FLAG_CALL;

	switch (type) {
	case EXC_CALL:
		return flags | (svc ? CS_FLAG_SYSCALLRET : CS_FLAG_INTERRUPT);
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

/*
 * The exception takes the place of the way out of the step before it.  If that
 * was a branch it got to where it goes, and was interrupted there.
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
		some = branch(it, sample, run->addr, true, true);
		s->last = run->addr;
		s->block = 0;
	}
	s->taken = true;
	s->direct = false;
	s->flags = exception_flags(run->value, svc);
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
		s->flags = flags;
	}
	if (!it->options.transactions || what == CSF_TRANS_INIT || s->prev != CS_PREV_STEP ||
	    count_skip(it))
		return false;
	*sample = (struct cs_sample){
		.kind = CS_SAMPLE_TRANSACTION, .wanted = true, .flags = flags, .ip = s->last,
		.period = 1, .time = sample_clock_now(it), .trace_nr = s->trace_nr,
		.from = s->place, .to = s->place,
	};
	if (it->options.insn_bytes)
		read_last(it, sample, s->block);
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
	s->trace_nr++;
}

/* Trace stops being continuous.  Return: there is a sample that says so. */
static bool break_off(struct cs_samples *it, struct cs_sample *sample)
{
	struct cs_sample_state *s = it->state;
	bool some = false;

	if (s->prev == CS_PREV_STEP) {
		s->flags |= CS_FLAG_BRANCH | CS_FLAG_TRACE_END;
		some = branch(it, sample, 0, true, true);
	}
	if (s->prev != CS_PREV_BREAK)
		forget(it);
	return some;
}

/*
 * Stock perf's instruction sample where a buffer ends, and where trace breaks off (@flags says so):
 * its count begins anew.
 */
static bool flush(struct cs_samples *it, struct cs_sample *sample, uint32_t flags)
{
	const struct cs_samples_options *o = &it->options;
	struct cs_sample_state *s = it->state;

	if (!o->compat || !o->insns || !o->last_branch || s->prev != CS_PREV_STEP)
		return false;
	*sample = (struct cs_sample){
		.kind = CS_SAMPLE_INSN, .wanted = true, .ip = s->last, .from = s->place,
		.to = s->place, .trace_nr = s->trace_nr, .period = s->insns,
		.time = sample_clock_now(it),
		.flags = s->flags | flags,
	};
	if (o->insn_bytes)
		read_last(it, sample, s->block);
	s->insns = 0;
	return true;
}

/* Losses are told when they are all known: with the next run that is more than more of them. */
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
	*gap = (struct cs_gap){
		.open = true, .code = run->value, .addr = run->addr, .lost = run->lost,
		.bytes = run->bytes, .time = sample_clock_now(it), .place = it->place,
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

static bool tell_gap(struct cs_samples *it, struct cs_sample *sample)
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
		.lost = gap->lost, .bytes = gap->bytes, .from = gap->place, .to = gap->place,
		.trace_nr = it->state->trace_nr,
	};
	return true;
}

static bool end_run(struct cs_samples *it, struct cs_sample *sample)
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
		 * Code that is missing begins at the target of a branch: that branch is known
		 * from end to end.  What follows is not.
		 */
		if (run->value == CSF_GAP_IMAGE && s->prev == CS_PREV_STEP && s->taken) {
			some = branch(it, sample, run->addr, true, true);
			forget(it);
		}
		open_gap(it);
		it->phase = PHASE_FLUSH;
		return some;
	case CSF_END_TRACE:
		it->phase = PHASE_FLUSH;
		return flush(it, sample, 0);
	case CSF_END_Q:
		it->phase = PHASE_FLUSH;
		return false;
	case CSF_END_CONTEXT:
		/* stock perf waits for a timestamp then */
		if (it->options.compat)
			sample_clock_break(it);
		return false;
	case CSF_END_FULL:
	case CSF_END_TIME:
		return false;
	}
	return false;
}

/* ---------------------------------------------------------------- one after the other */

static bool enter(struct cs_samples *it, struct cs_sample *sample)
{
	it->entering = false;
	it->phase = it->options.quick ? PHASE_QUICK : PHASE_INSNS;
	it->late = it->options.compat;
	return branch(it, sample, addr_of(it, it->step), !it->late, true);
}

static bool leave(struct cs_samples *it, struct cs_sample *sample)
{
	bool some = it->late && branch(it, sample, addr_of(it, it->step), true, false);

	it->late = false;
	it->phase = PHASE_STEP;
	next_step(it);
	return some;
}

/* What the phase at hand does; sets the next.  Return: it made a sample. */
static bool advance(struct cs_samples *it, struct cs_sample *sample)
{
	switch ((enum phase)it->phase) {
	case PHASE_START:
		it->phase = it->in.starts ? PHASE_FLUSH : PHASE_LOST;
		return false;
	case PHASE_FLUSH:
		it->phase = PHASE_BREAK;
		return flush(it, sample, CS_FLAG_BRANCH | CS_FLAG_TRACE_END);
	case PHASE_BREAK:
		it->phase = it->ended ? PHASE_DONE : PHASE_LOST;
		return break_off(it, sample);
	case PHASE_LOST:
		it->phase = PHASE_STEP;
		it->entering = wants_branches(&it->options) && branched(it);
		return tell_gap(it, sample);
	case PHASE_STEP:
		it->phase = pass_steps(it);
		return false;
	case PHASE_ENTER:
		return enter(it, sample);
	case PHASE_QUICK:
		it->phase = PHASE_INSNS;
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
