/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside the naive walker: packets become elements (walker.c), elements wait
 * until they are committed (walker-queue.c), then move the program counter
 * (walker-p0.c) and say so (walker-flow.c).  PTM, ETMv3 and MTB have packets
 * of their own (walker-ptm.c, walker-etm3.c, walker-mtb.c).
 */
#ifndef WALKER_PARTS_H
#define WALKER_PARTS_H

#include "walker.h"

enum elem_type {
	ELEM_ATOM, ELEM_EXCEPTION, ELEM_Q, ELEM_SOURCE, ELEM_TM_START, ELEM_TM_COMMIT,
	ELEM_TM_FAIL, ELEM_ADDRESS, ELEM_CONTEXT, ELEM_SAME, ELEM_ON, ELEM_TIME, ELEM_CYCLES,
	ELEM_EVENT, ELEM_MARKER, ELEM_ITE, ELEM_ERET, ELEM_RETURN, ELEM_INFO,
	ELEM_OVERFLOW, ELEM_LOST,
	ELEM_ACCESS, ELEM_STACKING, ELEM_VALUE,
	ELEM_COND, ELEM_RESULT, ELEM_COND_FLUSH, ELEM_COND_LOST,
};

/**
 * struct elem - one element
 * @type: which of the following counts
 * @p0: it is a P0 element
 * @initial: ATOM: outcome as first traced, 1 is E
 * @taken: ATOM: outcome as it stands
 * @rest: ATOM: atoms of the same packet after it that are committed with it
 * @more: ATOM: not the first of these
 * @addr, @is1, @has_addr: ADDRESS, SOURCE, EXCEPTION, Q
 * @ctx, @has_ctx: CONTEXT, EXCEPTION, Q, ADDRESS
 * @target: EXCEPTION: E1:E0 is 10
 * @fault: EXCEPTION: P
 * @value: EXCEPTION: type; TIME, EVENT, ITE; CYCLES: the count
 * @count, @has_count: Q, TIME, CYCLES; ITE: exception level; ADDRESS of ETMv3: 1: of an I-sync,
 *                     2: of a periodic one
 * @at: CYCLES: steps when its packet was read
 * @access: ACCESS, VALUE: as far as the packet tells
 * @id: ACCESS: not 0: its value comes later, in the VALUE of this number
 * @alone: VALUE: it belongs to no ACCESS
 *
 * COND, RESULT: @value: key; @fault: there is no such key.  RESULT: @initial: it is known;
 * @has_count: @count is the flags N, Z, C, V; otherwise @taken: it passed.
 */
struct elem {
	enum elem_type type;
	uint64_t offset;
	bool p0;
	bool initial, taken;
	unsigned int rest;
	bool more;
	uint64_t addr;
	bool is1, has_addr;
	struct csf_context ctx;
	bool has_ctx;
	bool target, fault;
	uint64_t value;
	uint32_t count;
	bool has_count;
	uint64_t at;
	struct csf_access access;
	unsigned int id;
	bool alone;
};

struct walker_addr {
	uint64_t addr;
	bool is1;
};

/* A conditional instruction that waits: @number is its place in the block from @block. */
struct cond {
	uint64_t at, block;
	uint32_t key, number;
	bool bad;
};

enum sync { SYNC_SEARCH, SYNC_INFO, SYNC_DECODE };

#define WALKER_STACK	16

struct walker {
	struct csf_config config;
	const struct walker_image *image;
	walker_fn fn;
	void *context;
	uint32_t marks;
	int version;
	uint32_t rule;
	bool retstack, commopt, tsmark, trans_p0;
	uint32_t max_spec;
	int space;
	uint64_t time, limit;

	/* packets */
	enum sync sync;
	uint64_t offset;		/* of the piece */
	uint64_t here;			/* of the packet, or of the element that is in the flow */
	uint64_t skipped, skipped_from;	/* bytes out of sync, not reported yet */
	struct walker_addr hist[3];
	bool jazelle;			/* PTM, ETMv3: hist[0] is in Jazelle state */
	bool alt;			/* likewise: T32 is ThumbEE */
	bool first_half;		/* ETMv3: the last atom was that of half a BL */
	bool strict;			/* MTB: no branch was taken on the way to an address */
	unsigned int it;		/* MTB: instructions from here that may be in an IT block */
	uint64_t last_time;
	uint32_t threshold;
	struct csf_context last_ctx;
	struct elem half;		/* exception or Q without its address */
	bool is_half;
	uint32_t c_key, r_key;		/* last keys of instructions and results */

	/* data trace: of packets */
	struct csf_access last_data;
	unsigned int tag_id[4], n_id;
	/* and of elements */
	struct walker_late {
		unsigned int id;
		struct csf_access access;
	} late[4];
	struct csf_access before;	/* the access before */
	bool has_insn, stacking;
	uint64_t insn_seq, insn_addr;
	uint32_t insn_opcode;
	bool insn_read, insn_is1;
	unsigned int n_transfer;

	/* queue */
	struct elem *queue;
	size_t n_queue, max_queue;
	uint32_t depth, unseen;

	/* flow */
	uint64_t seq;
	uint64_t pc;
	bool is1, pc_known;
	bool pending;			/* a taken indirect branch without address */
	bool is_saved, has_saved;	/* its entry was looked up by a Trace Info; there was one */
	struct walker_addr saved;
	struct walker_addr stack[WALKER_STACK];
	size_t n_stack;
	bool missed;			/* code was missing since that was emptied */
	bool missed_at[4];		/* at this exception level, and nothing came back since */
	bool no_push;
	bool fresh;			/* nothing was executed since the last address */
	int gap;			/* enum csf_gap that lasts until an address; -1: none */
	uint64_t more, more_bytes;	/* lost in it since, and not reported */
	unsigned int counted;		/* atoms to come that are already reported as lost */
	struct csf_context ctx;
	bool in_transaction;
	bool marker, marker_seen;
	uint64_t marker_at;
	struct cond cond[1024];
	size_t n_cond;
	uint64_t cond_at, cond_block;	/* place of the last conditional instruction */
	uint32_t cond_number;
};

/* walker-code.c */
enum stop {
	STOP_P0,	/* after an instruction that takes an atom */
	STOP_FULL,	/* 1,024 instructions */
	STOP_SECTION,	/* other code follows */
	STOP_HOLE,	/* no code follows */
	STOP_UNTIL,	/* @until reached, or passed */
	STOP_COUNT,	/* as many instructions as were wanted */
};

/**
 * struct piece - instructions executed one after the other
 * @addr: first
 * @next: address after the last
 * @last_addr: of the last
 * @last: the last instruction
 * @n: instructions, 0..1024
 */
struct piece {
	uint64_t addr, next, last_addr;
	struct csf_insn last;
	unsigned int n;
};

/**
 * struct bounds - where a walk ends
 * @until: at this address, if @has_until
 * @n_max: after this many instructions
 */
struct bounds {
	uint64_t until;
	bool has_until;
	uint64_t n_max;
};

/* From @addr, in the present instruction set, over one section, to a bound or P0 instruction. */
enum stop code_walk(const struct walker *w, uint64_t addr, const struct bounds *bounds,
		    struct piece *p);
/* The instruction at @addr; returns whether all of it is there. */
bool code_fetch(const struct walker *w, uint64_t addr, bool is1, struct csf_insn *insn);
bool code_opcode(const struct walker *w, uint64_t addr, bool is1, uint32_t *opcode);
enum csf_isa code_isa(const struct walker *w, bool is1);
/* AArch32 has 32 bits of address. */
uint64_t code_wrap(const struct walker *w, uint64_t addr);

/* walker.c */

/*
 * Nothing more can be understood until an A-sync and what must follow it.  What is pending and does
 * not depend on the path is let out first.  @here: of the packet at fault.
 */
void walker_lose_sync(struct walker *w, enum csf_gap reason, uint64_t here, uint64_t bytes);
void walker_skip(struct walker *w, uint64_t from, uint64_t n);
/* Skipped bytes belong to the gap that is open, if there is one. */
void walker_say_skipped(struct walker *w);

/* walker-ptm.c */
void walker_ptm_configure(struct walker *w);
/* The packets of a piece. */
void walker_ptm_piece(struct walker *w, const uint8_t *trace, size_t n);

/* walker-data.c */
void walker_data_packet(struct walker *w, const struct csf_packet *pkt, uint64_t offset);
/* Tracing begins anew. */
void walker_data_begin(struct walker *w);
/* Values that have not come yet will not come. */
void walker_data_drop(struct walker *w, uint64_t offset);
/* The element is next: ELEM_ACCESS to ELEM_VALUE, or one that says what accesses belong to. */
void walker_data_place(struct walker *w, const struct elem *e);

/* walker-etm3.c */
void walker_etm3_put(struct walker *w, struct elem *e);
void walker_etm3_configure(struct walker *w);
void walker_etm3_piece(struct walker *w, const uint8_t *trace, size_t n);
/* Adds to @e what depends on where execution is.  Returns false if it says nothing. */
bool walker_etm3_place(struct walker *w, struct elem *e);

/* walker-mtb.c */
void walker_mtb_configure(struct walker *w);
void walker_mtb_piece(struct walker *w, const uint8_t *trace, size_t n);
/*
 * Can execution have passed @p with no branch taken?  @it: instructions from its first on that may
 * be in an IT block; set to those after it.
 */
bool walker_mtb_passes(struct walker *w, const struct piece *p, unsigned int *it);

/* walker-cond.c */
bool walker_cond_packet(struct walker *w, const struct csf_packet *pkt, uint64_t offset);
/* @afresh: the keys begin again. */
bool walker_cond_flush(struct walker *w, uint64_t offset, bool afresh);
void walker_cond(struct walker *w, const struct elem *e);

/* walker-queue.c */
bool held_put(struct walker *w, const struct elem *elem);
bool held_atoms(struct walker *w, uint32_t val, unsigned int n, uint64_t offset);
bool held_commit(struct walker *w, int64_t n);
bool held_cancel(struct walker *w, uint32_t n);
bool held_mispredict(struct walker *w);
/* Lets out the elements that survive, drops the others.  Returns P0 elements dropped. */
uint64_t held_drop(struct walker *w);

/* walker-p0.c */
void walker_atom(struct walker *w, const struct elem *e);
void walker_exception(struct walker *w, const struct elem *e);
void walker_q(struct walker *w, const struct elem *e);
void walker_source(struct walker *w, const struct elem *e);
void walker_address(struct walker *w, const struct elem *e, uint64_t addr);
/* An address that no branch waits for can only be the present one; otherwise there is a gap. */
void walker_agree(struct walker *w, uint64_t addr);
void walker_context(struct walker *w, const struct csf_context *ctx);
/* Takes the target of a branch that waits for it from the return stack, if that has one. */
void walker_return(struct walker *w);
/* The packet at @offset says that execution came to @to, @past: and over the instruction there. */
void walker_reach(struct walker *w, uint64_t offset, uint64_t to, bool past);

/* walker-flow.c */
void walker_send(struct walker *w, struct flow_event *event);
void walker_elem(struct walker *w, const struct elem *elem);
void walker_end(struct walker *w, struct csf_run *end);
void walker_gap(struct walker *w, enum csf_gap reason, uint64_t lost, uint64_t bytes);
/* Likewise, from one address to another, and nobody knows where execution is. */
void walker_gap_here(struct walker *w, enum csf_gap reason, uint64_t from, uint64_t to);
void walker_more(struct walker *w);
void walker_mark(struct walker *w, struct csf_mark *mark);
void walker_transaction(struct walker *w, enum csf_transaction what);
/* From here on nothing is known of where execution is. */
void walker_forget(struct walker *w);

#endif /* WALKER_PARTS_H */
