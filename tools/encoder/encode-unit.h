/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a trace unit, for its files:
 *
 *	encoder.c		the calls: takes execution
 *	encode-begin.c		what is traced: start, ranges, strobing, losses, synchronisation
 *	encode-p0.c		P0 elements, and packets owed between them: atom, Q, source address
 *	encode-spec.c		wrong paths, mispredicts, commits
 *	encode-past.c		past execution: likely wrong paths
 *	encode-between.c	cycle counts, timestamps, events, transactions
 *	encode-wire.c		sends packets
 *
 * A block is handled in this order: is it traced (unit_begin), is something
 * owed before its P0 element (unit_pay), the element itself (unit_p0), then
 * what comes after it (unit_between).
 */
#ifndef CSF_ENCODE_UNIT_H
#define CSF_ENCODE_UNIT_H

#include "encode-dice.h"
#include "encode-past.h"
#include "encode-wire.h"

#define STACK_MAX	15
#define NOWHERE		1	/* no instruction is at an odd address */

/**
 * enum owe - the address that must be sent before the next P0 element
 * @OWE_TARGET: that of an indirect branch
 * @OWE_BROADCAST: that of a direct one, because of branch broadcast
 * @OWE_START: where tracing begins, or execution goes on after a failed transaction
 * @OWE_HANDLER: where an exception went
 */
enum owe { OWE_NOTHING, OWE_TARGET, OWE_BROADCAST, OWE_START, OWE_HANDLER };

/* The return stack: @n entries, the newest last. */
struct ret_stack {
	uint64_t addr[STACK_MAX];
	uint8_t isa[STACK_MAX];
	unsigned int n;
};

/**
 * struct encoder - a trace unit
 * @clock: the time: the caller's, or stats.insns
 * @pc: address of the expected next instruction, @isa: its set; NOWHERE: unknown
 * @at: where execution went after the last P0 element, @at_isa there
 * @from: the same after the one before that, @from_isa there
 * @ran: instructions executed since
 * @context: the current context
 * @on: between enc_start() and enc_stop()
 * @why: ENC_KEPT: tracing; else the reason for not tracing
 * @lose_left: blocks still to be lost
 * @held: tracing is stopped by enc_lose()
 * @need_sync: an A-sync before anything else
 * @need_on: then a Trace On
 * @sync_at: byte at which the next A-sync is due
 * @owe: the address @at is owed
 * @owe_context: the context is owed, too
 * @late: P0 elements that the address after a Trace Info may wait for
 * @is_late: it waits
 * @popped: the last P0 element was a branch to the newest entry of the return stack
 * @q_left: blocks that the Q element will still take; @q_blocks, @q_count: blocks that it has,
 *          and their instructions
 * @passed: N elements that a source address will stand for
 * @passing: such a source address is wanted
 * @depth: P0 elements that are not committed
 * @past: with setup.likely_only; owned
 * @cycles: since the last cycle count
 * @first_count: the next cycle count is the first since tracing began
 * @time_due: the clock of the next timestamp
 * @time_wait: a marker was sent; P0 elements until its timestamp, 1..; 0: none
 * @time_value: its value
 * @time_asked: the caller wants one, since @time_asked_at, before the P0 element @time_asked_p0
 * @tm_left: blocks until the transaction ends; 0: none is open
 * @tm_own: the open one is the program's, see enc_tm_start()
 * @p0: P0 elements of right paths
 * @due: by enum enc_rate, P0 element at which each is due
 * @next_due: the least of them
 * @want: bits of the rates that are due
 * @watch: every block must be checked: ranges, strobing
 * @notes: ENC_NOTE_x
 */
struct encoder {
	struct enc_setup setup;
	struct wire wire;
	struct dice dice;
	const uint64_t *clock;
	uint64_t pc, at, from;
	uint8_t isa, at_isa, from_isa;
	uint32_t ran;
	struct enc_context context;

	bool on, held;
	bool need_sync, need_on;
	enum enc_lost why;
	uint32_t lose_left;
	uint64_t sync_at;

	enum owe owe;
	bool owe_context, is_late, popped;
	uint32_t late;
	struct ret_stack stack;

	uint32_t q_left, q_blocks, q_count;
	uint32_t passed;
	bool passing;
	uint32_t depth;
	struct past *past;

	uint64_t cycles;
	bool first_count;
	uint64_t time_due, time_value, time_asked_at, time_asked_p0;
	uint32_t time_wait;
	bool time_asked;
	uint32_t tm_left;
	bool tm_own;

	uint64_t p0;
	uint64_t due[ENC_RATES], next_due;
	uint32_t want;
	bool watch;
	unsigned int notes;
	struct enc_stats stats;
};

/* ---------------------------------------------------------------- encode-begin.c */

/* Is the following code, from @pc on, traced?  Return: ENC_KEPT, or the reason why not. */
enum enc_lost unit_begin(struct encoder *e, uint64_t pc, enum enc_isa isa);

/* Stops tracing.  Sends everything that was reported as traced. */
void unit_pause(struct encoder *e, enum enc_lost why);

/* A-sync, Trace Info, and Trace On if needed. */
void unit_sync(struct encoder *e);

/* Rolls the dice for rates that are due. */
void unit_roll(struct encoder *e);

/* ---------------------------------------------------------------- encode-p0.c */

/* Ends an element for several blocks: Q, source address.  Call it before any packet. */
void unit_settle(struct encoder *e);

/* Sends the address and context that are owed.  Call it before a P0 element. */
void unit_pay(struct encoder *e);

/* Both, if anything is owed. */
static inline void unit_pay_all(struct encoder *e)
{
	e->late = 0;
	if (e->owe || e->owe_context || e->is_late)
		unit_pay(e);
}

/* Counts one more uncommitted P0 element. */
static inline void unit_count(struct encoder *e)
{
	if (e->depth < e->setup.spec_depth)
		e->depth++;
}

/* The P0 element of a block; it went to @at.  Return: ENC_KEPT or ENC_LOST_Q. */
enum enc_lost unit_p0(struct encoder *e, const struct enc_block *block, bool taken);

bool unit_in(const struct enc_ranges *ranges, uint64_t addr);

/* Is the target of this direct branch sent if it is taken? */
bool unit_broadcasts(const struct encoder *e, const struct enc_block *block);

/* ---------------------------------------------------------------- encode-spec.c */

/* Is a mispredict due, and does the block have a branch for it? */
bool unit_may_mispredict(const struct encoder *e, const struct enc_block *block, bool taken);

/* Sends the atom of the conditional branch at the end of @block, wrong at first. */
void unit_mispredict(struct encoder *e, const struct enc_block *block, bool taken);

/* Sends a wrong path after the last P0 element, and cancels it. */
void unit_wrong_path(struct encoder *e);

/* Commits @n P0 elements; 0: all. */
void unit_commit(struct encoder *e, uint32_t n);

/* ---------------------------------------------------------------- encode-between.c */

/* Sends what comes after a P0 element. */
void unit_between(struct encoder *e);

/* Sends at once a timestamp whose marker was sent. */
void unit_time(struct encoder *e);

/* Sends at once a timestamp that was asked for, if any. */
void unit_time_asked(struct encoder *e, uint64_t value);

/* The program's transaction, or ours, begins or ends. */
void unit_tm_start(struct encoder *e);
void unit_tm_end(struct encoder *e, bool fail);

#endif /* CSF_ENCODE_UNIT_H */
