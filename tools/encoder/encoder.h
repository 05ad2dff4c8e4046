/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The encoder: takes what a processor did, block by block, and gives the trace that a trace unit
 * would send: an ETMv4, ETE or PTM.
 *
 *	struct enc_setup setup;
 *	struct encoder *e;
 *	const uint8_t *bytes;
 *	char problem[ENC_PROBLEM_MAX];
 *
 *	enc_setup_parse(&setup, "ete=1.1,rs,cc=16,ts=1000", problem);
 *	enc_new(&e, &setup, NULL);
 *	enc_start(e, 0x400000, ENC_A64, &context);
 *	enc_block(e, &block, next_pc, ENC_A64);		... for each block, in order
 *	enc_exception(e, ENC_EXC_CALL, next_pc);
 *	enc_stop(e);
 *	enc_flush(e);
 *	n = enc_take(e, &bytes);
 *
 * It exists to tell the truth about a trace, so it shares no rule with the decoder: its
 * instruction classes, return stack and exceptions are its own.  From decoder/ it uses only struct
 * csf_config and csf_packet_write().
 *
 * A hardware unit decides by itself when to overflow, to speculate or to send a Q element;
 * here rates and a seed decide, so the same calls always give the same bytes.
 *
 * Losses: every call about execution returns whether the trace has it, or why not.
 * Losses begin and end between two blocks, after a P0 element, so "in the trace" is exact:
 * a block that is reported as kept is decoded, and one that is reported as lost is not.
 *
 * One thread uses an encoder at a time; different threads may use different ones.
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
 * enum enc_class - classes of instructions for a trace unit
 * @ENC_PLAIN: takes no atom
 * @ENC_DIRECT: P0: branch whose target is in the code
 * @ENC_INDIRECT: P0: branch whose target is not in the code
 * @ENC_ISB: P0; execution goes on after it
 * @ENC_WFX: WFI, WFE, WFIT, WFET: P0 with TRCIDR2.WFXMODE
 * @ENC_BARRIER: DMB, DSB of AArch32: P0 with ETMCCER bit 24
 * @ENC_TSTART: P0; execution goes on after it
 * @ENC_CALL: SVC, HVC, SMC: no atom, an exception follows
 * @ENC_TRCIT: TRCIT: an instrumentation element may follow
 */
enum enc_class {
	ENC_PLAIN,
	ENC_DIRECT,
	ENC_INDIRECT,
	ENC_ISB,
	ENC_WFX,
	ENC_BARRIER,
	ENC_TSTART,
	ENC_CALL,
	ENC_TRCIT,
};

/* struct enc_insn.flags */
#define ENC_COND	0x01	/* may not be taken: a condition of its own, or IT */
#define ENC_LINK	0x02	/* leaves a return address: BL, BLX, BLR */
#define ENC_ERET	0x04	/* exception return */
#define ENC_IT		0x08	/* it is an IT, which @it describes */
/*
 * Set by the caller for an ISB or WFx whose condition failed: N; for ETMv3 for any instruction but
 * a branch.
 */
#define ENC_FAILED	0x10
#define ENC_FRET	0x20	/* M profile, set by the caller: it returned to Secure state */
#define ENC_HVC		0x40	/* ENC_CALL of AArch32: HVC */
#define ENC_SMC		0x80	/* ENC_CALL of AArch32: SMC */

/**
 * struct enc_insn - an instruction, classified
 * @target: ENC_DIRECT: its target when taken
 * @class: enum enc_class
 * @flags: ENC_COND and so on
 * @size: bytes, 2 or 4
 * @target_isa: ENC_DIRECT: enum enc_isa there
 * @it: ENC_IT: how many instructions after it are in the IT block, 1..4
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
 * enc_classify() - classify an instruction
 * @isa: its instruction set
 * @opcode: A64, A32: the word; T32: the halfword, or first halfword << 16 | second
 * @pc: its address
 *
 * T32 is that of A and R profile; enc_classify_m() has that of M profile.
 */
struct enc_insn enc_classify(enum enc_isa isa, uint32_t opcode, uint64_t pc);
struct enc_insn enc_classify_m(uint32_t opcode, uint64_t pc);

/* Does a T32 instruction that begins with halfword @first have a second one? */
static inline bool enc_t32_is_wide(uint32_t first)
{
	return first >> 11 >= 0x1d;
}

struct enc_setup;

/**
 * struct enc_block - instructions executed one after another
 * @pc: address of the first
 * @size: bytes
 * @n_insn: instructions, 1..
 * @isa: enum enc_isa
 * @last: the last one; no other may take an atom
 * @it: T32: instructions after the block that are still in its IT block, 0..4
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
 * @block: @pc, @isa as given; @it as left by the previous block, else 0; the rest is filled in
 * @code: bytes in memory order
 * @n: how many
 *
 * The block ends with the first instruction that takes an atom or causes an exception by itself
 * (ENC_CALL), or with the last complete one in @code.  @size 0: there is none.
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

/* Random events: struct enc_setup.rate */
enum enc_rate {
	ENC_RATE_Q,		/* a Q element instead of 1 to 8 blocks */
	ENC_RATE_SOURCE,	/* a source address instead of atoms */
	ENC_RATE_SPEC,		/* a mispredict, or a wrong path that is cancelled */
	ENC_RATE_TM,		/* a transaction of 1 to 16 blocks, a third of them fail */
	ENC_RATE_EVENT,		/* an event packet */
	ENC_RATE_ITE,		/* an instrumentation packet */
	ENC_RATE_IGNORE,	/* an ignore packet */
	ENC_RATE_OVERFLOW,	/* an overflow */
	ENC_RATE_DISCARD,	/* a discard: the unit stops, and starts anew */
	ENC_RATE_TRUNCATE,	/* trace that was cut off, perhaps in a packet */
	ENC_RATE_LATE,		/* a data value that comes later */
	ENC_RATE_UNTRACED,	/* a data value that is not traced, of a multiple transfer */
	ENC_RATE_SUPPRESS,	/* data is dropped for some blocks */
	ENC_RATES
};

/**
 * struct enc_setup - a trace unit: its registers and behaviour
 * @config: registers, as the decoder needs them
 * @include: if there are any, blocks that begin elsewhere are not traced
 * @exclude: blocks that begin here are not traced
 * @broadcast: with TRCCONFIGR.BB: only here; none: everywhere
 * @rate: mean number of P0 elements between two; 0: never.  See enum enc_rate
 * @cid_bits: of a context ID in trace; 0: none
 * @sync: bytes between two A-syncs; 0: only the first
 * @stack: entries of the return stack, 1..15
 * @threshold: the fewest cycles for a cycle count packet
 * @time_period: ticks of the clock between timestamps; 0: none
 * @mtb_size: bytes of the buffer of an MTB
 * @strobe_on: ticks with trace; @strobe_off: ticks without; 0: always trace
 * @spec_depth: P0 elements that may be uncommitted, TRCIDR8.MAXSPEC
 * @lose: most blocks lost at once to an overflow or similar, 1..
 * @seed: of the random numbers
 * @marker: timestamps have markers
 * @wfx: TRCIDR2.WFXMODE: WFI and WFE take atoms
 * @barriers: DMB and DSB take atoms: ETMCCER bit 24
 * @tm_quiet: transaction starts are not P0 elements: TRCIDR0.COMMTRANS
 * @likely_only: a wrong path is one that was executed there before, as on a processor; else it is
 *	    anything that trace can express
 * @target_first: as Arm's reference decoder needs it: an exception at the target of a branch has
 *                the address in a packet of its own before it, never E1:E0 == 10; the address
 *                follows a Trace Info at once; in AArch32 every context has an address.  PTM: an
 *                I-sync follows a waypoint
 */
struct enc_setup {
	struct csf_config config;
	struct enc_ranges include, exclude, broadcast;
	uint32_t rate[ENC_RATES];
	uint32_t cid_bits;
	uint32_t sync;
	uint32_t stack;
	uint32_t threshold;
	uint64_t time_period;
	uint64_t strobe_on, strobe_off;
	uint32_t mtb_size;
	uint32_t spec_depth;
	uint32_t lose;
	uint64_t seed;
	bool marker;
	bool wfx;
	bool barriers;
	bool tm_quiet;
	bool likely_only;
	bool target_first;
};

#define ENC_PROBLEM_MAX	256

/**
 * enc_setup_parse() - read an option string
 * @words: words with commas between them; NULL or "": an ETE 1.1 without any feature:
 *	ete=1.0..1.3		protocol and version (1.1)
 *	etm4=4.0..4.6
 *	ptm=1.0..1.1
 *	mtb[=BYTES]		an MTB; its buffer is a power of two, from 16 bytes on (4096)
 *	rs[=1..15]		return stack, with this many entries (15)
 *	bb[=FROM-TO]		branch broadcast (there only; not PTM); may be repeated
 *	cc=N			cycle counts with threshold N; "cc": PTM, which has none
 *	commopt=0|1		cycle counts commit P0 elements (0; with spec only) or not (1)
 *	ts=N			a timestamp every N ticks of the clock
 *	tsbits=48|64, gray	their size (64), and Gray code (PTM 1.1)
 *	marker			with markers (ETE 1.1, ETMv4.6)
 *	cid[=8|16|32], vmid[=8|16|32]	context IDs (ETMv4, ETE: of 32 bits), VM IDs (PTM: 8);
 *				"vmidopt": those are CONTEXTIDR_EL2
 *	q=N[:1|3]		Q elements, once in N; only with a count (1) or either way (3)
 *	source=N		source addresses (ETE)
 *	spec=DEPTH[:N]		speculation; "likely": wrong paths were executed before
 *	tm=N			transactions (ETE); "commtrans": their starts are not P0 elements
 *	event=N, ite=N, ignore=N, overflow=N, discard=N, truncate=N
 *	lose=N			most blocks lost at once (32)
 *	sync=BYTES		between A-syncs (4096)
 *	range=FROM-TO, exclude=FROM-TO	addresses; may be repeated
 *	strobe=ON:OFF		ticks
 *	wfx=0|1			WFI and WFE take atoms (1)
 *	barriers		DMB and DSB of AArch32 take atoms (PTM)
 *	targetfirst		see struct enc_setup
 *	m			an ETMv4 of M profile
 *	seed=N			(1)
 * ETMv3 has "etm3=3.0..3.5" and of the above bb, cc without a number, ts, cid=8|16|32, vmid, event,
 * ignore, overflow, truncate, lose, sync, range, exclude, strobe, m and seed; and also
 *	tsbits=48|64, gray	its timestamps (64)
 *	alt			alternative encoding of branches (from ETMv3.4 on)
 *	halves			a 32-bit BL or BLX of T32 takes two atoms
 *	data[=values|addresses]	data transfers
 *	cprt			transfers of coprocessors
 *	late=N, untraced=N, suppress=N	values that come later; values left out; transfers dropped
 * @problem: ENC_PROBLEM_MAX bytes: on failure, the word and its error
 *
 * Numbers are decimal, or hexadecimal with 0x.
 *
 * Return: 0, or CSF_ERR_ARG.
 */
int enc_setup_parse(struct enc_setup *setup, const char *words, char *problem);

/* Does the protocol have addresses and instructions of 64 bits? */
static inline bool enc_setup_a64(const struct enc_setup *setup)
{
	return setup->config.protocol != CSF_PROTOCOL_PTM &&
	       setup->config.protocol != CSF_PROTOCOL_ETM3;
}

/* ---------------------------------------------------------------- execution */

/* The context of execution; M profile: el is 0 in thread mode, 3 in handler mode. */
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
 * enc_exception_m() - the type of an exception of M profile
 * @number: as in IPSR, 1..
 */
static inline uint32_t enc_exception_m(uint32_t number)
{
	/* Interrupts from the ninth on are apart from the other exceptions. */
	return number < 24 ? number : 0x200 + number - 16;
}

/**
 * enum enc_lost - why execution is not in the trace
 * @ENC_KEPT: it is in the trace
 * @ENC_LOST_OFF: before enc_start(), after enc_stop()
 * @ENC_LOST_FILTER: address ranges
 * @ENC_LOST_STROBE: strobing
 * @ENC_LOST_OVERFLOW: the unit overflowed
 * @ENC_LOST_DISCARD: the unit discarded, and stopped
 * @ENC_LOST_TRUNCATED: the trace does not show it: it just stops, perhaps inside a packet;
 *                      the writer of AUX records flags the next one as truncated
 * @ENC_LOST_SIGNAL: it is unknown what the unit should send; it overflowed
 * @ENC_LOST_Q: a Q element tells where execution went, but not on which path
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
 * enc_new() - make a trace unit
 * @setup: copied
 * @clock: borrowed: a counter for timestamps and strobing; NULL: the encoder counts instructions
 *
 * Return: 0, CSF_ERR_CONFIG, CSF_ERR_MEMORY.
 */
int enc_new(struct encoder **e, const struct enc_setup *setup, const uint64_t *clock);
void enc_free(struct encoder *e);

/**
 * enc_start() - turn tracing on
 * @pc: of the next instruction
 * @isa: its enum enc_isa
 *
 * A-sync and Trace Info at first, and when the sync period is over; Trace On, address and
 * context before the next P0 element.
 */
void enc_start(struct encoder *e, uint64_t pc, enum enc_isa isa, const struct enc_context *context);

/**
 * enc_stop() - turn tracing off
 *
 * Everything known is sent and committed.
 *
 * Return: instructions executed since the last P0 element, which are therefore not in the trace;
 * 0 after an exception.
 */
uint32_t enc_stop(struct encoder *e);

/**
 * enc_block() - a whole block was executed
 * @block: if its last instruction takes no atom, the next block is a part of this one,
 *         or enc_part(), enc_exception() follows
 * @next_pc: where execution went on
 * @next_isa: enum enc_isa there
 *
 * The next address shows whether the branch was taken.  A block must begin where the one
 * before it went; otherwise tracing begins anew, with a Trace On.
 *
 * Return: ENC_KEPT, or why the block is lost.
 */
enum enc_lost enc_block(struct encoder *e, const struct enc_block *block, uint64_t next_pc,
			enum enc_isa next_isa);

/**
 * enc_part() - a part of a block was executed, and an exception follows
 * @block: up to and including the last executed instruction, which takes no atom; @n_insn may be 0
 *
 * Return: as enc_block().
 */
enum enc_lost enc_part(struct encoder *e, const struct enc_block *block);

/**
 * enc_exception() - an exception was taken
 * @type: enum enc_exception, or any other, 0..1023; M profile: enc_exception_m()
 * @ret: preferred return address; its ISA is that of the last instruction
 *
 * M profile: an exception return is a block whose last instruction has ENC_ERET. If another
 * exception comes in its place, a tail chain, the block goes to ENC_CHAIN, and so does @ret.
 *
 * Call enc_stop() next, or enc_handler() and its blocks.
 *
 * Return: ENC_KEPT, or why the exception is lost.
 */
#define ENC_CHAIN	0xfffffffeu

enum enc_lost enc_exception(struct encoder *e, uint32_t type, uint64_t ret);

/* The number that packets of this protocol have for a type of the last enc_exception(). */
uint32_t enc_exception_number(const struct encoder *e, uint32_t type);

/* After enc_exception(), if tracing goes on: the beginning of the handler. */
void enc_handler(struct encoder *e, uint64_t pc, enum enc_isa isa,
		 const struct enc_context *context);

/*
 * A PE reset: its origin is unknown, and the instructions since the last P0 element are not in the
 * trace.  Call enc_handler() or enc_stop() next.
 */
enum enc_lost enc_reset(struct encoder *e);

/* The following code is executed in another context. */
void enc_context(struct encoder *e, const struct enc_context *context);

/* @events: mask of bits 3:0.  Return: it is in the trace. */
bool enc_event(struct encoder *e, unsigned int events);

/* TRCIT was executed.  Return: it is in the trace. */
bool enc_ite(struct encoder *e, unsigned int el, uint64_t value);

/*
 * Transactions of the program itself: TSTART was executed in the last enc_block();
 * TCOMMIT was; it failed, and execution goes on at @pc.  If tracing stops inside a transaction,
 * the unit reports that it failed, and forgets it.  Return: it is in the trace.
 */
bool enc_tm_start(struct encoder *e);
bool enc_tm_commit(struct encoder *e);
bool enc_tm_fail(struct encoder *e, uint64_t pc, enum enc_isa isa);

/* struct enc_data.flags */
#define ENC_DATA_STORE		0x01	/* written; else read */
#define ENC_DATA_FAILED		0x02	/* a store exclusive that failed: nothing was written */
#define ENC_DATA_REGISTER	0x04	/* a coprocessor's register: no address */
#define ENC_DATA_BIG		0x08	/* big-endian */
#define ENC_DATA_ENTRY		0x10	/* M profile: by the entry of an exception */

/**
 * struct enc_data - a transfer of data, of up to 32 bits: an LDM or LDRD has several
 * @size: bytes, 1, 2 or 4
 * @flags: ENC_DATA_x
 */
struct enc_data {
	uint64_t addr;
	uint32_t value;
	uint8_t size;
	uint8_t flags;
};

/**
 * enc_data() - the last instruction of the next block transfers data
 *
 * Call it for each transfer in order, and then enc_block().  With ENC_DATA_ENTRY, call it after
 * enc_handler().  Only ETMv3 has them.
 */
void enc_data(struct encoder *e, const struct enc_data *data);

/* Return: the transfers of the last block are in the trace, as far as their kind is traced. */
bool enc_data_kept(const struct encoder *e);

/*
 * For start and stop addresses, which the caller watches: while the gate is closed, nothing is
 * traced, as outside of the address ranges.  Call it between two blocks.
 */
void enc_gate(struct encoder *e, bool open);

/* Asks for a timestamp soon: at the next P0 element; after an exception; or where trace begins. */
void enc_time(struct encoder *e);

/* Asks for a timestamp before the next instruction; inside a block, as enc_time(). */
void enc_time_now(struct encoder *e);

/**
 * enc_lose() - stop tracing because of a loss
 * @why: OVERFLOW, DISCARD, TRUNCATED or SIGNAL
 *
 * Everything that was reported as kept is sent before.  Call it between blocks, the last of which
 * took an atom, or after an exception.
 */
void enc_lose(struct encoder *e, enum enc_lost why);

/* The end of enc_lose(): tracing begins anew with the next block. */
void enc_resume(struct encoder *e);

/* Sends and commits everything known, without other effects. */
void enc_flush(struct encoder *e);

/**
 * enc_take() - the bytes since the last call
 * @bytes: borrowed until the next call of any function
 *
 * Atoms and Q elements that are still being collected are not included.
 *
 * Return: how many; CSF_ERR_MEMORY if memory was short, and some were lost; CSF_ERR_CONFIG if the
 * registers of struct enc_setup, not made by enc_setup_parse(), do not fit its rates.
 */
long enc_take(struct encoder *e, const uint8_t **bytes);

/* How many bytes enc_take() would give. */
size_t enc_pending(const struct encoder *e);

/* Events that the unit made by itself after the last P0 element: enc_notes() */
#define ENC_NOTE_TM_START	0x01
#define ENC_NOTE_TM_COMMIT	0x02
#define ENC_NOTE_TM_FAIL	0x04

/* Return: ENC_NOTE_x since the last call. */
unsigned int enc_notes(struct encoder *e);

/**
 * struct enc_stats - what the unit did since enc_new()
 * @insns: instructions passed to it
 * @blocks: kept by enc_block()
 * @lost: lost by enc_block(), by reason
 * @bytes: sent
 * @injected: random events, by enum enc_rate
 * @syncs: A-syncs
 * @cycles: ETMv3: cycles in the trace
 */
struct enc_stats {
	uint64_t insns;
	uint64_t blocks;
	uint64_t lost[ENC_LOST_NR];
	uint64_t bytes;
	uint64_t injected[ENC_RATES];
	uint64_t syncs;
	uint64_t cycles;
};

void enc_stats(const struct encoder *e, struct enc_stats *stats);

#endif /* CSF_ENCODER_H */
