/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * csflow - decoder of Arm CoreSight instruction trace (ETE, ETMv4)
 *
 * Trace bytes and program code in, executed blocks out:
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
 * Calls return >= 0, or a negative enum csf_error when the call itself is at
 * fault.  What the trace does wrong is never an error: it comes as a gap, and
 * the next csf_next() carries on behind it.
 *
 * A decoder, and a csf_frames, is used by one thread at a time.  An image may be shared by all.
 * csf_set_threads() has several threads decode one stream.
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
 * enum csf_error - what a call can fail with; every one is negative
 * @CSF_ERR_ARG: the call itself is wrong, e.g. feed before next returned 0
 * @CSF_ERR_CONFIG: a size or register value this version does not know
 * @CSF_ERR_MEMORY: no memory
 */
enum csf_error {
	CSF_ERR_ARG	= -1,
	CSF_ERR_CONFIG	= -2,
	CSF_ERR_MEMORY	= -3,
};

CSF_API const char *csf_strerror(int err);

/* After CSF_ERR_MEMORY: bytes of the table that there was no room for, the last time; 0: none. */
CSF_API uint64_t csf_no_memory(void);
CSF_API const char *csf_version(void);

/* ---------------------------------------------------------------- configuration */

enum csf_profile { CSF_PROFILE_A, CSF_PROFILE_R, CSF_PROFILE_M };

/**
 * enum csf_protocol - what a trace source sends
 * @CSF_PROTOCOL_TOLD: the registers tell; or it is not known
 *
 * ETMv4 and ETE are decoded.  The others have a name here, so that all parts of a program can
 * speak of a source that they cannot decode.
 */
enum csf_protocol {
	CSF_PROTOCOL_TOLD,
	CSF_PROTOCOL_ETM4,
	CSF_PROTOCOL_ETE,
	CSF_PROTOCOL_ETM3,
	CSF_PROTOCOL_PTM,
	CSF_PROTOCOL_ITM,
	CSF_PROTOCOL_STM,
	CSF_PROTOCOL_NR
};

/* "ETMv4", "ETE" and so on; "unknown" for CSF_PROTOCOL_TOLD and what is none. */
CSF_API const char *csf_protocol_name(enum csf_protocol protocol);

/**
 * struct csf_config - how the trace unit was built and programmed
 * @size: sizeof(struct csf_config) where the caller was compiled
 * @trcidr0: TRCIDR0; and so on: the trace unit's registers of these names
 * @trcdevarch: TRCDEVARCH; if it names ETE or ETMv4 it decides the version, else TRCIDR1 does
 * @profile: enum csf_profile of the processor
 * @marks: kinds of marks wanted, CSF_MARK_x or-ed; 0: CSF_MARK_DEFAULT
 * @run_max: most steps in a run, 1..; 0: the library chooses
 * @without: CSF_WITHOUT_x or-ed, of csflow-debug.h
 * @protocol: enum csf_protocol; if it is given it must be what the registers say
 *
 * Zero in any field is a valid default.  Fields are only ever added at the end;
 * bytes the library does not know must be zero, or it says CSF_ERR_CONFIG.
 *
 * Source: ARM IHI 0064 chapter 7, ARM DDI 0487 part D "ETE".
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
};

/**
 * csf_config_problem() - the field of a configuration that is at fault, and why
 *
 * Return: NULL: csf_new() takes it; else a text like ".size: want sizeof(struct csf_config)",
 * which is constant.
 */
CSF_API const char *csf_config_problem(const struct csf_config *config);

/**
 * csf_config_protocol() - the protocol of a configuration
 *
 * Return: CSF_PROTOCOL_ETM4 or CSF_PROTOCOL_ETE; CSF_ERR_CONFIG if csf_new() would refuse it.
 */
CSF_API int csf_config_protocol(const struct csf_config *config);

/**
 * csf_config_version() - the architecture version a configuration stands for
 *
 * Return: 0x4n for ETMv4.n, 0x5n for ETE 1.n; CSF_ERR_CONFIG if it is neither.
 */
CSF_API int csf_config_version(const struct csf_config *config);

/* ---------------------------------------------------------------- instructions */

enum csf_isa { CSF_A64, CSF_A32, CSF_T32 };

/**
 * enum csf_insn_kind - what an instruction means to instruction trace
 * @CSF_INSN_OTHER: nothing: execution goes on behind it
 * @CSF_INSN_BRANCH: direct branch
 * @CSF_INSN_INDIRECT: branch whose target only the trace knows
 * @CSF_INSN_ISB: instruction synchronisation barrier
 * @CSF_INSN_WFX: WFI, WFE, WFIT, WFET
 * @CSF_INSN_TSTART: start of a transaction
 * @CSF_INSN_LOAD: load, or load and store
 * @CSF_INSN_STORE: store
 * @CSF_INSN_BARRIER: DSB, DMB
 * @CSF_INSN_EXCEPTION: SVC, HVC, SMC, TENTER: takes no atom, an exception packet follows
 */
enum csf_insn_kind {
	CSF_INSN_OTHER,
	CSF_INSN_BRANCH,
	CSF_INSN_INDIRECT,
	CSF_INSN_ISB,
	CSF_INSN_WFX,
	CSF_INSN_TSTART,
	CSF_INSN_LOAD,
	CSF_INSN_STORE,
	CSF_INSN_BARRIER,
	CSF_INSN_EXCEPTION,
};

/* struct csf_insn.flags and struct csf_block.flags */
#define CSF_FLAG_P0	0x01	/* takes an atom under the given rule */
#define CSF_FLAG_COND	0x02	/* may not be taken; in T32, not by reason of IT */
#define CSF_FLAG_LINK	0x04	/* pushes the return stack */
#define CSF_FLAG_RET	0x08	/* a return by its form (RET, BX LR, POP {pc}) */
#define CSF_FLAG_ERET	0x10	/* an exception return */
#define CSF_FLAG_SVC	0x20	/* CSF_INSN_EXCEPTION: it is SVC, not HVC or SMC */
#define CSF_FLAG_CUT	0x40	/* blocks: part of a block, takes no atom */

/* Which instructions take an atom besides branches, ISB and TSTART: csf_insn()'s @rule */
#define CSF_RULE_WFX	0x01	/* WFI and its relatives: TRCIDR2.WFXMODE */
#define CSF_RULE_LOAD	0x02	/* loads: TRCCONFIGR.INSTP0 */
#define CSF_RULE_STORE	0x04	/* stores */
#define CSF_RULE_M	0x08	/* M profile: loop and branch future instructions exist */

/**
 * struct csf_insn - one instruction, classified
 * @target: CSF_INSN_BRANCH: where it goes when taken
 * @kind: enum csf_insn_kind
 * @flags: CSF_FLAG_x
 * @size: bytes, 2 or 4
 * @target_isa: enum csf_isa at @target
 */
struct csf_insn {
	uint64_t target;
	uint8_t kind;
	uint8_t flags;
	uint8_t size;
	uint8_t target_isa;
};

/**
 * csf_insn() - classify an instruction
 * @insn: the answer
 * @opcode: A64, A32: the word; T32: the halfword, or first halfword << 16 | second
 * @pc: its address
 * @isa: enum csf_isa
 * @rule: CSF_RULE_x or-ed
 *
 * Source: ARM DDI 0487, chapters C4 and F3, F4; ARM DDI 0553 for M profile.
 */
CSF_API void csf_insn(struct csf_insn *insn, uint32_t opcode, uint64_t pc, enum csf_isa isa,
		      uint32_t rule);

/* ---------------------------------------------------------------- image */

/*
 * The space whose maps every other space sees, behind its own: the kernel's.  But see
 * csf_space_alone().
 */
#define CSF_SPACE_ALL	0

/**
 * typedef csf_read_fn - read code of a section
 * @context: as given to csf_section_read()
 * @offset: in the section
 * @buf: to fill; bytes are in memory order, opcodes little-endian
 * @n: bytes wanted
 *
 * Return: bytes read; fewer than @n only where code ends; 0: no code at @offset.
 */
typedef size_t (*csf_read_fn)(void *context, uint64_t offset, void *buf, size_t n);

/**
 * typedef csf_insn_fn - a classifier in place of csf_insn()
 * @context: as given to csf_image_classifier(); the rest as in csf_insn()
 */
typedef void (*csf_insn_fn)(void *context, struct csf_insn *insn, uint32_t opcode, uint64_t pc,
			    enum csf_isa isa, uint32_t rule);

/*
 * An image: sections of code (the bytes of a program, a library, a page of JIT
 * code), and which of them is mapped where, in which address space, when.
 * Code is decoded once, however many spaces map the same part of its section.
 *
 * Code that changed is a new section: map that one from then on.  The library
 * never looks at a byte of a section twice, so whoever changes code must do
 * this; csf_section_stale() is for when it must be forgotten at once.
 */
CSF_API int csf_image_new(struct csf_image **image);
CSF_API void csf_image_free(struct csf_image *image);

/* Before the first section.  @fn must be pure; NULL: csf_insn(). */
CSF_API void csf_image_classifier(struct csf_image *image, csf_insn_fn fn, void *context);

/**
 * csf_section_bytes() - a section whose code is in memory
 * @code: borrowed: must stay, unchanged, as long as the image
 *
 * Return: number of the section, > 0; or CSF_ERR_ARG (@n is 0 or over 4 GiB), CSF_ERR_MEMORY.
 */
CSF_API int csf_section_bytes(struct csf_image *image, const void *code, size_t n);

/**
 * csf_section_read() - a section whose code is read when first needed
 * @n: size of the section, up to 4 GiB
 * @fn: called at most once for each byte, by whichever thread needs it, under a lock
 *
 * Return: as csf_section_bytes().
 */
CSF_API int csf_section_read(struct csf_image *image, uint64_t n, csf_read_fn fn, void *context);

/**
 * typedef csf_whole_fn - all code of a section, where it lies
 * @context: as given to csf_section_read()
 * @code: set to the first byte; borrowed: all must stay, unchanged, as long as the image, or up to
 *        csf_section_stale()
 *
 * Return: bytes there are; fewer than the section has only where code ends; 0: they are not to be
 * had at once.
 */
typedef size_t (*csf_whole_fn)(void *context, const void **code);

/**
 * csf_section_whole() - code that need not be read
 * @section: of csf_section_read(), before any of its code was needed
 * @fn: called once, under a lock, when code is first needed, and again behind csf_section_stale();
 *      where it has none the code is read.  NULL, as at first: it is read.
 *
 * For code in memory that is not known, or not worth a look, before it is needed: no page of it is
 * copied, and threads need not stop where they come to one that nobody has read.
 *
 * Return: 0; or CSF_ERR_ARG: @section is of another kind.
 */
CSF_API int csf_section_whole(struct csf_image *image, int section, csf_whole_fn fn);

/* Forget what was decoded of @section: its code is read again when next needed. */
CSF_API int csf_section_stale(struct csf_image *image, int section);

/**
 * typedef csf_page_fn - code is wanted where nothing is mapped
 * @context: as given to csf_image_pager()
 * @space: address space
 * @addr: of the code
 *
 * May map something with csf_map_more().
 *
 * Return: whether it did.
 */
typedef bool (*csf_page_fn)(void *context, int space, uint64_t addr);

/* @fn is called, without a lock, by whichever thread decodes.  NULL, as at first: nobody is. */
CSF_API void csf_image_pager(struct csf_image *image, csf_page_fn fn, void *context);

/* A new address space.  Return: its number, > 0; or CSF_ERR_MEMORY. */
CSF_API int csf_space_new(struct csf_image *image);

/* As csf_space_new(), but CSF_SPACE_ALL is not seen in it: of a guest, which has another kernel. */
CSF_API int csf_space_alone(struct csf_image *image);

/**
 * csf_map() - map part of a section
 * @space: address space, or CSF_SPACE_ALL
 * @addr: first address; @addr - @offset must be a multiple of 4
 * @n: bytes, up to the end of the section
 * @section: the section
 * @offset: of the first byte in the section
 *
 * Code ends where what is seen of the section ends: execution goes on in what
 * is mapped there.  Parts of one section that lie side by side are one piece.
 *
 * Takes the place of whatever the space had mapped there.  A section has one
 * place in a space: bytes that are mapped twice there need two sections.
 *
 * Return: 0, CSF_ERR_ARG, CSF_ERR_MEMORY.
 */
CSF_API int csf_map(struct csf_image *image, int space, uint64_t addr, uint64_t n, int section,
		    uint64_t offset);

/**
 * csf_map_more() - as csf_map(), where nothing is mapped in the space
 *
 * For a pager: what decoders remember stays good.
 *
 * Return: as csf_map(); CSF_ERR_ARG also if something is mapped there, at any time.
 */
CSF_API int csf_map_more(struct csf_image *image, int space, uint64_t addr, uint64_t n,
			 int section, uint64_t offset);

/*
 * As csf_map(), valid for times @from up to but not including @until, UINT64_MAX: for ever; see
 * csf_set_time().
 */
CSF_API int csf_map_span(struct csf_image *image, int space, uint64_t addr, uint64_t n,
			 int section, uint64_t offset, uint64_t from, uint64_t until);

/* What @space had mapped there is gone. */
CSF_API int csf_unmap(struct csf_image *image, int space, uint64_t addr, uint64_t n);

/**
 * csf_image_find() - what is mapped at an address
 * @base: address of offset 0 of the section in this space; may be NULL
 *
 * Return: number of the section, 0 if nothing is mapped there.
 */
CSF_API int csf_image_find(struct csf_image *image, int space, uint64_t addr, uint64_t time,
			   uint64_t *base);

/* Reads code.  Return: bytes read, fewer than @n at the end of what is mapped or known. */
CSF_API size_t csf_image_read(struct csf_image *image, int space, uint64_t addr, uint64_t time,
			      void *buf, size_t n);

/**
 * struct csf_block - instructions executed one after the other
 * @offset: of the first instruction, in @section
 * @target: CSF_INSN_BRANCH: offset of the target in @section; may lie outside it
 * @section: number of the section
 * @size: bytes
 * @n_insn: instructions, 1..1024
 * @kind: enum csf_insn_kind of the last instruction
 * @flags: CSF_FLAG_x of the last instruction; CSF_FLAG_CUT
 * @last_size: bytes of the last instruction, 2 or 4
 * @isa: enum csf_isa
 * @target_isa: enum csf_isa at @target
 *
 * A block ends with the first instruction that takes an atom.  Where execution
 * or code stops earlier the part is a block too, a cut one: it takes no atom
 * and is never taken.
 */
struct csf_block {
	int64_t offset;
	int64_t target;
	uint32_t section;
	uint32_t size;
	uint16_t n_insn;
	uint8_t kind;
	uint8_t flags;
	uint8_t last_size;
	uint8_t isa;
	uint8_t target_isa;
};

/*
 * Block numbers are dense, from 1.  They mean nothing outside this image: never store,
 * sort or print one.
 */
CSF_API uint32_t csf_block_count(const struct csf_image *image);

/* Return: 0; CSF_ERR_ARG: there is no block of this number, and @block is zeroed. */
CSF_API int csf_block(const struct csf_image *image, uint32_t number, struct csf_block *block);

/* The parts of a step, see csf_run.step.  Those of a path are in csf_path(). */
static inline uint32_t csf_step_block(uint32_t step)
{
	return step >> 1;
}

static inline bool csf_step_taken(uint32_t step)
{
	return step & 1;
}

/*
 * Paths: steps that are made one behind the other again and again, handed out as one to whom
 * asks for that with csf_ask_paths().  Their numbers are dense, from 1, and mean nothing outside
 * this image.
 */
#define CSF_PATH	0x80000000u	/* csf_run.step: a path, of the number in the other bits */

static inline bool csf_step_is_path(uint32_t step)
{
	return step & CSF_PATH;
}

CSF_API uint32_t csf_path_count(const struct csf_image *image);

/**
 * csf_path() - the steps of a path
 * @step: as in csf_run.step, or a number
 * @steps: its steps, none of which is a path; they hold as long as the image
 *
 * Return: how many; 0: there is no such path.
 */
CSF_API size_t csf_path(const struct csf_image *image, uint32_t step, const uint32_t **steps);

/* ---------------------------------------------------------------- decoder */

enum csf_security { CSF_SECURE, CSF_NONSECURE, CSF_ROOT, CSF_REALM };

/**
 * struct csf_context - what the processor was executing as
 * @contextid: CONTEXTIDR_EL1, if @has_contextid
 * @vmid: VMID, or CONTEXTIDR_EL2 with TRCCONFIGR.VMIDOPT, if @has_vmid
 * @el: exception level, 0..3
 * @security: enum csf_security
 * @bits64: AArch64
 * @known: anything at all is known: there has been a context packet
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
};

/* Kinds of marks: what happens along the way without changing how steps are read. */
#define CSF_MARK_TIME		0x0001	/* timestamp: @value, @at, maybe @count cycles */
#define CSF_MARK_CYCLES		0x0002	/* cycle count: @count, @at */
#define CSF_MARK_EVENT		0x0004	/* @value: bit n is event n */
#define CSF_MARK_ITE		0x0008	/* instrumentation: @value, of level @count */
#define CSF_MARK_MARKER		0x0010	/* timestamp marker */
#define CSF_MARK_SOURCE		0x0020	/* source address @value; @count steps are its */
#define CSF_MARK_WALK		0x0040	/* to a return address, @value; @count steps */
#define CSF_MARK_Q		0x0080	/* Q, path known: @value instructions, @count steps */
#define CSF_MARK_ERET		0x0100	/* exception return packet (ETMv4) */
#define CSF_MARK_RETURN		0x0200	/* function return packet (M profile) */
#define CSF_MARK_SAME		0x0400	/* context packet that says: unchanged */
#define CSF_MARK_INFO		0x0800	/* trace info packet */
#define CSF_MARK_PACKET		0x1000	/* a packet that steps or the end come from */
#define CSF_MARK_DEFAULT	0x03ff

/* struct csf_mark.flags */
#define CSF_MARK_HAS_COUNT	0x01	/* TIME: @count is there */
#define CSF_MARK_UNKNOWN	0x02	/* CYCLES: unknown count; TIME: 0, unknown time */
#define CSF_MARK_EARLY		0x04	/* TIME: belongs to something before decode began */

/**
 * struct csf_mark - something that happened along a run
 * @seq: steps before it, counted from the start of decode
 * @offset: of its packet, in bytes fed to the decoder
 * @value: by kind, see CSF_MARK_x
 * @at: TIME, CYCLES: number of steps, from the start, at the moment it speaks of
 * @count: by kind
 * @kind: one CSF_MARK_x
 * @flags: CSF_MARK_HAS_COUNT and its like
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
 * enum csf_end - why a run ends
 * @CSF_END_FULL: nothing happened: there is no room for more.  If there are marks of time it ends
 *                behind the last one, and what there is more begins the next run
 * @CSF_END_CONTEXT: from here on csf_run.to is the context.  The place to call csf_set_space()
 * @CSF_END_EXCEPTION: @value: exception type; @addr: preferred return address; see CSF_EXC_x
 * @CSF_END_TRANSACTION: @value: enum csf_transaction
 * @CSF_END_Q: @from to @addr by an unknown path; @value instructions, 0: unknown number
 * @CSF_END_GAP: something is missing: @value: enum csf_gap
 * @CSF_END_TIME: a timestamp (the last mark of the run) has reached the limit of csf_set_time()
 * @CSF_END_TRACE: csf_end() was called and everything before it is used up
 * @CSF_END_CODE: there is no code at @addr, where execution goes on: see csf_ask_code()
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
#define CSF_EXC_TARGET		0x01	/* @addr is also the target of the branch before */
#define CSF_EXC_INSIDE		0x02	/* @addr is inside the last instruction, of T32 */
#define CSF_EXC_UNRELIABLE	0x04	/* imprecise SError, debug halt: may be off */
#define CSF_EXC_NO_ADDR		0x08	/* PE reset, M-profile tail chain: there is no address */
#define CSF_EXC_FAULT_PENDING	0x10	/* M profile: a serious fault is pending */
/* csf_run.flags with CSF_END_CONTEXT */
#define CSF_CONTEXT_IS1		0x01	/* in AArch32: T32, if an address said so */
/* csf_run.flags with CSF_END_GAP */
#define CSF_GAP_MORE		0x01	/* more of the gap before: adds to its @lost, @bytes */
#define CSF_GAP_GOES_ON		0x02	/* only a packet is wrong: execution goes on */
#define CSF_GAP_RETURN		0x04	/* CSF_GAP_IMAGE: a return to code that was missing */

enum csf_transaction {
	CSF_TRANS_INIT,		/* trace starts, or restarts, inside a transaction */
	CSF_TRANS_START,
	CSF_TRANS_COMMIT,
	CSF_TRANS_FAIL,		/* what ran since the start did not happen */
};

/**
 * enum csf_gap - why something is missing
 * @CSF_GAP_START: bytes before the first A-sync
 * @CSF_GAP_OFF: Trace On: tracing was off: filtered, prohibited, or not yet on
 * @CSF_GAP_OVERFLOW: the trace unit overflowed
 * @CSF_GAP_DISCARD: the trace unit discarded what was not sure, and stopped
 * @CSF_GAP_PACKET: reserved or malformed packet; skipped to the next A-sync; or an exception or Q
 *                  without its address: skipped to the next address
 * @CSF_GAP_CUT: a packet cut off by an A-sync or the end of trace
 * @CSF_GAP_IMAGE: no code at @addr; skipped to the next address.  With CSF_GAP_RETURN: a return
 *                 without an address, and the return stack is empty, because code was missing
 *                 before and its calls are not known: @addr is 0
 * @CSF_GAP_ADDRESS: P0 elements, but the trace never said where
 * @CSF_GAP_STACK: a return without an address, and the return stack is empty; no code was missing
 *                 since the trace unit emptied its own
 * @CSF_GAP_WALK: execution cannot have reached the address the trace names from @from, or not by
 *                this code, or not in 1,024 steps
 * @CSF_GAP_SPECULATION: P0 elements still uncommitted at the end; more committed or cancelled
 *                       than there were
 * @CSF_GAP_BREAK: the input was broken off: csf_break(), barrier frame
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
 * Names: "image" for CSF_GAP_IMAGE, "branch" for CSF_INSN_BRANCH and so on, as listings and JSON
 * have them; "unknown" for what is none.  They are constant.
 */
CSF_API const char *csf_gap_name(enum csf_gap gap);
CSF_API const char *csf_end_name(enum csf_end_kind end);
CSF_API const char *csf_mark_name(uint32_t mark);	/* of one CSF_MARK_x */
CSF_API const char *csf_transaction_name(enum csf_transaction transaction);
CSF_API const char *csf_insn_kind_name(enum csf_insn_kind kind);
CSF_API const char *csf_isa_name(enum csf_isa isa);
CSF_API const char *csf_security_name(enum csf_security security);
CSF_API const char *csf_profile_name(enum csf_profile profile);

/**
 * struct csf_run - blocks executed one after the other, then what ended that
 * @step: @n steps, each block number << 1 | taken; CSF_PATH or-ed to a number: a path
 * @mark: @n_mark marks, in the order of the trace
 * @n: steps; may be 0
 * @n_mark: marks; may be 0
 * @n_ran: steps, with all those of paths; a path of one step is as many as a step
 * @seq: steps before the first one of this run
 * @context: of the steps
 * @to: CSF_END_CONTEXT: the new context
 * @space: address space of the steps, as csf_set_space() chose it
 * @time: as csf_set_time() chose it
 * @in_transaction: the steps are inside a transaction
 * @end: enum csf_end_kind
 * @flags: of @end
 * @value: of @end
 * @addr: of @end: an address; CSF_END_CONTEXT, CSF_END_TRACE, and CSF_END_GAP with CSF_GAP_OFF or
 *        another that the trace unit or the input makes: where execution goes on, 0: not known
 * @from: of @end: CSF_END_Q, CSF_GAP_WALK: where execution was last known to be;
 *        CSF_END_EXCEPTION: where it had come to, 0: not known.  Unlike @addr it is not what the
 *        exception says, which may be unreliable
 * @lost: CSF_END_GAP: P0 elements that are lost
 * @bytes: CSF_END_GAP: bytes of trace that were skipped
 * @offset: of the packet of @end, in bytes fed to the decoder
 *
 * The decoder owns the arrays; they hold until the next call on the decoder.
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
};

/* Does @run end with a gap, and not with more of the one before?  So gaps are counted. */
static inline bool csf_run_is_gap(const struct csf_run *run)
{
	return run->end == CSF_END_GAP && !(run->flags & CSF_GAP_MORE);
}

/**
 * csf_new() - a decoder of one trace stream
 * @config: copied
 * @image: borrowed, must live as long as the decoder
 *
 * Return: 0, CSF_ERR_CONFIG (csf_config_problem() says why), CSF_ERR_MEMORY.
 */
CSF_API int csf_new(struct csf_decoder **dec, const struct csf_config *config,
		    struct csf_image *image);
CSF_API void csf_free(struct csf_decoder *dec);

/**
 * csf_feed() - hand the decoder the next bytes of its trace
 * @trace: borrowed until csf_next() returns 0
 * @n: any number; any split will do, even inside a packet; 0 asks whether it may be fed
 *
 * The last few bytes fed are held back until more come or csf_end().
 *
 * Return: 0, or CSF_ERR_ARG if the bytes fed before are not used up.
 */
CSF_API int csf_feed(struct csf_decoder *dec, const void *trace, size_t n);

/**
 * csf_flush() - do not hold back what was fed
 * @whole: all whole packets; else only those that no byte to come can change: the zeros at the
 *         end of a packet, and of what was fed, may be the first of an A-sync that cuts it off
 *
 * For when nobody knows whether more comes.  Right behind csf_feed(), or when csf_next() has
 * returned 0.  Holds until the next csf_feed(), which goes on as if nothing had been: what was
 * not a whole packet is still there.
 *
 * Return: 0; CSF_ERR_ARG behind csf_end(), and perhaps in the middle of what was fed.
 */
CSF_API int csf_flush(struct csf_decoder *dec, bool whole);

/**
 * csf_commit() - take what is not committed yet for what happened
 *
 * P0 elements that the trace unit might still cancel are decoded all the same; what the trace
 * says of them later is ignored.  Behind csf_end() this holds for all that is left when the bytes
 * are used up.
 *
 * Return: how many there are by now; CSF_ERR_ARG if the bytes fed before are not used up.
 */
CSF_API long csf_commit(struct csf_decoder *dec);

/*
 * No more bytes: what is held back is decoded; a packet that is not whole is a
 * gap; so are P0 elements that are not committed.  May be called before the
 * bytes fed are used up.  After CSF_END_TRACE the decoder may be fed again: it
 * waits for an A-sync.
 */
CSF_API int csf_end(struct csf_decoder *dec);

/* As csf_end(), but the run ends as a gap, CSF_GAP_BREAK: more is to follow elsewhere. */
CSF_API int csf_break(struct csf_decoder *dec);

/* As new, bytes not used up included; offsets and step numbers start again at 0. */
CSF_API void csf_reset(struct csf_decoder *dec);

/**
 * csf_next() - the next run
 *
 * Return: 1 and a run; 0 when what was fed is used up: feed more, or be done;
 * CSF_ERR_MEMORY, after which only csf_reset() and csf_free() may follow.
 */
CSF_API int csf_next(struct csf_decoder *dec, struct csf_run *run);

/* The address space for what is decoded from now on; at first CSF_SPACE_ALL. */
CSF_API void csf_set_space(struct csf_decoder *dec, int space);

/**
 * csf_set_time() - which maps are in force from now on
 * @time: in the unit of csf_map_span()
 * @limit: a timestamp in the trace of this value or more ends a run with CSF_END_TIME;
 *         0: none does
 */
CSF_API void csf_set_time(struct csf_decoder *dec, uint64_t time, uint64_t limit);

/**
 * csf_ask_code() - be told of missing code before it is a gap
 * @ask: end a run with CSF_END_CODE where an atom needs code and there is none, and look once
 *       more when csf_next() is called again: it may be mapped by then, or another space or time
 *       be in force
 *
 * Stays as it is over csf_reset().  At first false.
 */
CSF_API void csf_ask_code(struct csf_decoder *dec, bool ask);

/**
 * csf_ask_paths() - be told of many steps as one
 * @ask: where it is known from before which steps follow, hand out a path: see csf_path().
 *       For whoever counts: a path is counted once, and its steps when all is over
 *
 * What is counted in steps stays so: csf_run.seq, csf_mark.seq and csf_mark.at.  Which steps
 * become paths is nobody's business; some recordings have none, as those with a return stack or
 * speculation.  Not for csf_elements_run(), which wants steps.
 *
 * Stays as it is over csf_reset().  At first false.
 *
 * Return: 0, CSF_ERR_MEMORY.
 */
CSF_API int csf_ask_paths(struct csf_decoder *dec, bool ask);

/**
 * csf_next_time() - timestamps to come
 * @bound: look as far as the first one above this
 * @last: the last one before that, 0 if there is none
 * @above: the first one above @bound, 0 if there is none
 *
 * Reads packets, not code, of what was fed and is not used up.  The steps up to a timestamp were
 * executed before it: with the maps in force just then they are decoded rightly, with those of
 * the timestamp before perhaps not yet.
 *
 * Return: 1: @above is there; 0: what was fed ends first; CSF_ERR_MEMORY.
 */
CSF_API int csf_next_time(struct csf_decoder *dec, uint64_t bound, uint64_t *last,
			  uint64_t *above);

/* Address of the first instruction of a block, in the space and time of @run. */
CSF_API uint64_t csf_block_addr(struct csf_decoder *dec, const struct csf_run *run,
				uint32_t number);

/**
 * struct csf_stats - what a decoder has seen since csf_new() or csf_reset()
 * @bytes: trace bytes decoded or skipped
 * @skipped: of these, bytes in gaps
 * @packets: whole packets in sync; @async: A-syncs of them
 * @atoms: atoms, committed or not; @p0: P0 elements, atoms included
 * @steps: steps handed out
 * @lost: P0 elements in gaps
 * @gaps: gaps by reason, CSF_GAP_MORE not counted
 * @lost_by: P0 elements lost, by reason
 * @skipped_by: bytes skipped, by reason
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
};

/* @stats->size is the caller's sizeof; that much is filled in. */
CSF_API void csf_stats(const struct csf_decoder *dec, struct csf_stats *stats);

/* ---------------------------------------------------------------- threads */

#define CSF_THREADS_MAX	1024

struct csf_threads;

/**
 * csf_threads_new() - threads that decode ahead of whoever calls csf_next(), and help him
 * @n: how many, besides the caller's, which start when they have something to do; if fewer can be
 *     had it is those; 0: he decodes alone, but what his decoders learn of addresses is for all
 *
 * Return: 0, CSF_ERR_ARG, CSF_ERR_MEMORY.
 */
CSF_API int csf_threads_new(struct csf_threads **threads, unsigned int n);

/* When no decoder has them any more. */
CSF_API void csf_threads_free(struct csf_threads *threads);

/**
 * struct csf_work - what a thread does besides decoding: counting what came out, say
 * @work: what; it may block, but nobody decodes for that long
 *
 * Zero it but for @work.
 */
struct csf_work {
	void (*work)(struct csf_work *work);
	/* private */
	struct csf_work *next;
	int at;
};

/* The next thread that is free does it.  @work is borrowed until csf_work_end(). */
CSF_API void csf_work_begin(struct csf_threads *threads, struct csf_work *work);

/*
 * Until it is done: if nobody has begun it the caller does it, else he decodes ahead meanwhile.
 * Only the caller of csf_next() may call this, and only for what was begun.
 */
CSF_API void csf_work_end(struct csf_threads *threads, struct csf_work *work);

/**
 * csf_set_threads() - have threads decode ahead
 * @threads: borrowed; may serve many decoders; NULL: none, as at first
 *
 * From the next csf_feed() on.  What comes out stays what it is; only csf_stats() may count what
 * is handed out later.  What pays is much at once: pieces begin at A-syncs, and only in what was
 * fed together.
 *
 * What one of them learns of addresses spares the others time and memory: see csf_threads_new().
 *
 * All decoders that have these threads, or an image together, must be the business of one thread,
 * and so must be changes to that image.  What the caller gave to the image is not called by others.
 *
 * Return: 0, CSF_ERR_MEMORY.
 */
CSF_API int csf_set_threads(struct csf_decoder *dec, struct csf_threads *threads);

/**
 * csf_feed_ahead() - tell what csf_feed() will be given next
 * @trace: borrowed until then, or until csf_reset() or csf_free(), and must not change
 * @n: of all bytes of that call; 0: it is not known any more
 *
 * Threads begin with it before the bytes fed are used up.  If others are fed it was in vain.
 */
CSF_API void csf_feed_ahead(struct csf_decoder *dec, const void *trace, size_t n);

/* ---------------------------------------------------------------- frames */

#include "csflow-frame.h"

/* ---------------------------------------------------------------- packets */

#include "csflow-packet.h"

/* ---------------------------------------------------------------- generic trace elements */

#include "csflow-element.h"

#ifdef __cplusplus
}
#endif

#endif /* CSFLOW_H */
