/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * csflow - decoder of Arm CoreSight instruction trace (ETE, ETMv4, ETMv3, PTM)
 *
 * It turns trace bytes and program code into the blocks that were executed:
 *
 *	struct csf_config config = { .size = sizeof(config), .trcidr1 = ... };
 *	struct csf_image *image;
 *	struct csf_decoder *dec;
 *	struct csf_run run;
 *	int text;
 *
 *	csf_image_new(&image);
 *	text = csf_section_bytes(image, code, n_code);
 *	csf_map(image, CSF_SPACE_ALL, 0x400000, n_code, text, 0);
 *	csf_new(&dec, &config, image);
 *	csf_feed(dec, trace, n_trace);
 *	csf_end(dec);
 *	while (csf_next(dec, &run) > 0) {
 *		for (size_t i = 0; i < run.n; i++)
 *			count[run.step[i]]++;		(block << 1 | taken)
 *		... and look at run.end, which says what happened then
 *	}
 *
 * Calls return >= 0, or a negative enum csf_error if the call itself is at fault.  A fault in the
 * trace is never an error: it is reported as a gap, and the next csf_next() goes on after it.
 *
 * A decoder or a csf_frames may be used by one thread at a time.  Any number of threads may share
 * an image.  With csf_set_threads() several threads decode one stream.
 */
#ifndef CSFLOW_H
#define CSFLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CSF_VERSION_MAJOR	0
#define CSF_VERSION_MINOR	1

#define CSF_API __attribute__((visibility("default")))

struct csf_decoder;
struct csf_image;
struct csf_frames;
struct csf_monitor;

/**
 * enum csf_error - the errors that a call can return; all are negative
 * @CSF_ERR_ARG: the call itself is wrong, e.g. csf_feed() before csf_next() returned 0
 * @CSF_ERR_CONFIG: a size or register value that this version does not know
 * @CSF_ERR_MEMORY: no memory
 * @CSF_ERR_READER: a packet reader of the caller did what it may not: csf_messages_problem() says
 *                  what
 */
enum csf_error {
	CSF_ERR_ARG	= -1,
	CSF_ERR_CONFIG	= -2,
	CSF_ERR_MEMORY	= -3,
	CSF_ERR_READER	= -4,
};

/* Constant text for a return value: "out of memory" for CSF_ERR_MEMORY, and so on. */
CSF_API const char *csf_strerror(int err);

/*
 * After CSF_ERR_MEMORY: size in bytes of the last table that could not be allocated, by any thread
 * of the process; 0: every table could be.
 */
CSF_API uint64_t csf_no_memory(void);

/* "MAJOR.MINOR" of the library that the program runs with; constant. */
CSF_API const char *csf_version(void);

/* ---------------------------------------------------------------- configuration */

enum csf_profile { CSF_PROFILE_A, CSF_PROFILE_R, CSF_PROFILE_M };

/**
 * enum csf_protocol - the protocol that a trace source sends
 * @CSF_PROTOCOL_TOLD: the registers say; or not known
 *
 * ETMv4, ETE, ETMv3, PTM and MTB are decoded; the messages of ITM and STM are read.  The others are
 * named here so that all parts of a program can refer to a source that they cannot decode.
 */
enum csf_protocol {
	CSF_PROTOCOL_TOLD,
	CSF_PROTOCOL_ETM4,
	CSF_PROTOCOL_ETE,
	CSF_PROTOCOL_ETM3,
	CSF_PROTOCOL_PTM,
	CSF_PROTOCOL_ITM,
	CSF_PROTOCOL_STM,
	CSF_PROTOCOL_MTB,
	CSF_PROTOCOL_NR
};

/* "ETMv4", "ETE" and so on; "unknown" for CSF_PROTOCOL_TOLD and invalid numbers. */
CSF_API const char *csf_protocol_name(enum csf_protocol protocol);

/**
 * struct csf_config - how the trace unit was built and programmed
 * @size: sizeof(struct csf_config) where the caller was compiled
 * @trcidr0: TRCIDR0; this and the next fields are the trace unit's registers of the same names
 * @trcdevarch: TRCDEVARCH; if it names ETE or ETMv4, it gives the version; otherwise TRCIDR1 does
 * @profile: enum csf_profile of the processor
 * @marks: the kinds of marks to report, CSF_MARK_x or-ed; 0: CSF_MARK_DEFAULT
 * @run_max: maximum number of steps in a run, 1 or more; 0: the library chooses
 * @without: CSF_WITHOUT_x or-ed, from csflow-debug.h
 * @protocol: enum csf_protocol; if it is not 0, the registers must say the same; 0: ETMv4 or ETE
 * @etmcr: ETMCR; this and the next two fields are registers of an ETMv3 or a PTM
 * @itmtcr: ITM_TCR, of an ITM
 * @unchecked: 1: where trace and code contradict each other, decode follows the trace and reports
 *             no gap
 * @stp_order: enum csf_stp_order, of an STM
 *
 * Zero in any field is a valid default.  New fields are only added at the end.  Bytes that the
 * library does not know must be zero, or the result is CSF_ERR_CONFIG.
 *
 * Source: ARM IHI 0064 chapter 7, ARM DDI 0487 part D "ETE", ARM IHI 0014 chapter 3, ARM IHI 0035
 * chapter 3.
 */
struct csf_config {
	size_t size;
	uint32_t trcidr0, trcidr1, trcidr2, trcidr8;
	uint32_t trcidr9, trcidr10, trcidr11, trcidr12, trcidr13;
	uint32_t trcconfigr;
	uint32_t trcdevarch;
	uint32_t profile;
	uint32_t marks;
	uint32_t run_max;
	uint32_t without;
	uint32_t protocol;
	uint32_t etmcr, etmccer, etmidr;
	uint32_t itmtcr;
	uint32_t unchecked;
	uint32_t stp_order;
};

/**
 * csf_config_problem() - the invalid field of a configuration, and the reason
 *
 * Return: NULL: the configuration is valid for csf_new(), or for csf_messages_new() if
 * csf_config_has_messages(); otherwise a constant text like ".size:
 * want sizeof(struct csf_config)".
 */
CSF_API const char *csf_config_problem(const struct csf_config *config);

/**
 * csf_config_protocol() - the protocol of a configuration
 *
 * Return: enum csf_protocol, not 0; CSF_ERR_CONFIG if csf_config_problem() has a problem.
 */
CSF_API int csf_config_protocol(const struct csf_config *config);

/**
 * csf_config_version() - the architecture version of a configuration
 *
 * Return: 0x4n for ETMv4.n, 0x5n for ETE 1.n, 0x3n for PFT 1.n, 0x2n for ETMv3.n, 0 for others;
 * CSF_ERR_CONFIG if csf_config_problem() has a problem.
 */
CSF_API int csf_config_version(const struct csf_config *config);

/* ---------------------------------------------------------------- instructions, image */

#include "csflow-image.h"

/* ---------------------------------------------------------------- data accesses */

#include "csflow-access.h"

/* ---------------------------------------------------------------- decoder */

enum csf_security { CSF_SECURE, CSF_NONSECURE, CSF_ROOT, CSF_REALM };

/**
 * struct csf_context - the context that the processor was executing in
 * @contextid: CONTEXTIDR_EL1, if @has_contextid
 * @vmid: VMID, or CONTEXTIDR_EL2 with TRCCONFIGR.VMIDOPT, if @has_vmid
 * @el: exception level, 0..3
 * @security: enum csf_security
 * @bits64: AArch64
 * @known: a context packet has been seen; if false, nothing here is known
 * @no_el: the trace does not tell EL0 from EL1, and @el is 1 for both: ETMv3 and PTM
 */
struct csf_context {
	uint32_t contextid;
	uint32_t vmid;
	uint8_t el;
	uint8_t security;
	bool bits64;
	bool has_contextid;
	bool has_vmid;
	bool known;
	bool no_el;
};

/* Kinds of marks: events along the way that do not change how steps are read. */
#define CSF_MARK_TIME		0x0001	/* timestamp: @value, @at, maybe @count cycles */
#define CSF_MARK_CYCLES		0x0002	/* cycle count: @count, @at */
#define CSF_MARK_EVENT		0x0004	/* @value: bit n is event n */
#define CSF_MARK_ITE		0x0008	/* instrumentation: @value, of level @count */
#define CSF_MARK_MARKER		0x0010	/* timestamp marker */
#define CSF_MARK_SOURCE		0x0020	/* source address @value; @count steps belong to it */
#define CSF_MARK_WALK		0x0040	/* walk to a return address, @value; @count steps */
#define CSF_MARK_Q		0x0080	/* Q, path known: @value instructions, @count steps */
#define CSF_MARK_ERET		0x0100	/* exception return packet (ETMv4) */
#define CSF_MARK_RETURN		0x0200	/* function return packet (M profile) */
#define CSF_MARK_SAME		0x0400	/* context packet that says "unchanged" */
#define CSF_MARK_INFO		0x0800	/* trace info packet */
#define CSF_MARK_PACKET		0x1000	/* a packet that steps or the end result from */
#define CSF_MARK_DATA		0x2000	/* data access: csf_run.access[@value], @at */
#define CSF_MARK_COND		0x4000	/* conditional instruction (ETMv4): see CSF_MARK_PASSED */
#define CSF_MARK_DEFAULT	0x03ff

/* struct csf_mark.flags */
#define CSF_MARK_HAS_COUNT	0x01	/* TIME: @count is valid */
#define CSF_MARK_UNKNOWN	0x02	/* CYCLES: unknown count; TIME: unknown time, @value 0 */
#define CSF_MARK_EARLY		0x04	/* TIME: belongs to something before decode began */
#define CSF_MARK_PASSED		0x0010	/* COND: it was executed */
#define CSF_MARK_FAILED		0x0020	/* COND: its condition was not met */
#define CSF_MARK_APSR		0x0040	/* COND: bits 11:8 are N, Z, C, V, with V in bit 8 */
#define CSF_MARK_NO_RESULT	0x0080	/* COND: no result came for it */
#define CSF_MARK_NO_INSN	0x1000	/* COND: a result with the key @count, but no instruction */
#define CSF_MARK_BAD_KEY	0x2000	/* COND: the trace unit does not have such a key */
#define CSF_MARK_LOST		0x4000	/* COND: @count of them, more than can be remembered */
#define CSF_MARK_APSR_SHIFT	8

/**
 * struct csf_mark - something that happened along a run
 * @seq: number of steps before it, counted from the start of decode
 * @offset: offset of its packet, in bytes fed to the decoder
 * @value: depends on @kind, see CSF_MARK_x; COND: address from which the block of the instruction
 *         was executed, with bit 0 set in T32; 0: not known
 * @at: TIME, CYCLES, DATA: number of steps from the start of decode up to the moment that it
 *      describes; COND: up to the block of the instruction
 * @count: depends on @kind; COND: number of traced conditional instructions before it in its block
 * @kind: one CSF_MARK_x
 * @flags: CSF_MARK_HAS_COUNT and the flags after it
 */
struct csf_mark {
	uint64_t seq;
	uint64_t offset;
	uint64_t value;
	uint64_t at;
	uint32_t count;
	uint16_t kind;
	uint16_t flags;
};

/**
 * enum csf_end_kind - why a run ends
 * @CSF_END_FULL: nothing happened: the run has no room for more steps.  If the run has timestamps,
 *                it ends after the last one, and the steps after that begin the next run
 * @CSF_END_CONTEXT: csf_run.to is the context from here on.  This is the time to call
 *                   csf_set_space()
 * @CSF_END_EXCEPTION: @value: exception type; @addr: preferred return address; see CSF_EXC_x
 * @CSF_END_TRANSACTION: @value: enum csf_transaction
 * @CSF_END_Q: execution went from @from to @addr by an unknown path of @value instructions; 0: the
 *             number is unknown
 * @CSF_END_GAP: something is missing; @value: enum csf_gap
 * @CSF_END_TIME: a timestamp (the last mark of the run) has reached the limit of csf_set_time()
 * @CSF_END_TRACE: csf_end() was called, and all bytes fed before it are used up
 * @CSF_END_CODE: execution goes on at @addr, where there is no code: see csf_ask_code()
 */
enum csf_end_kind {
	CSF_END_FULL,
	CSF_END_CONTEXT,
	CSF_END_EXCEPTION,
	CSF_END_TRANSACTION,
	CSF_END_Q,
	CSF_END_GAP,
	CSF_END_TIME,
	CSF_END_TRACE,
	CSF_END_CODE,
};

/* csf_run.flags with CSF_END_EXCEPTION */
#define CSF_EXC_TARGET		0x01	/* @addr is also the target of the branch before it */
#define CSF_EXC_INSIDE		0x02	/* @addr is inside the last instruction, which is T32 */
#define CSF_EXC_UNRELIABLE	0x04	/* imprecise SError, debug halt: @addr may be wrong */
#define CSF_EXC_NO_ADDR		0x08	/* PE reset, M-profile tail chain: there is no address */
#define CSF_EXC_FAULT_PENDING	0x10	/* M profile: a serious fault is pending */

/**
 * enum csf_exception_kind - the kind of an exception, the same for all protocols
 * @CSF_EXC_KIND_OTHER: none of these, or the trace does not tell
 * @CSF_EXC_KIND_CALL: SVC, HVC, SMC
 * @CSF_EXC_KIND_TRAP: an instruction that is undefined or trapped
 * @CSF_EXC_KIND_INSN: a fault of an instruction fetch; @CSF_EXC_KIND_DATA: of a data access
 * @CSF_EXC_KIND_FIQ: also the NMI of M profile
 *
 * RESET, HALT (debug), SERROR, IRQ and FIQ are asynchronous.
 */
enum csf_exception_kind {
	CSF_EXC_KIND_OTHER,
	CSF_EXC_KIND_RESET,
	CSF_EXC_KIND_HALT,
	CSF_EXC_KIND_CALL,
	CSF_EXC_KIND_TRAP,
	CSF_EXC_KIND_INSN,
	CSF_EXC_KIND_DATA,
	CSF_EXC_KIND_SERROR,
	CSF_EXC_KIND_IRQ,
	CSF_EXC_KIND_FIQ,
	CSF_EXC_KIND_NR
};

/* csf_run.flags with CSF_END_CONTEXT */
#define CSF_CONTEXT_IS1		0x01	/* AArch32: T32, if an address said so */
/* csf_run.flags with CSF_END_GAP */
#define CSF_GAP_MORE		0x01	/* more of the gap before: add @lost and @bytes to it */
#define CSF_GAP_GOES_ON		0x02	/* only a packet is wrong: execution goes on */
#define CSF_GAP_RETURN		0x04	/* CSF_GAP_IMAGE: a return to code that was missing */
#define CSF_GAP_NOT_TAKEN	0x08	/* CSF_GAP_WALK: an N atom contradicts the code */

enum csf_transaction {
	CSF_TRANS_INIT,		/* trace starts, or restarts, inside a transaction */
	CSF_TRANS_START,
	CSF_TRANS_COMMIT,
	CSF_TRANS_FAIL,		/* the steps since the start did not happen */
};

/**
 * enum csf_gap - why something is missing
 * @CSF_GAP_START: bytes before the first A-sync
 * @CSF_GAP_OFF: Trace On: tracing was off: filtered out, prohibited, or not yet on
 * @CSF_GAP_OVERFLOW: the trace unit overflowed
 * @CSF_GAP_DISCARD: the trace unit discarded what was uncommitted, and stopped
 * @CSF_GAP_PACKET: a reserved or malformed packet: decode skips to the next A-sync; or an exception
 *                  or Q without its address: decode skips to the next address
 * @CSF_GAP_CUT: a packet cut off by an A-sync or the end of trace
 * @CSF_GAP_IMAGE: no code at @addr: decode skips to the next address.  With CSF_GAP_RETURN: a
 *                 return without an address, with the return stack empty because code was missing
 *                 before and its calls are not known: @addr is 0
 * @CSF_GAP_ADDRESS: P0 elements came, but the trace never gave an address
 * @CSF_GAP_STACK: a return without an address, with the return stack empty although no code was
 *                 missing since the trace unit emptied its own
 * @CSF_GAP_WALK: execution cannot have gone from @from to the address that the trace names, or not
 *                through this code, or not within 1,024 steps: the code is not what ran, or the
 *                trace is damaged.  With CSF_GAP_NOT_TAKEN: the instruction at @addr, the last of
 *                the block at @from, is always taken, but the trace says that it was not
 * @CSF_GAP_SPECULATION: P0 elements were still uncommitted at the end, or more were committed or
 *                       cancelled than there were
 * @CSF_GAP_BREAK: the input was broken off: csf_break(), or a barrier frame
 */
enum csf_gap {
	CSF_GAP_START,
	CSF_GAP_OFF,
	CSF_GAP_OVERFLOW,
	CSF_GAP_DISCARD,
	CSF_GAP_PACKET,
	CSF_GAP_CUT,
	CSF_GAP_IMAGE,
	CSF_GAP_ADDRESS,
	CSF_GAP_STACK,
	CSF_GAP_WALK,
	CSF_GAP_SPECULATION,
	CSF_GAP_BREAK,
	CSF_GAP_NR
};

/*
 * Names, as listings and JSON have them: "image" for CSF_GAP_IMAGE, "branch" for CSF_INSN_BRANCH,
 * and so on; "unknown" for other values.  They are constant.
 */
CSF_API const char *csf_gap_name(enum csf_gap gap);
CSF_API const char *csf_end_name(enum csf_end_kind end);
CSF_API const char *csf_mark_name(uint32_t mark);	/* of a single CSF_MARK_x */
CSF_API const char *csf_transaction_name(enum csf_transaction transaction);
CSF_API const char *csf_insn_kind_name(enum csf_insn_kind kind);
CSF_API const char *csf_isa_name(enum csf_isa isa);
CSF_API const char *csf_security_name(enum csf_security security);
CSF_API const char *csf_profile_name(enum csf_profile profile);

/**
 * struct csf_run - blocks executed one after the other, and the event that ended them
 * @step: @n steps: each is block number << 1 | taken, or CSF_PATH | path number
 * @mark: @n_mark marks, in the order of the trace
 * @n: number of steps; may be 0
 * @n_mark: number of marks; may be 0
 * @n_ran: number of steps, with each path counted as the steps that it is made of
 * @seq: number of steps before this run
 * @context: context of the steps
 * @to: CSF_END_CONTEXT: the new context
 * @space: address space of the steps, as csf_set_space() chose it
 * @time: the time of maps, as csf_set_time() chose it
 * @in_transaction: the steps are inside a transaction
 * @end: enum csf_end_kind
 * @flags: depend on @end: CSF_EXC_x, CSF_CONTEXT_IS1, or CSF_GAP_MORE and the flags after it
 * @value: depends on @end, see enum csf_end_kind
 * @addr: an address that depends on @end, see enum csf_end_kind.  For CSF_END_CONTEXT,
 *        CSF_END_TRACE, and gaps that the trace unit or the input makes, such as CSF_GAP_OFF: where
 *        execution goes on, 0: not known
 * @from: CSF_END_Q, CSF_GAP_WALK: where execution was last known to be; CSF_END_EXCEPTION: the
 *        address that execution had reached, 0: not known.  Unlike @addr, it does not come from the
 *        exception packet, which may be unreliable
 * @lost: CSF_END_GAP: number of P0 elements that are lost
 * @bytes: CSF_END_GAP: number of trace bytes that were skipped
 * @offset: offset of the packet of @end, in bytes fed to the decoder
 * @access: the data accesses that marks CSF_MARK_DATA name; NULL: they are not asked for, or the
 *          trace unit traces none
 *
 * The decoder owns the arrays.  They stay valid until the next csf_next(), csf_feed(), csf_reset()
 * or csf_set_threads().
 */
struct csf_run {
	const uint32_t *step;
	const struct csf_mark *mark;
	size_t n;
	size_t n_mark;
	uint64_t n_ran;
	uint64_t seq;
	struct csf_context context;
	struct csf_context to;
	int space;
	uint64_t time;
	bool in_transaction;
	uint8_t end;
	uint16_t flags;
	uint64_t value;
	uint64_t addr;
	uint64_t from;
	uint64_t lost;
	uint64_t bytes;
	uint64_t offset;
	const struct csf_access *access;
};

/* Does @run end with a gap, other than more of the gap before?  Use it to count gaps. */
static inline bool csf_run_is_gap(const struct csf_run *run)
{
	return run->end == CSF_END_GAP && !(run->flags & CSF_GAP_MORE);
}

/**
 * csf_new() - create a decoder of one trace stream
 * @config: copied
 * @image: borrowed, must live as long as the decoder
 *
 * Return: 0; CSF_ERR_CONFIG: csf_config_problem() says why, or it is a source of messages;
 * CSF_ERR_MEMORY.
 */
CSF_API int csf_new(struct csf_decoder **dec, const struct csf_config *config,
		    struct csf_image *image);

/* Frees a decoder and the arrays of its last run.  NULL is fine. */
CSF_API void csf_free(struct csf_decoder *dec);

/**
 * csf_feed() - hand the decoder the next bytes of its trace
 * @trace: borrowed until csf_next() returns 0
 * @n: number of bytes; a stream may be split anywhere, even inside a packet; 0: only check whether
 *     the decoder may be fed
 *
 * The decoder holds back the last few bytes until more are fed or csf_end() is called.
 *
 * Return: 0; CSF_ERR_ARG if the bytes fed before are not used up.
 */
CSF_API int csf_feed(struct csf_decoder *dec, const void *trace, size_t n);

/**
 * csf_flush() - decode the bytes that are held back
 * @whole: decode all whole packets; otherwise only those that later bytes cannot change.  If the
 *         bytes fed end with zeros, these zeros may be the start of an A-sync, which cuts off the
 *         packet that they seem to belong to
 *
 * For a caller that does not know whether more bytes will come.  Call it right after csf_feed(), or
 * when csf_next() has returned 0.  It holds until the next csf_feed(), which goes on as if there
 * had been no flush: bytes that were not a whole packet are still there.
 *
 * Return: 0; CSF_ERR_ARG after csf_end(), and possibly while the bytes fed are not used up.
 */
CSF_API int csf_flush(struct csf_decoder *dec, bool whole);

/**
 * csf_commit() - treat P0 elements that are not committed yet as executed
 *
 * P0 elements that the trace unit might still cancel are decoded now; later packets about them are
 * ignored.  After csf_end(), this holds for all that are left when the bytes are used up.
 *
 * Return: number of P0 elements that are uncommitted at the time of the call; CSF_ERR_ARG if the
 * bytes fed before are not used up.
 */
CSF_API long csf_commit(struct csf_decoder *dec);

/*
 * Says that no more bytes follow: the bytes held back are decoded, and an incomplete packet or
 * uncommitted P0 elements are gaps.  May be called before the bytes fed are used up.  After
 * CSF_END_TRACE the decoder may be fed again; it then waits for an A-sync.
 *
 * Return: 0; CSF_ERR_ARG if it was called before and CSF_END_TRACE has not come yet.
 */
CSF_API int csf_end(struct csf_decoder *dec);

/*
 * As csf_end(), but the run ends with a gap, CSF_GAP_BREAK, in place of CSF_END_TRACE: more trace
 * follows, which does not continue what was fed before.
 */
CSF_API int csf_break(struct csf_decoder *dec);

/*
 * Makes the decoder as new: bytes not used up are dropped, and offsets and step numbers start again
 * at 0.
 */
CSF_API void csf_reset(struct csf_decoder *dec);

/**
 * csf_next() - the next run
 * @run: filled in; its arrays belong to the decoder, see struct csf_run
 *
 * Return: 1 and a run; 0 when the bytes fed are used up: feed more, or stop; CSF_ERR_MEMORY, after
 * which only csf_reset() and csf_free() may be called.
 */
CSF_API int csf_next(struct csf_decoder *dec, struct csf_run *run);

/*
 * Sets the address space for all that is decoded from now on; initially CSF_SPACE_ALL.  A number
 * that is no space of the image has no effect.
 */
CSF_API void csf_set_space(struct csf_decoder *dec, int space);

/**
 * csf_set_time() - choose the maps that are valid from now on
 * @time: time in the unit of csf_map_span()
 * @limit: a timestamp >= @limit in the trace ends a run with CSF_END_TIME; 0: no limit
 */
CSF_API void csf_set_time(struct csf_decoder *dec, uint64_t time, uint64_t limit);

/**
 * csf_ask_code() - report missing code before it becomes a gap
 * @ask: end a run with CSF_END_CODE where an atom needs code and there is none.  The next
 *       csf_next() looks again: by then the caller may have mapped the code, or chosen another
 *       space or time
 *
 * csf_reset() does not change this.  Initially false.
 */
CSF_API void csf_ask_code(struct csf_decoder *dec, bool ask);

/**
 * csf_ask_paths() - report many steps as one
 * @ask: report steps that were executed in this order before as one path, see csf_path().  This is
 *       for counting: count paths, and at the end add each count to the steps of its path
 *
 * csf_run.seq, csf_mark.seq and csf_mark.at still count steps.  Which steps become paths is not
 * specified; some recordings have no paths, such as those with a return stack or speculation.  Not
 * for use with csf_elements_run(), which needs steps.
 *
 * csf_reset() does not change this.  Initially false.
 *
 * Return: 0, CSF_ERR_MEMORY.
 */
CSF_API int csf_ask_paths(struct csf_decoder *dec, bool ask);

/**
 * csf_next_time() - look ahead for timestamps
 * @bound: look for the first timestamp above this
 * @last: set to the last timestamp before that one; 0 if there is none
 * @above: set to the first timestamp above @bound; 0 if there is none
 *
 * Timestamps are in the unit of the trace.  This reads packets, not code, of the bytes that were
 * fed and are not used up.  The steps up to a timestamp were executed before it.  With the maps
 * that are valid at that timestamp they are decoded correctly; with those of the timestamp before,
 * possibly not.
 *
 * Return: 1: @above was found; 0: the bytes fed end before it; CSF_ERR_MEMORY.
 */
CSF_API int csf_next_time(struct csf_decoder *dec, uint64_t bound, uint64_t *last,
			  uint64_t *above);

/*
 * The kind of the exception that has the number @type in the protocol of @dec, such as
 * csf_run.value with CSF_END_EXCEPTION.
 */
CSF_API enum csf_exception_kind csf_exception_kind(const struct csf_decoder *dec, uint32_t type);

/*
 * The address of the first instruction of block @number, in the space and at the time of @run; 0:
 * there is no such block.
 */
CSF_API uint64_t csf_block_addr(struct csf_decoder *dec, const struct csf_run *run,
				uint32_t number);

/**
 * struct csf_stats - counts since csf_new() or csf_reset()
 * @bytes: trace bytes decoded or skipped
 * @skipped: those of @bytes that are in gaps
 * @packets: whole packets in sync; @async: those that are A-syncs
 * @atoms: atoms, committed or not; @p0: P0 elements, atoms included
 * @steps: steps reported by csf_next()
 * @lost: P0 elements in gaps
 * @gaps: gaps by reason; those with CSF_GAP_MORE are not counted
 * @lost_by: P0 elements lost, by reason
 * @skipped_by: bytes skipped, by reason
 * @accesses: with CSF_MARK_DATA: data accesses reported
 * @data_lost: likewise: those with CSF_ACCESS_LOST
 */
struct csf_stats {
	size_t size;
	uint64_t bytes, skipped;
	uint64_t packets, async;
	uint64_t atoms, p0;
	uint64_t steps;
	uint64_t lost;
	uint64_t gaps[CSF_GAP_NR];
	uint64_t lost_by[CSF_GAP_NR];
	uint64_t skipped_by[CSF_GAP_NR];
	uint64_t accesses, data_lost;
};

/* @stats->size is the caller's sizeof; only that much is filled in. */
CSF_API void csf_stats(const struct csf_decoder *dec, struct csf_stats *stats);

/* ---------------------------------------------------------------- threads */

#include "csflow-threads.h"

/* ---------------------------------------------------------------- frames */

#include "csflow-frame.h"

/* ---------------------------------------------------------------- packets */

#include "csflow-packet.h"

/* ---------------------------------------------------------------- messages */

#include "csflow-message.h"

#include "csflow-stp.h"

/* ---------------------------------------------------------------- protocols of the caller */

#include "csflow-reader.h"

/* ---------------------------------------------------------------- reports */

#include "csflow-report.h"

/* ---------------------------------------------------------------- generic trace elements */

#include "csflow-element.h"

#ifdef __cplusplus
}
#endif

#endif /* CSFLOW_H */
