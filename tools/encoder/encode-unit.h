/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a trace unit, for its files:
 *
 *	encoder.c		the calls: takes execution
 *	encode-begin.c		what is traced: start, ranges, strobing, losses, synchronisation
 *	encode-stack.c		the return stack
 *	encode-setup.c		the words of the option string
 *	encode-insn.c		instructions: encode-a64.c, encode-a32.c, encode-t32.c
 *
 * These are common; struct unit_protocol is what a protocol adds.  Its files are named after it:
 * etm4-*.c for ETMv4 and ETE, ptm-*.c for PTM, etm3-*.c for ETMv3, mtb-*.c for MTB.
 *
 * A block is handled in this order: is it traced (unit_begin), is something owed before its P0
 * element (@ready), the element itself (@p0), then what comes after it (@between).
 */
#ifndef CSF_ENCODE_UNIT_H
#define CSF_ENCODE_UNIT_H

#include "encode-dice.h"
#include "etm4-past.h"
#include "etm4-wire.h"

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
 * struct unit_protocol - what a protocol adds to the common part of a unit
 * @only_taken: a branch is a P0 element if it was taken, and nothing else is one
 * @init: completes a unit that is filled in.  Return: 0, CSF_ERR_CONFIG, CSF_ERR_MEMORY
 * @fini: frees what it owns; may be NULL
 * @sync: packets with which a decoder may join, at e->at: the sync period is over
 * @begin: trace begins, or goes on, at e->at; @was: why there was none.  If e->need_sync, a decoder
 *	   must be able to join
 * @pause: sends all that was reported as kept; tracing stops because of @why.  It sets e->need_sync
 *	   if decoders must join anew
 * @lose: after @pause, sends what tells a loss.  @silent: no decoder is in sync
 * @context: e->context is now this one, and may differ from the one before
 * @plain: the instructions of @block were executed, and none is a P0 element; e->ran counts them
 * @ready: sends what is owed before the P0 element of @block
 * @p0: the P0 element of a block, which went to e->at.  Return: ENC_KEPT or ENC_LOST_Q
 * @between: sends what comes after it
 * @exception: see enc_exception()
 * @number: see enc_exception_number(); NULL: that of ETMv4
 * @handler: e->at is now the beginning of the handler
 * @reset: a PE reset; unit_pause() follows
 * @stop: tracing is switched off: sends all, and calls unit_pause() if e->why is ENC_KEPT
 * @flush: sends all that is known
 * @event: see enc_event()
 * @entry: see enc_data(); NULL: it has no data
 * @time_now: a timestamp was asked for, and no instruction was executed since the last P0 element
 */
struct unit_protocol {
	bool only_taken;
	int (*init)(struct encoder *e);
	void (*fini)(struct encoder *e);
	void (*sync)(struct encoder *e);
	void (*begin)(struct encoder *e, enum enc_lost was);
	void (*pause)(struct encoder *e, enum enc_lost why);
	void (*lose)(struct encoder *e, enum enc_lost why, bool silent);
	void (*context)(struct encoder *e);
	void (*plain)(struct encoder *e, const struct enc_block *block);
	void (*ready)(struct encoder *e, const struct enc_block *block);
	enum enc_lost (*p0)(struct encoder *e, const struct enc_block *block, bool taken);
	void (*between)(struct encoder *e);
	void (*exception)(struct encoder *e, uint32_t type, uint64_t ret);
	uint32_t (*number)(const struct encoder *e, uint32_t type);
	void (*handler)(struct encoder *e);
	void (*reset)(struct encoder *e);
	void (*stop)(struct encoder *e);
	void (*flush)(struct encoder *e);
	void (*event)(struct encoder *e, unsigned int events);
	void (*time_now)(struct encoder *e);
	void (*entry)(struct encoder *e, const struct enc_data *data);
};

extern const struct unit_protocol etm4_unit, etm3_unit, mtb_unit, ptm_unit;

/**
 * struct encoder - a trace unit
 * @protocol: of the unit
 * @own: state of the protocol, except ETMv4's, which is here
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
 * @closed: see enc_gate()
 * @need_sync: an A-sync before anything else
 * @sync_at: byte at which the next A-sync is due
 * @cycles: since the last cycle count
 * @time_due: the clock of the next timestamp
 * @time_asked: the caller wants one, since @time_asked_at, before the P0 element @time_asked_p0
 * @stack: the return stack
 * @p0: P0 elements of right paths
 * @due: by enum enc_rate, P0 element at which each is due
 * @next_due: the least of them
 * @want: bits of the rates that are due
 * @watch: every block must be checked: ranges, strobing, the gate
 * @notes: ENC_NOTE_x
 * @data: transfers of the next block's last instruction, @n_data of @max_data; owned
 *
 * The rest is ETMv4's:
 *
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
 * @first_count: the next cycle count is the first since tracing began
 * @time_wait: a marker was sent; P0 elements until its timestamp, 1..; 0: none
 * @time_value: its value
 * @tm_left: blocks until the transaction ends; 0: none is open
 * @tm_own: the open one is the program's, see enc_tm_start()
 */
struct encoder {
	struct enc_setup setup;
	struct wire wire;
	struct dice dice;
	const struct unit_protocol *protocol;
	void *own;
	const uint64_t *clock;
	uint64_t pc, at, from;
	uint8_t isa, at_isa, from_isa;
	uint32_t ran;
	struct enc_context context;

	bool on, held, closed;
	bool need_sync;
	enum enc_lost why;
	uint32_t lose_left;
	uint64_t sync_at;

	uint64_t cycles;
	uint64_t time_due, time_asked_at, time_asked_p0;
	bool time_asked;
	struct ret_stack stack;

	uint64_t p0;
	uint64_t due[ENC_RATES], next_due;
	uint32_t want;
	bool watch;
	unsigned int notes;
	struct enc_stats stats;
	struct enc_data *data;
	size_t n_data, max_data;

	enum owe owe;
	bool owe_context, is_late, popped;
	uint32_t late;

	uint32_t q_left, q_blocks, q_count;
	uint32_t passed;
	bool passing;
	uint32_t depth;
	struct past *past;

	bool first_count;
	uint64_t time_value;
	uint32_t time_wait;
	uint32_t tm_left;
	bool tm_own;
};

/* ---------------------------------------------------------------- encoder.c */

/* Execution goes on at @pc. */
void unit_go(struct encoder *e, uint64_t pc, enum enc_isa isa);

/* ---------------------------------------------------------------- encode-begin.c */

/* Is the following code, from @pc on, traced?  Return: ENC_KEPT, or the reason why not. */
enum enc_lost unit_begin(struct encoder *e, uint64_t pc, enum enc_isa isa);

/* Stops tracing.  Sends everything that was reported as traced. */
void unit_pause(struct encoder *e, enum enc_lost why);

/* Is an A-sync due? */
static inline bool unit_sync_is_due(const struct encoder *e)
{
	return e->wire.taken + e->wire.n >= e->sync_at;
}

/* The packets with which a decoder may join were just sent. */
void unit_synced(struct encoder *e);

/* Rolls the dice for rates that are due. */
void unit_roll(struct encoder *e);

/* An event that is wanted now happens. */
bool unit_wanted(struct encoder *e, enum enc_rate rate);

bool unit_in(const struct enc_ranges *ranges, uint64_t addr);

/* ---------------------------------------------------------------- encode-stack.c */

/* Remembers a return address. */
void unit_push(struct encoder *e, uint64_t addr, enum enc_isa isa);

/* Return: the newest entry is this address, and is gone now. */
bool unit_pop(struct encoder *e, uint64_t addr, enum enc_isa isa);

/* ---------------------------------------------------------------- encode-insn.c */

/* Does the instruction take an atom?  In ETMv3 each does. */
bool unit_takes_atom(const struct enc_setup *setup, const struct enc_insn *insn);

#endif /* CSF_ENCODE_UNIT_H */
