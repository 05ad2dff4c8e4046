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
 * There is one struct cs_sample_state for each stream.  It knows nothing of
 * files, and no name here is one of perf's own, so that perf's plugin can use
 * it too.
 */
#ifndef CSF_PERF_SAMPLE_H
#define CSF_PERF_SAMPLE_H

#include "../decoder/csflow.h"

/* perf's PERF_IP_FLAG_x, by value */
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

/* Errors that the letters behind --itrace=e can leave out; perf's AUXTRACE_ERR_FLG_x, by value. */
#define CS_ERROR_OVERFLOW	(1 << ('o' - 'a'))
#define CS_ERROR_LOST		(1 << ('l' - 'a'))

/**
 * enum cs_sample_kind - what a sample is
 * @CS_SAMPLE_BRANCH: a branch taken, an exception, or where trace begins or ends
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

/* Whose instructions they are, and what they look like to the processor. */
struct cs_place {
	struct csf_context context;
	int space;
	int32_t pid, tid;	/* as in struct cs_samples_input */
	uint64_t map_time;	/* for csf_image_find() and its like */
};

/**
 * struct cs_sample - a branch, or an instruction, or an error
 * @kind: enum cs_sample_kind
 * @wanted: it was asked for.  Else it is there because of @moves
 * @moves: control went from @ip to @addr: only with cs_samples_options.moves, and once for each
 *         such branch, behind all samples of what ran before it and before those of what ran then
 * @insn_len: bytes of the instruction at @ip, 0: there is none
 * @insn: those bytes
 * @flags: CS_FLAG_x; of an instruction: what it is itself, if it is a branch
 * @code: CS_SAMPLE_ERROR: enum csf_gap
 * @error: CS_SAMPLE_ERROR: CS_ERROR_x, or 0
 * @ip: of the instruction; 0: trace begins
 * @addr: where a branch goes; 0: trace ends
 * @period: instructions (CS_SAMPLE_CYCLES: cycles) since the last such sample; a branch: 1
 * @time: estimated from the timestamps around it, by the clock of the options; never less than
 *        that of the sample before, of one stream; before the first timestamp that of the input
 * @insn_cnt: instructions since the last sample of this kind that had @cyc_cnt
 * @cyc_cnt: cycles that they took; 0: not known here
 * @ret: CS_FLAG_CALL: where a return from it goes; 0: not known
 * @trace_nr: counts losses so far: what has another one is not to be joined
 * @from: @ip's; where trace begins: @addr's
 * @to: @addr's; where trace ends: @ip's; only for branches
 * @lost: CS_SAMPLE_ERROR: P0 elements (mostly branches, taken or not) lost
 * @bytes: CS_SAMPLE_ERROR: bytes of trace skipped
 */
struct cs_sample {
	uint8_t kind;
	bool wanted;
	bool moves;
	uint8_t insn_len;
	uint8_t insn[4];
	uint32_t flags;
	uint16_t code;
	uint16_t error;
	uint64_t ip, addr, ret;
	uint64_t period;
	uint64_t time;
	uint64_t insn_cnt, cyc_cnt;
	uint64_t trace_nr;
	struct cs_place from, to;
	uint64_t lost, bytes;
};

/**
 * enum cs_period - the unit of a period
 * @CS_PERIOD_INSNS: instructions
 * @CS_PERIOD_TIME: that of cs_sample.time; without timestamps one for each instruction
 */
enum cs_period { CS_PERIOD_INSNS, CS_PERIOD_TIME };

/* A timestamp of the trace in the unit of cs_sample.time; the order stays the same. */
typedef uint64_t (*cs_clock_fn)(const void *context, uint64_t timestamp);

/**
 * struct cs_samples_options - which samples; zero: none at all
 * @branches: 'b'
 * @calls: 'c': only calls, exceptions, and where trace ends
 * @returns: 'r': only returns, and where trace begins; may be combined with @calls
 * @insns: 'i'; @cycles: 'y'; both at every @period
 * @transactions: 'x'
 * @errors: 'e'; but not those that @errors_not names, CS_ERROR_x
 * @period_unit: enum cs_period
 * @period: 0: every instruction
 * @skip: 's': so many samples of all streams together are not wanted
 * @quick: 'q': only where the trace itself names an address: indirect branches, exceptions,
 *         returns from them, begin and end; instructions only there; 2, 'qq': indirect branches
 *         not either
 * @ipc: fill in @insn_cnt and @cyc_cnt: exact, only where the trace has a cycle count
 * @approx_ipc: 'A': at every sample, as well as is known; needs @ipc
 * @insn_bytes: fill in @insn and @insn_len
 * @moves: every branch taken is told of, wanted or not: see cs_sample.moves
 * @only_calls: of these, calls, returns and where trace begins; others may be
 * @timeless: 'Z': timestamps are not looked at
 * @last_branch: 'l' was given; matters to @compat only
 * @compat: as perf with OpenCSD chooses: BR is a return; @calls and @returns are as @branches;
 *          flags of an instruction are those of the branch that led there, and its samples come
 *          before that branch; with @last_branch there is one more where trace breaks off; time
 *          is the timestamp before the last, and 1/10 ns for each instruction
 * @insn_time: cs_sample.time is how many instructions of the stream were executed by then
 * @clock: NULL: cs_sample.time is in the unit of the trace's timestamps; @clock_context: its own
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

/* Marks that the decoder must give, for csf_config.marks; those not there are done without. */
#define CS_SAMPLES_MARKS	(CSF_MARK_TIME | CSF_MARK_CYCLES)

/*
 * What is known of time and cycles; sample-clock.c knows what the fields are.
 * Times are those of cs_samples_options.clock.
 */
struct cs_clock {
	uint64_t insns;			/* executed so far */
	uint64_t cycles, cycles_at;	/* counted so far, up to so many instructions */
	uint64_t stamp;			/* last timestamp */
	uint64_t time, base, base_cycles;	/* @time was when @base were executed */
	uint64_t rate_time, rate_insns;	/* how fast instructions are */
	uint64_t rate_took, rate_cycles;	/* and cycles */
	uint64_t out;			/* last time given out, if @told */
	bool told;
	bool known;			/* there was a timestamp */
	bool loose;			/* @time is not one: trace broke off, or it was early */
};

/* A gap whose losses are still being counted. */
struct cs_gap {
	bool open;
	uint16_t code;
	uint64_t addr, time, lost, bytes;
	struct cs_place place;
};

/* Where a count was when a sample last told of it. */
struct cs_count {
	uint64_t insns, cycles;
};

/* What comes before the step at hand. */
enum cs_sample_prev {
	CS_PREV_NONE,		/* nothing was ever seen */
	CS_PREV_BREAK,		/* trace begins, or begins anew */
	CS_PREV_STEP,
};

/**
 * struct cs_sample_state - of one stream; zero at first; private
 * @prev: enum cs_sample_prev
 * @taken: the step before left by a branch or an exception
 * @flags: of that; @direct: by a direct branch; @in_tx: inside a transaction
 * @last: address of its last instruction; @block: its number
 * @ret: where a call or an exception returns to
 * @place: of it
 * @insns: since the last instruction sample; @due: when the next is due, if by time
 * @branch, @insn: IPC was told of up to there; @sampled: likewise cycles
 */
struct cs_sample_state {
	uint8_t prev;
	bool taken, direct, in_tx, due_known;
	uint32_t flags;
	uint32_t block;
	uint64_t last, ret;
	struct cs_place place;
	uint64_t insns, due;
	uint64_t trace_nr;
	uint64_t sampled;
	struct cs_count branch, insn;
	struct cs_clock clock;
	struct cs_gap gap;
};

/**
 * struct cs_samples_input - a run
 * @dec: whose it is
 * @run: not one that was looked at before; good until cs_samples_next() has returned false
 * @pid: the process that ran, @tid: the thread: only carried to the samples
 * @time: of samples before the first timestamp; they are not later than this; 0: not known
 * @since: with @starts: what comes now was executed behind this; 0: not known
 * @came: all of the run was executed behind this, when a switch brought the thread; 0: not known
 * @starts: it does not join what came before it
 */
struct cs_samples_input {
	struct csf_decoder *dec;
	const struct csf_run *run;
	int32_t pid, tid;
	uint64_t time, since, came;
	bool starts;
};

#define CS_INFO_BRANCH_BIT	15	/* of cs_blocks.info: with an atom E it went elsewhere */

/*
 * Blocks by number, as far as samples care: all of a step that is only passed
 * is in @info: how many instructions it has, and whether it can branch.  Other
 * threads may look at it: it stays, as one of @was, when a larger one takes its place.
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
	uint64_t last;		/* time at @end, which is not passed */
	uint64_t slope;		/* time an instruction takes << @shift */
};

/* Instructions executed so far. */
static inline uint64_t cs_samples_insns(const struct cs_sample_state *state)
{
	return state->clock.insns;
}

/* Losses so far, as in samples. */
static inline uint64_t cs_samples_trace_nr(const struct cs_sample_state *state)
{
	return state->trace_nr;
}

/* Iterator; the fields are private. */
struct cs_samples {
	struct cs_samples_options options;
	struct csf_image *image;
	struct cs_blocks blocks;
	uint64_t skipped;
	bool by_insns, branches, every_branch, only_branches, only_insns, only_moves;
	bool choosy;
	uint8_t branch_bit;	/* of what is known of a block: its branch is to be told of */
	/* of the run at hand */
	struct cs_sample_state *state;
	struct cs_samples_input in;
	struct cs_place place;
	struct cs_line line;
	uint8_t phase;
	bool entering;		/* the step is entered by a branch that is to be told of */
	bool late;		/* that is to be told behind its instructions */
	bool ended;		/* all steps are behind */
	bool lost;		/* and something is lost there */
	size_t step, mark;
	size_t mark_step;	/* the next mark is in front of this step */
	size_t ahead;		/* mark that is the next timestamp */
	uint64_t ahead_cycles;
	uint64_t sight;		/* time of the first timestamp after the run; 0: nobody asked */
	uint32_t walked;	/* instructions of the step */
	uint64_t walked_addr;
	uint32_t section;	/* it lies at @base */
	uint64_t base;
	uint64_t code_addr;	/* @code_n bytes of code from here */
	uint32_t code_n;
	uint8_t code[128];
};

/* @image: of all the decoders; borrowed. */
void cs_samples_init(struct cs_samples *it, const struct cs_samples_options *options,
		     struct csf_image *image);
void cs_samples_fini(struct cs_samples *it);

/* The next run, when cs_samples_next() has returned false.  Return: 0, or CSF_ERR_MEMORY. */
int cs_samples_run(struct cs_samples *it, struct cs_sample_state *state,
		   const struct cs_samples_input *input);

/* Return: true and a sample; false: the run is used up. */
bool cs_samples_next(struct cs_samples *it, struct cs_sample *sample);

/**
 * struct cs_edge - a branch from one step of a run to the next, in short
 * @from, @to: numbers of the two blocks
 * @time: as cs_sample.time
 *
 * All else that a sample says of it depends on @from, @to, and, the same for all of a run, address
 * space, maps in force, and whether it is in a transaction.
 */
struct cs_edge {
	uint32_t from, to;
	uint64_t time;
};

/**
 * cs_samples_edges() - branches in short
 * @edge: room for @max of them, >= 1
 *
 * For those who have seen most branches before: the next samples, as long as they are branches
 * within the run.  Only where branches are all that is asked for: there are none here with
 * instructions, cycles, moves, ipc or compat, nor if only some branches are wanted, with times.
 *
 * Return: how many; 0: cs_samples_next() says what comes next.
 */
size_t cs_samples_edges(struct cs_samples *it, struct cs_edge *edge, size_t max);

/**
 * struct cs_steps - steps of a run, for whoever looks for the branches between them
 * @step: as csf_run.step, @n of them, and one more behind that
 * @info: of cs_blocks
 * @time: of all the branches
 */
struct cs_steps {
	const uint32_t *step;
	const uint16_t *info;
	size_t n;
	uint64_t time;
};

/**
 * cs_samples_steps() - steps instead of the branches between them
 * @steps: their arrays are borrowed: @step of the run, @info of @it
 * @max: how many, >= 1
 *
 * For those for whom cs_samples_edges() is still too slow.  Only where timestamps are not looked
 * at, and then in its place.
 *
 * Return: whether there are any; false: cs_samples_next() says what comes next.
 */
bool cs_samples_steps(struct cs_samples *it, struct cs_steps *steps, size_t max);

/* Is there a branch from step @i to the next one?  Then it is @edge. */
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
 * The sample that one of the last cs_samples_edges() stands for.  Return: there is one; false:
 * it is not to be shown, and so are all others between its blocks.
 */
bool cs_samples_edge(struct cs_samples *it, const struct cs_edge *edge, struct cs_sample *sample);

/* Likewise, of a run that is passed: @input is what it was, but for steps and marks. */
bool cs_samples_edge_of(struct cs_samples *it, const struct cs_samples_input *input,
			const struct cs_edge *edge, struct cs_sample *sample);

/* Is there any use in asking for samples in short?  If not there are never any. */
static inline bool cs_samples_in_short(const struct cs_samples *it)
{
	return it->only_branches || it->only_insns || it->only_moves;
}

/**
 * cs_samples_moves() - branches that are only told of, in short
 * @edge: room for @max of them, >= 1; no time is told
 *
 * For those who want to know of branches that were taken, but nothing of calls: the next samples
 * that are not wanted, as long as they are branches within the run.  Only where instructions are
 * all that is asked for, a period counted in them; not with compat or quick.
 *
 * Return: how many; 0: cs_samples_next() says what comes next.
 */
size_t cs_samples_moves(struct cs_samples *it, struct cs_edge *edge, size_t max);

/* Both ends of one of them. */
struct cs_ends {
	uint64_t from, to;
	uint32_t flags;		/* of the branch itself; CS_FLAG_IN_TX */
};

void cs_samples_ends(struct cs_samples *it, const struct cs_edge *edge, struct cs_ends *ends);

/**
 * cs_samples_block() - instructions in short
 * @time: room for 1,024: cs_sample.time of each of them
 * @n: how many there are
 *
 * The next samples, if they are the instructions of a block, each of them one.  Only where each
 * instruction is asked for, and nothing else: there are none here with branches, cycles, moves,
 * ipc, quick or compat.  What else a sample says depends on its place in the block, and on what
 * struct cs_edge says of branches.  cs_samples_block_pass() must follow.
 *
 * Return: number of the block; 0: cs_samples_next() says what comes next.
 */
uint32_t cs_samples_block(struct cs_samples *it, uint64_t *time, uint32_t *n);

/* A sample of the block at hand, but for its time: @nth is 0, 1, and so on. */
void cs_samples_block_insn(struct cs_samples *it, uint32_t nth, struct cs_sample *sample);

/* On, behind that block. */
void cs_samples_block_pass(struct cs_samples *it);

/* "jmp", "tr end  return" and so on, as perf prints them; room for 24. */
const char *cs_sample_flags(uint32_t flags, char *buf);

/* The gap is no error: tracing was off, or nothing was before the first A-sync. */
bool cs_gap_is_loss(const struct csf_run *run);

/* CS_SAMPLE_ERROR: what is lost and what to do; fits in 64 with its 0, as perf's records want. */
void cs_sample_error_text(const struct cs_sample *sample, char *buf, size_t n);

#endif /* CSF_PERF_SAMPLE_H */
