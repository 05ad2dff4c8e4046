/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs to samples: the branches and instructions that perf shows for a trace.
 *
 *	struct cs_samples it;
 *	struct cs_sample sample;
 *
 *	cs_samples_init(&it, &options, image);
 *	while (... a run ...) {
 *		cs_samples_run(&it, &state, &input);
 *		while (cs_samples_next(&it, &sample)) {
 *			if (sample.moves)
 *				... a branch was taken: call stacks, last branches
 *			if (sample.wanted)
 *				... show it
 *		}
 *	}
 *	cs_samples_fini(&it);
 *
 * Each stream has its own struct cs_sample_state.  This part knows nothing of files, and none of
 * its names is one of perf's, so that perf's plugin can use it, too.
 */
#ifndef CSF_PERF_SAMPLE_H
#define CSF_PERF_SAMPLE_H

#include "../decoder/csflow.h"

/* PERF_IP_FLAG_x of perf, by value */
#define CS_FLAG_BRANCH		0x0001
#define CS_FLAG_CALL		0x0002
#define CS_FLAG_RETURN		0x0004
#define CS_FLAG_CONDITIONAL	0x0008
#define CS_FLAG_SYSCALLRET	0x0010
#define CS_FLAG_ASYNC		0x0020
#define CS_FLAG_INTERRUPT	0x0040
#define CS_FLAG_TX_ABORT	0x0080
#define CS_FLAG_TRACE_BEGIN	0x0100
#define CS_FLAG_TRACE_END	0x0200
#define CS_FLAG_IN_TX		0x0400

/* Errors that letters after --itrace=e can leave out; AUXTRACE_ERR_FLG_x of perf, by value. */
#define CS_ERROR_OVERFLOW	(1 << ('o' - 'a'))
#define CS_ERROR_LOST		(1 << ('l' - 'a'))

/**
 * enum cs_sample_kind - the kind of a sample
 * @CS_SAMPLE_BRANCH: a taken branch, an exception, or the beginning or end of trace
 * @CS_SAMPLE_INSN: an instruction
 * @CS_SAMPLE_CYCLES: an instruction; the period is in cycles
 * @CS_SAMPLE_TRANSACTION: start (CS_FLAG_IN_TX), commit (0) or failure (CS_FLAG_TX_ABORT)
 * @CS_SAMPLE_ERROR: something is missing
 */
enum cs_sample_kind {
	CS_SAMPLE_BRANCH,
	CS_SAMPLE_INSN,
	CS_SAMPLE_CYCLES,
	CS_SAMPLE_TRANSACTION,
	CS_SAMPLE_ERROR,
};

/* The thread of instructions, and the context that the processor executes them in. */
struct cs_task {
	struct csf_context context;
	int space;
	int32_t pid, tid;	/* as in struct cs_samples_input */
	uint64_t map_time;	/* for csf_image_find() and similar calls */
};

/**
 * struct cs_sample - a branch, or an instruction, or an error
 * @kind: enum cs_sample_kind
 * @wanted: it was asked for; otherwise it only reports @moves
 * @moves: control went from @ip to @addr.  Only with cs_samples_options.moves; once for each such
 *         branch, after all samples of what ran before it and before all samples of what ran after
 *         it
 * @insn_len: bytes of the instruction at @ip, 0: there is none
 * @insn: those bytes; @isa: their enum csf_isa, if they were asked for
 * @flags: CS_FLAG_x; for an instruction: its own kind, if it is a branch
 * @code: CS_SAMPLE_ERROR: enum csf_gap
 * @error: CS_SAMPLE_ERROR: CS_ERROR_x, or 0
 * @ip: address of the instruction; 0: trace begins
 * @addr: target of a branch; 0: trace ends
 * @period: instructions (CS_SAMPLE_CYCLES: cycles) since the last such sample; a branch: 1
 * @time: estimated from the timestamps around it, with the clock of the options; never decreases
 *        within a stream; before the first timestamp, that of the input
 * @insn_cnt: instructions since the last sample of this kind that had @cyc_cnt
 * @cyc_cnt: cycles that these took; 0: not known here
 * @ret: CS_FLAG_CALL: address that a return from it goes to; 0: not known
 * @trace_nr: number of losses so far; do not join samples with different numbers
 * @from: who executed @ip; where trace begins: @addr
 * @to: who went on at @addr; where trace ends: at @ip; only for branches
 * @lost: CS_SAMPLE_ERROR: number of P0 elements (mostly branches, taken or not) that are lost
 * @bytes: CS_SAMPLE_ERROR: number of trace bytes skipped
 */
struct cs_sample {
	uint8_t kind;
	bool wanted;
	bool moves;
	uint8_t insn_len;
	uint8_t insn[4];
	uint32_t flags;
	uint8_t code;
	uint8_t isa;
	uint16_t error;
	uint64_t ip, addr, ret;
	uint64_t period;
	uint64_t time;
	uint64_t insn_cnt, cyc_cnt;
	uint64_t trace_nr;
	struct cs_task from, to;
	uint64_t lost, bytes;
};

/**
 * enum cs_period - the unit of a period
 * @CS_PERIOD_INSNS: instructions
 * @CS_PERIOD_TIME: the unit of cs_sample.time; without timestamps, 1 for each instruction
 */
enum cs_period { CS_PERIOD_INSNS, CS_PERIOD_TIME };

/* Converts a timestamp of the trace to the unit of cs_sample.time; must keep the order. */
typedef uint64_t (*cs_clock_fn)(const void *context, uint64_t timestamp);

/**
 * struct cs_samples_options - the samples that are wanted; zero: none
 * @branches: 'b'
 * @calls: 'c': only calls, exceptions, and ends of trace
 * @returns: 'r': only returns, and beginnings of trace; may be combined with @calls
 * @insns: 'i'; @cycles: 'y'; both one for each @period
 * @transactions: 'x'
 * @errors: 'e', except those in @errors_not, CS_ERROR_x
 * @period_unit: enum cs_period
 * @period: 0: every instruction
 * @skip: 's': number of samples to skip at the beginning, of all streams together
 * @quick: 'q': only where the trace itself names an address: indirect branches, exceptions, returns
 *         from them, beginning and end; instructions only there; 2, 'qq': no indirect branches
 *         either
 * @ipc: fill in @insn_cnt and @cyc_cnt where the trace has a cycle count, so that they are exact
 * @approx_ipc: 'A': fill them in at every sample, as far as known; needs @ipc
 * @insn_bytes: fill in @insn and @insn_len
 * @moves: report every taken branch, wanted or not: see cs_sample.moves
 * @only_calls: report at least calls, returns and beginnings of trace of these; others may come,
 *              too
 * @timeless: 'Z': ignore timestamps
 * @last_branch: 'l' was given; only matters with @compat
 * @compat: as perf with OpenCSD: BR is a return; @calls and @returns are as @branches; the flags of
 *          an instruction are those of the branch that led to it, and its samples come before that
 *          branch; with @last_branch there is one more where trace breaks off; time is the
 *          timestamp before the last, plus 1/10 ns for each instruction
 * @insn_time: cs_sample.time is the number of instructions of the stream executed so far
 * @clock: NULL: cs_sample.time is in the unit of the trace's timestamps; @clock_context: its
 *         argument
 */
struct cs_samples_options {
	bool branches, calls, returns;
	bool insns, cycles, transactions, errors;
	bool ipc, approx_ipc;
	bool insn_bytes;
	bool moves, only_calls;
	bool timeless;
	bool insn_time;
	bool last_branch;
	bool compat;
	uint8_t quick;
	uint8_t period_unit;
	uint32_t errors_not;
	uint64_t period;
	uint64_t skip;
	cs_clock_fn clock;
	const void *clock_context;
};

/* Marks that the decoder must report, for csf_config.marks; those that are missing are optional. */
#define CS_SAMPLES_MARKS	(CSF_MARK_TIME | CSF_MARK_CYCLES)

/*
 * State of time and cycles; sample-clock.c explains the fields.  Times are those of
 * cs_samples_options.clock.
 */
struct cs_clock {
	uint64_t insns;			/* executed so far */
	uint64_t cycles, cycles_at;	/* cycles counted so far, and instructions up to there */
	uint64_t stamp;			/* last timestamp */
	uint64_t time, base, base_cycles;	/* @time is when @base had been executed */
	uint64_t rate_time, rate_insns;	/* speed of instructions */
	uint64_t rate_took, rate_cycles;	/* speed of cycles */
	uint64_t out;			/* last time reported, if @told */
	bool told;
	bool known;			/* there was a timestamp */
	bool loose;			/* @time is none: trace broke off, or it was early */
};

/* A gap whose losses are still being counted. */
struct cs_gap {
	bool open;
	uint16_t code;
	uint64_t addr, time, lost, bytes;
	struct cs_task task;
};

/* A count at the last sample that reported it. */
struct cs_count {
	uint64_t insns, cycles;
};

/* The kind of event before the current step. */
enum cs_sample_prev {
	CS_PREV_NONE,		/* nothing was seen yet */
	CS_PREV_BREAK,		/* trace begins, or begins again */
	CS_PREV_STEP,
};

/**
 * struct cs_sample_state - sample state of one stream; initially zero; private
 * @prev: enum cs_sample_prev
 * @taken: a branch or an exception left the step before
 * @flags: its flags; @direct: it was a direct branch; @in_tx: inside a transaction
 * @last: address of that step's last instruction; @block: the number of its block
 * @ret: return address of a call or an exception
 * @task: who executed that step
 * @insns: instructions since the last instruction sample; @due: time when the next is due, if by
 *         time
 * @branch, @insn: counts at the last IPC report; @sampled: likewise for cycles
 */
struct cs_sample_state {
	uint8_t prev;
	bool taken, direct, in_tx, due_known;
	uint32_t flags;
	uint32_t block;
	uint64_t last, ret;
	struct cs_task task;
	uint64_t insns, due;
	uint64_t trace_nr;
	uint64_t sampled;
	struct cs_count branch, insn;
	struct cs_clock clock;
	struct cs_gap gap;
};

/**
 * struct cs_samples_input - a run to make samples of
 * @dec: its decoder
 * @run: a run that was not given before; must stay valid until cs_samples_next() returns false
 * @pid: the process that ran, @tid: the thread: only copied to the samples
 * @time: time of samples before the first timestamp, which are not later than this; 0: not known
 * @since: with @starts: what comes now was executed after this time; 0: not known
 * @came: all of the run was executed after this time, when a switch brought the thread; 0: not
 *        known
 * @starts: it does not continue what came before it
 */
struct cs_samples_input {
	struct csf_decoder *dec;
	const struct csf_run *run;
	int32_t pid, tid;
	uint64_t time, since, came;
	bool starts;
};

#define CS_INFO_BRANCH_BIT	15	/* of cs_blocks.info: with an atom E, it branches */

/*
 * Blocks by number, as far as samples need them.  For a step that is only passed everything is in
 * @info: its number of instructions, and whether it can branch.  Other threads may read @info: when
 * a larger one replaces it, the old one stays in @was.
 */
struct cs_blocks {
	uint16_t *info;
	struct cs_cell *cell;
	size_t n, size;
	uint16_t *was[32];
	uint8_t n_was;
};

/* Time as a straight line, from @at instructions up to @end. */
struct cs_line {
	bool valid;
	uint8_t shift;
	uint64_t time, at, end;
	uint64_t last;		/* time at @end, which is not exceeded */
	uint64_t slope;		/* time of an instruction << @shift */
};

/* Number of instructions executed so far. */
static inline uint64_t cs_samples_insns(const struct cs_sample_state *state)
{
	return state->clock.insns;
}

/* Number of losses so far, as in samples. */
static inline uint64_t cs_samples_trace_nr(const struct cs_sample_state *state)
{
	return state->trace_nr;
}

/* Iterator; its fields are private. */
struct cs_samples {
	struct cs_samples_options options;
	struct csf_image *image;
	struct cs_blocks blocks;
	uint64_t skipped;
	bool by_insns, branches, every_branch, only_branches, only_insns, only_moves;
	bool choosy;
	uint8_t branch_bit;	/* bit in the info of a block: report its branch */
	/* of the current run */
	struct cs_sample_state *state;
	struct cs_samples_input in;
	struct cs_task task;
	struct cs_line line;
	uint8_t phase;
	bool entering;		/* a branch that must be reported leads to the step */
	bool late;		/* report that branch after the step's instructions */
	bool ended;		/* all steps are done */
	bool lost;		/* and something is lost there */
	size_t step, mark;
	size_t mark_step;	/* the next mark is before this step */
	size_t ahead;		/* index of the mark that is the next timestamp */
	uint64_t ahead_cycles;
	uint64_t sight;		/* time of the first timestamp after the run; 0: not needed yet */
	uint32_t walked;	/* instructions of the step passed so far */
	uint64_t walked_addr;
	uint32_t section;	/* current section, which is at @base */
	uint64_t base;
	uint64_t code_addr;	/* address of the @code_n bytes of code that are read */
	uint32_t code_n;
	uint8_t code[128];
};

/* @image: that of all decoders; borrowed. */
void cs_samples_init(struct cs_samples *it, const struct cs_samples_options *options,
		     struct csf_image *image);
void cs_samples_fini(struct cs_samples *it);

/*
 * Gives it the next run, when cs_samples_next() has returned false.  Return: 0, or CSF_ERR_MEMORY.
 */
int cs_samples_run(struct cs_samples *it, struct cs_sample_state *state,
		   const struct cs_samples_input *input);

/* Return: true and a sample; false: the run is used up. */
bool cs_samples_next(struct cs_samples *it, struct cs_sample *sample);

/**
 * struct cs_edge - a branch from one step of a run to the next, in short form
 * @from, @to: numbers of the two blocks
 * @time: as cs_sample.time
 *
 * Everything else in its sample depends on @from, @to, and on properties of the whole run: address
 * space, current maps, and whether it is in a transaction.
 */
struct cs_edge {
	uint32_t from, to;
	uint64_t time;
};

/**
 * cs_samples_edges() - get branches in short form
 * @edge: room for @max of them, >= 1
 *
 * For callers that have seen most branches before: the next samples, as long as they are branches
 * within the run.  Returns 0 unless only branches are wanted: with instructions, cycles, moves, ipc
 * or compat, and with times if only some branches are wanted.
 *
 * Return: number of branches; 0: call cs_samples_next() for the next sample.
 */
size_t cs_samples_edges(struct cs_samples *it, struct cs_edge *edge, size_t max);

/**
 * struct cs_steps - steps of a run, for a caller that finds the branches between them itself
 * @step: as csf_run.step, @n of them, and one more after these
 * @info: that of cs_blocks
 * @time: time of all the branches
 */
struct cs_steps {
	const uint32_t *step;
	const uint16_t *info;
	size_t n;
	uint64_t time;
};

/**
 * cs_samples_steps() - get steps instead of the branches between them
 * @steps: their arrays are borrowed: @step of the run, @info of @it
 * @max: maximum number of steps, >= 1
 *
 * For callers for whom cs_samples_edges() is too slow.  Only with options.timeless, and then in its
 * place.
 *
 * Return: true if there are any; false: call cs_samples_next() for the next sample.
 */
bool cs_samples_steps(struct cs_samples *it, struct cs_steps *steps, size_t max);

/* Is there a branch from step @i to the next one?  If so, sets @edge. */
static inline bool cs_steps_edge(const struct cs_steps *steps, size_t i, struct cs_edge *edge)
{
	const uint32_t step = steps->step[i];

	*edge = (struct cs_edge){
		.from = csf_step_block(step), .to = csf_step_block(steps->step[i + 1]),
		.time = steps->time,
	};
	return step & (steps->info[csf_step_block(step)] >> CS_INFO_BRANCH_BIT);
}

/*
 * Makes the sample of one of the last cs_samples_edges().  Return: there is one; false: it must not
 * be shown, like all others between its blocks.
 */
bool cs_samples_edge(struct cs_samples *it, const struct cs_edge *edge, struct cs_sample *sample);

/* Likewise, for an earlier run: @input is as it was, except for steps and marks. */
bool cs_samples_edge_of(struct cs_samples *it, const struct cs_samples_input *input,
			const struct cs_edge *edge, struct cs_sample *sample);

/* Can samples ever come in short form?  If not, there is no use in asking. */
static inline bool cs_samples_in_short(const struct cs_samples *it)
{
	return it->only_branches || it->only_insns || it->only_moves;
}

/**
 * cs_samples_moves() - get branches that are only reported as moves, in short form
 * @edge: room for @max of them, >= 1; @time is not set
 *
 * For callers that need taken branches, but not calls: the next samples that are not wanted, as
 * long as they are branches within the run.  Only if the wanted samples are just instructions, with
 * a period in instructions; not with compat or quick.
 *
 * Return: number of branches; 0: call cs_samples_next() for the next sample.
 */
size_t cs_samples_moves(struct cs_samples *it, struct cs_edge *edge, size_t max);

/* Both ends of such a branch. */
struct cs_ends {
	uint64_t from, to;
	uint32_t flags;		/* those of the branch itself; CS_FLAG_IN_TX */
};

void cs_samples_ends(struct cs_samples *it, const struct cs_edge *edge, struct cs_ends *ends);

/**
 * cs_samples_block() - get the instructions of a block in short form
 * @time: room for 1,024: set to cs_sample.time of each instruction
 * @n: set to the number of instructions
 *
 * The next samples, if they are all instructions of a block, one sample each.  Only if each
 * instruction is wanted, and nothing else: not with branches, cycles, moves, ipc, quick or compat.
 * Everything else in a sample depends on its place in the block, and on the properties of the run
 * that struct cs_edge lists.  Call cs_samples_block_pass() after it.
 *
 * Return: number of the block; 0: call cs_samples_next() for the next sample.
 */
uint32_t cs_samples_block(struct cs_samples *it, uint64_t *time, uint32_t *n);

/* Makes a sample of the current block, without its time: @nth is 0, 1, and so on. */
void cs_samples_block_insn(struct cs_samples *it, uint32_t nth, struct cs_sample *sample);

/* Goes on after that block. */
void cs_samples_block_pass(struct cs_samples *it);

/*
 * "jmp", "tr end  return" and so on, as perf prints them; @buf has room for 24.
 */
const char *cs_sample_flags(uint32_t flags, char *buf);

/*
 * Is something lost at the end of @run?  Not if tracing was off, or if no P0 elements came before
 * the first A-sync.
 */
bool cs_gap_is_loss(const struct csf_run *run);

/*
 * CS_SAMPLE_ERROR: what is lost and what to do; at most 64 bytes with the final 0, as perf's
 * records require.
 */
void cs_sample_error_text(const struct cs_sample *sample, char *buf, size_t n);

#endif /* CSF_PERF_SAMPLE_H */
