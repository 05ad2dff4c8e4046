/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The encoder: what a processor did goes in, block by block; what an ETMv4 or ETE trace unit
 * would send comes out.
 *
 *	struct enc_setup setup;
 *	struct encoder *e;
 *	const uint8_t *bytes;
 *	char problem[ENC_PROBLEM_MAX];
 *
 *	enc_setup_parse(&setup, "ete=1.1,rs,cc=16,ts=1000", problem);
 *	enc_new(&e, &setup, NULL);
 *	enc_start(e, 0x400000, ENC_A64, &context);
 *	enc_block(e, &block, next_pc, ENC_A64);		... of each block, in order
 *	enc_exception(e, ENC_EXC_CALL, next_pc);
 *	enc_stop(e);
 *	enc_flush(e);
 *	n = enc_take(e, &bytes);
 *
 * It exists to say the truth beside a trace, so it shares no rule with the decoder: its
 * instruction classes, return stack and exceptions are its own.  Of decoder/ it uses struct
 * csf_config and csf_packet_write(), nothing else.
 *
 * A unit of hardware decides by itself when to overflow, to speculate or to send a Q element;
 * here rates and a seed decide, so that the same calls always give the same bytes.
 *
 * What is lost: every call that tells of execution says whether the trace has it, or why not.
 * Losses begin and end between two blocks, behind a P0 element, so that "in the trace" is exact:
 * a block said to be there is decoded, one said to be lost is not.
 *
 * An encoder is used by one thread at a time; different ones by different threads.
 */
#ifndef CSF_ENCODER_H
#define CSF_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../decoder/csflow.h"

/* ---------------------------------------------------------------- instructions */

enum enc_isa { ENC_A64, ENC_A32, ENC_T32 };

/**
 * enum enc_class - what an instruction is to a trace unit
 * @ENC_PLAIN: takes no atom
 * @ENC_DIRECT: P0: branch whose target is in the code
 * @ENC_INDIRECT: P0: branch whose target is not
 * @ENC_ISB: P0; goes on behind it
 * @ENC_WFX: WFI, WFE, WFIT, WFET: P0 with TRCIDR2.WFXMODE
 * @ENC_TSTART: P0; goes on behind it
 * @ENC_CALL: SVC, HVC, SMC: no atom, an exception follows
 * @ENC_TRCIT: TRCIT: an instrumentation element may follow
 */
enum enc_class {
	ENC_PLAIN,
	ENC_DIRECT,
	ENC_INDIRECT,
	ENC_ISB,
	ENC_WFX,
	ENC_TSTART,
	ENC_CALL,
	ENC_TRCIT,
};

/* struct enc_insn.flags */
#define ENC_COND	0x01	/* may not be taken: a condition of its own, or IT */
#define ENC_LINK	0x02	/* leaves a return address: BL, BLX, BLR */
#define ENC_ERET	0x04	/* exception return */
#define ENC_IT		0x08	/* it is IT, which @it describes */
#define ENC_FAILED	0x10	/* set by the caller: ISB, WFx whose condition failed: N */

/**
 * struct enc_insn - an instruction, classified
 * @target: ENC_DIRECT: where it goes when taken
 * @class: enum enc_class
 * @flags: ENC_COND and its like
 * @size: bytes, 2 or 4
 * @target_isa: ENC_DIRECT: enum enc_isa there
 * @it: ENC_IT: how many instructions behind it are in the IT block, 1..4
 */
struct enc_insn {
	uint64_t target;
	uint8_t class;
	uint8_t flags;
	uint8_t size;
	uint8_t target_isa;
	uint8_t it;
};

/**
 * enc_classify() - what an instruction is
 * @isa: of it
 * @opcode: A64, A32: the word; T32: the halfword, or first halfword << 16 | second
 * @pc: its address
 */
struct enc_insn enc_classify(enum enc_isa isa, uint32_t opcode, uint64_t pc);

/* Does a T32 instruction that begins with halfword @first have a second one? */
static inline bool enc_t32_is_wide(uint32_t first)
{
	return first >> 11 >= 0x1d;
}

struct enc_setup;

/**
 * struct enc_block - instructions executed one after the other
 * @pc: of the first
 * @size: bytes
 * @n_insn: instructions, 1..
 * @isa: enum enc_isa
 * @last: the last one.  None before it may take an atom
 * @it: T32: instructions behind the block that are still in its IT block, 0..4
 */
struct enc_block {
	uint64_t pc;
	uint32_t size;
	uint16_t n_insn;
	uint8_t isa;
	uint8_t it;
	struct enc_insn last;
};

/**
 * enc_scan() - make a block of code
 * @setup: tells whether WFI and WFE take an atom
 * @block: @pc, @isa as given; @it as the block before left it, else 0; the rest is filled in
 * @code: bytes in memory order
 * @n: of them
 *
 * The block goes to the first instruction that takes an atom or causes an exception by itself
 * (ENC_CALL), or to the last whole one in @code.  @size 0: there is none.
 */
void enc_scan(const struct enc_setup *setup, struct enc_block *block, const void *code, size_t n);

/* ---------------------------------------------------------------- the unit */

#define ENC_RANGES	8	/* address ranges, of each kind */

/* Addresses @from up to but not including @to. */
struct enc_range {
	uint64_t from, to;
};

struct enc_ranges {
	struct enc_range range[ENC_RANGES];
	unsigned int n;
};

/* What the dice decide: struct enc_setup.rate */
enum enc_rate {
	ENC_RATE_Q,		/* a Q element instead of one to 8 blocks */
	ENC_RATE_SOURCE,	/* a source address instead of atoms */
	ENC_RATE_SPEC,		/* a mispredict, or a wrong path that is cancelled */
	ENC_RATE_TM,		/* a transaction of 1 to 16 blocks, a third of them fail */
	ENC_RATE_EVENT,		/* an event packet */
	ENC_RATE_ITE,		/* an instrumentation packet */
	ENC_RATE_IGNORE,	/* an ignore packet */
	ENC_RATE_OVERFLOW,	/* an overflow */
	ENC_RATE_DISCARD,	/* a discard: the unit stops, and starts anew */
	ENC_RATE_TRUNCATE,	/* trace that was cut off, perhaps in a packet */
	ENC_RATES
};

/**
 * struct enc_setup - a trace unit: its registers, and when it does what
 * @config: registers, as the decoder must know them
 * @include: if any: blocks that begin elsewhere are not traced
 * @exclude: blocks that begin here are not traced
 * @broadcast: with TRCCONFIGR.BB: only here; none: everywhere
 * @rate: once in so many P0 elements, about; 0: never.  See enum enc_rate
 * @sync: bytes between two A-syncs; 0: the first only
 * @stack: entries of the return stack, 1..15
 * @threshold: cycles that must be before they are counted in a packet
 * @time_period: ticks of the clock between timestamps; 0: none
 * @strobe_on: ticks traced; @strobe_off: and then not; 0: always
 * @spec_depth: P0 elements that may be uncommitted, TRCIDR8.MAXSPEC
 * @lose: most blocks lost at once to an overflow and its like, 1..
 * @seed: of the dice
 * @marker: timestamps have markers
 * @wfx: TRCIDR2.WFXMODE: WFI and WFE take atoms
 * @tm_quiet: transaction starts are no P0 elements: TRCIDR0.COMMTRANS
 * @likely_only: a wrong path is what was executed there before, as a processor does it; else it is
 *	    anything that trace can say
 * @target_first: as Arm's reference decoder needs it: an exception at the target of a branch has
 *                the address on its own before it, never E1:E0 == 10; the address follows a Trace
 *                Info at once; in AArch32 no context is without an address
 */
struct enc_setup {
	struct csf_config config;
	struct enc_ranges include, exclude, broadcast;
	uint32_t rate[ENC_RATES];
	uint32_t sync;
	uint32_t stack;
	uint32_t threshold;
	uint64_t time_period;
	uint64_t strobe_on, strobe_off;
	uint32_t spec_depth;
	uint32_t lose;
	uint64_t seed;
	bool marker;
	bool wfx;
	bool tm_quiet;
	bool likely_only;
	bool target_first;
};

#define ENC_PROBLEM_MAX	256

/**
 * enc_setup_parse() - read an option string
 * @words: words with commas between them; NULL or "": an ETE 1.1 with nothing on:
 *	ete=1.0..1.3		protocol and version (1.1)
 *	etm4=4.0..4.6
 *	rs[=1..15]		return stack, of so many entries (15)
 *	bb[=FROM-TO]		branch broadcast (there only); may be repeated
 *	cc=N			cycle counts with threshold N
 *	commopt=0|1		cycle counts commit P0 elements (0; with spec only) or not (1)
 *	ts=N			a timestamp every N ticks of the clock
 *	marker			with markers (ETE 1.1, ETMv4.6)
 *	cid[=32], vmid[=8|16|32]	context IDs, VM IDs; "vmidopt": those are CONTEXTIDR_EL2
 *	q=N[:1|3]		Q elements, once in N; only with a count (1) or either way (3)
 *	source=N		source addresses (ETE)
 *	spec=DEPTH[:N]		speculation; "likely": wrong paths are what was executed before
 *	tm=N			transactions (ETE); "commtrans": their starts are no P0 elements
 *	event=N, ite=N, ignore=N, overflow=N, discard=N, truncate=N
 *	lose=N			most blocks lost at once (32)
 *	sync=BYTES		between A-syncs (4096)
 *	range=FROM-TO, exclude=FROM-TO	addresses; may be repeated
 *	strobe=ON:OFF		ticks
 *	wfx=0|1			WFI and WFE take atoms (1)
 *	targetfirst		see struct enc_setup
 *	seed=N			(1)
 * @problem: ENC_PROBLEM_MAX bytes: on failure, what is wrong with which word
 *
 * Numbers are decimal, or hexadecimal with 0x.
 *
 * Return: 0, or CSF_ERR_ARG.
 */
int enc_setup_parse(struct enc_setup *setup, const char *words, char *problem);

/* ---------------------------------------------------------------- execution */

/* As what the processor executes. */
struct enc_context {
	uint32_t contextid;
	uint32_t vmid;
	uint8_t el;		/* 0..3 */
	uint8_t security;	/* enum csf_security */
	bool bits64;		/* AArch64 */
};

/* Exception types, A and R profile */
enum enc_exception {
	ENC_EXC_RESET		= 0x00,
	ENC_EXC_DEBUG_HALT	= 0x01,
	ENC_EXC_CALL		= 0x02,	/* SVC, HVC, SMC */
	ENC_EXC_TRAP		= 0x03,	/* also undefined instructions */
	ENC_EXC_SERROR		= 0x04,
	ENC_EXC_INST_DEBUG	= 0x06,	/* BRK, breakpoints, single step */
	ENC_EXC_DATA_DEBUG	= 0x07,
	ENC_EXC_ALIGNMENT	= 0x0a,
	ENC_EXC_INST_FAULT	= 0x0b,
	ENC_EXC_DATA_FAULT	= 0x0c,
	ENC_EXC_IRQ		= 0x0e,
	ENC_EXC_FIQ		= 0x0f,
};

/**
 * enum enc_lost - why something that was executed is not in the trace
 * @ENC_KEPT: it is
 * @ENC_LOST_OFF: before enc_start(), after enc_stop()
 * @ENC_LOST_FILTER: address ranges
 * @ENC_LOST_STROBE: strobing
 * @ENC_LOST_OVERFLOW: the unit overflowed
 * @ENC_LOST_DISCARD: the unit discarded, and stopped
 * @ENC_LOST_TRUNCATED: nothing says so in the trace: it just stops, perhaps inside a packet;
 *                      whoever writes AUX records flags the next one as truncated
 * @ENC_LOST_SIGNAL: nobody knows what the unit should say; it overflowed
 * @ENC_LOST_Q: a Q element says where it led to, but not by which way
 */
enum enc_lost {
	ENC_KEPT,
	ENC_LOST_OFF,
	ENC_LOST_FILTER,
	ENC_LOST_STROBE,
	ENC_LOST_OVERFLOW,
	ENC_LOST_DISCARD,
	ENC_LOST_TRUNCATED,
	ENC_LOST_SIGNAL,
	ENC_LOST_Q,
	ENC_LOST_NR
};

/* "overflow" for ENC_LOST_OVERFLOW and so on. */
const char *enc_lost_name(enum enc_lost why);

struct encoder;

/**
 * enc_new() - a trace unit
 * @setup: copied
 * @clock: borrowed: a counter that timestamps and strobing read; NULL: instructions counted here
 *
 * Return: 0, CSF_ERR_CONFIG, CSF_ERR_MEMORY.
 */
int enc_new(struct encoder **e, const struct enc_setup *setup, const uint64_t *clock);
void enc_free(struct encoder *e);

/**
 * enc_start() - tracing goes on
 * @pc: of the next instruction
 * @isa: enum enc_isa of it
 *
 * A-sync and Trace Info the first time and when the sync period is over; Trace On, address and
 * context before the next P0 element.
 */
void enc_start(struct encoder *e, uint64_t pc, enum enc_isa isa, const struct enc_context *context);

/**
 * enc_stop() - tracing goes off
 *
 * Everything known is sent and committed.
 *
 * Return: instructions executed since the last P0 element, which the trace therefore has not;
 * 0 behind an exception.
 */
uint32_t enc_stop(struct encoder *e);

/**
 * enc_block() - a block was executed as a whole
 * @block: of instructions; if the last one takes no atom the block after it is a part of this one,
 *         or enc_part(), enc_exception() follows
 * @next_pc: where execution went then
 * @next_isa: enum enc_isa there
 *
 * Where execution went shows whether the branch was taken.  A block that does not begin where the
 * one before it went is the caller's mistake: tracing then begins anew, with a Trace On.
 *
 * Return: ENC_KEPT or why it is lost.
 */
enum enc_lost enc_block(struct encoder *e, const struct enc_block *block, uint64_t next_pc,
			enum enc_isa next_isa);

/**
 * enc_part() - the first @n_insn instructions of a block were executed, and an exception follows
 * @n_insn: 0.. all, the last one not being one that takes an atom
 *
 * Return: as enc_block().
 */
enum enc_lost enc_part(struct encoder *e, const struct enc_block *block, uint32_t n_insn);

/**
 * enc_exception() - an exception was taken
 * @type: enum enc_exception, or any other, 0..1023
 * @ret: preferred return address; its ISA is that of what was executed last
 *
 * Then comes enc_stop(), or enc_handler() and its blocks.
 *
 * Return: ENC_KEPT or why it is lost.
 */
enum enc_lost enc_exception(struct encoder *e, uint32_t type, uint64_t ret);

/* Behind enc_exception(), if tracing goes on: where the handler begins. */
void enc_handler(struct encoder *e, uint64_t pc, enum enc_isa isa,
		 const struct enc_context *context);

/*
 * A PE reset: nothing is known of where it came from, and instructions since the last P0 element
 * are not in the trace.  Then enc_handler() or enc_stop().
 */
enum enc_lost enc_reset(struct encoder *e);

/* What comes next is executed as something else. */
void enc_context(struct encoder *e, const struct enc_context *context);

/* @events: mask of bits 3:0.  Return: it is in the trace. */
bool enc_event(struct encoder *e, unsigned int events);

/* TRCIT was executed.  Return: it is in the trace. */
bool enc_ite(struct encoder *e, unsigned int el, uint64_t value);

/*
 * Transactions of the program itself: TSTART was executed in enc_block() before;
 * TCOMMIT was; it failed, and execution goes on at @pc.  Where tracing stops inside a transaction
 * the unit says that it failed, and knows nothing of it any more.  Return: it is in the trace.
 */
bool enc_tm_start(struct encoder *e);
bool enc_tm_commit(struct encoder *e);
bool enc_tm_fail(struct encoder *e, uint64_t pc, enum enc_isa isa);

/* A timestamp soon: at the next P0 element; behind an exception; or where trace begins. */
void enc_time(struct encoder *e);

/* A timestamp before what is executed next; inside a block as enc_time(). */
void enc_time_now(struct encoder *e);

/**
 * enc_lose() - from here on nothing is traced
 * @why: OVERFLOW, DISCARD, TRUNCATED or SIGNAL
 *
 * What was said to be kept is sent before.  To be called between blocks, the last of which took
 * an atom, or behind an exception.
 */
void enc_lose(struct encoder *e, enum enc_lost why);

/* The end of enc_lose(): with the next block tracing begins anew. */
void enc_resume(struct encoder *e);

/* Sends and commits everything known; nothing changes otherwise. */
void enc_flush(struct encoder *e);

/**
 * enc_take() - the bytes since the last call
 * @bytes: borrowed until the next call of any function
 *
 * What is still being packed (atoms, what a Q element covers) is not among them.
 *
 * Return: how many; CSF_ERR_MEMORY if some were lost for want of memory; CSF_ERR_CONFIG if the
 * registers of struct enc_setup, which enc_setup_parse() did not make, do not go with its rates.
 */
long enc_take(struct encoder *e, const uint8_t **bytes);

/* How many bytes enc_take() would give. */
size_t enc_pending(const struct encoder *e);

/* What the unit did of its own, behind the last P0 element: enc_notes() */
#define ENC_NOTE_TM_START	0x01
#define ENC_NOTE_TM_COMMIT	0x02
#define ENC_NOTE_TM_FAIL	0x04

/* Return: ENC_NOTE_x since the last call. */
unsigned int enc_notes(struct encoder *e);

/**
 * struct enc_stats - what the unit did since enc_new()
 * @insns: instructions it was told of
 * @blocks: enc_block(): kept
 * @lost: enc_block(): lost, by reason
 * @bytes: sent
 * @injected: by enum enc_rate
 * @syncs: A-syncs
 */
struct enc_stats {
	uint64_t insns;
	uint64_t blocks;
	uint64_t lost[ENC_LOST_NR];
	uint64_t bytes;
	uint64_t injected[ENC_RATES];
	uint64_t syncs;
};

void enc_stats(const struct encoder *e, struct enc_stats *stats);

#endif /* CSF_ENCODER_H */
