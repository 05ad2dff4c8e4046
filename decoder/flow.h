/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of a decoder, from elements to runs.
 *
 *	api.c		the calls of csflow.h, but csf_next()
 *	decoder.c	csf_next()
 *	flow.c		elements to marks and ends; gaps
 *	conditions.c	conditional instructions and their results
 *	follow.c	P0 elements to steps
 *	follow-to.c	steps to an address that the trace names
 *	exec.c		where execution is: blocks by address, links, return stack
 *
 * The bytes of a protocol become elements in a folder of its own: see protocol.h.
 */
#ifndef CSF_FLOW_H
#define CSF_FLOW_H

#include "classic/classic.h"
#include "conditions.h"
#include "element.h"
#include "etm3/etm3.h"
#include "etm4/etm4.h"
#include "image.h"
#include "mtb/mtb.h"
#include "path.h"
#include "protocol.h"
#include "ptm/ptm.h"
#include "window.h"

#define RETSTACK_MAX	16	/* more than any trace unit has; a power of two */
#define MARK_MAX	1024
#define FOLLOW_MAX	1024	/* maximum number of steps to an address that a packet names */
#define CUT_MAX		256	/* cut blocks in a row without an atom, at most */
#define BASE_MAX	256	/* sections whose place a decoder remembers */
#define CACHE_MIN	512	/* addresses whose blocks a decoder remembers; powers of two */
#define CACHE_LARGE	8192	/* this many, however few blocks there are */
#define CACHE_MAX	(1u << 21)	/* 32 MiB */
#define GEN_MAX		64	/* meanings of addresses that are remembered; a power of two */

/*
 * csf_mark.flags of a timestamp while lost elements have not been reported yet.  Never handed out.
 */
#define MARK_UNSAID	0x8000

/**
 * struct call - a return that is still to come
 * @at: as in struct exec at the time of the call; likewise @anchor
 * @gen_key: that of the decoder at the time of the call; while they are equal, what follows @block
 *           is valid
 * @block: the calling block; execution returns to the address after it.  0: no call
 * @wide: it is in A64
 */
struct call {
	uint64_t at;
	uint64_t gen_key;
	uint32_t anchor;
	uint32_t block;
	bool wide;
};

struct retstack {
	struct call call[RETSTACK_MAX];
	uint8_t top;		/* index of the youngest call */
	uint8_t n;
};

/**
 * struct address_entry - the block at an address; valid while @gen is exec_gen()
 * @key: the address, with bit 0 set for T32
 * @gen: exec_gen() at that time; CACHE_CUT or-ed: @block takes no atom, so hot loops must not use
 *       it
 * @block: 0: no code
 *
 * Four entries fill a cache line: with many blocks, cache lines take the time.
 */
struct address_entry {
	uint64_t key;
	uint32_t gen;
	uint32_t block;
};

#define CACHE_CUT	BIT(31)	/* not set in any exec_gen() */

/**
 * struct gens - the numbers of the meanings of addresses
 * @now: the current meaning: decoder.gen_key, and whether in A64
 * @number: its number, from 1
 * @last: the last number that was given
 * @meant: the latest meanings, by number
 */
struct gens {
	uint64_t now;
	uint32_t number;
	uint32_t last;
	uint64_t meant[GEN_MAX];
};

/* Mappings seen at some addresses up to @top; valid while @gen_key is that of the decoder. */
struct mapping_cache {
	struct mapping_seen seen;
	uint64_t gen_key;
	uint64_t top;
};

/* The place of a section, for csf_block_addr(). */
struct base_cache {
	uint64_t base;
	struct steady steady;
	uint32_t section;
	uint32_t image_generation;
	int space;
};

/**
 * struct exec - the place of execution
 * @cur: block that the next P0 element ends; 0: it is at @pc, not looked up yet
 * @from: the step (block << 1 | taken) that led to @pc inside a mapping; 0: something else did
 * @pc: address, if @cur is 0
 * @at: address of the first instruction of @anchor, which is in the section of @cur or @from
 * @anchor: a block; 0: @at is the address of offset 0 of that section
 * @is1: instruction set bit at @pc
 * @known: the place is known; otherwise nothing here is valid
 * @returns: an indirect branch was taken, and its target address has not come yet
 * @popped: @returns, and Trace Info came since then: @pending was the top of the stack
 * @pending: see @popped; @pending.block is 0 if the stack was empty
 * @no_push: Trace Info came, and no address since then
 * @fresh: with speculation: nothing was executed since the last address: another may take its
 *         place, if what was executed after it was cancelled
 * @missed: code was missing since the return stack was emptied; the calls of that code are not on
 *          it
 * @unsure: one bit for each exception level at which code was missing since then: see exec_back()
 * @cuts: number of cut blocks in a row
 */
struct exec {
	uint64_t pc;
	uint64_t at;
	uint32_t anchor;
	uint32_t cur;
	uint32_t from;
	bool is1;
	bool known;
	bool returns;
	bool popped;
	bool no_push;
	bool fresh;
	bool missed;
	uint8_t unsure;
	uint16_t cuts;
	struct call pending;
	struct retstack retstack;
};

/* struct element.stage: the progress of the flow with an element. */
enum { STAGE_START, STAGE_LOCATE, STAGE_FOLLOW, STAGE_ALONE, STAGE_END };

/* Progress of csf_end(). */
enum { END_NO, END_ASKED, END_QUEUE, END_SAY };

/**
 * struct input - the bytes of a decoder
 * @win: those that were fed
 * @skipped: bytes since sync was lost, from offset @skipped_from on
 * @joined: it has been in sync before
 * @end: progress of csf_end(); @broken: csf_break() was called instead
 * @commit_rest: csf_commit() was called after csf_end(): commit all
 */
struct input {
	struct window win;
	uint64_t skipped, skipped_from;
	bool joined;
	uint8_t end;
	bool broken;
	bool commit_rest;
};

/**
 * struct flow - the execution so far, apart from its place
 * @ctx: the context, in address space @space
 * @seq: steps handed out before the run that is being made
 * @marker_at: number of steps before the last timestamp marker; @marker: it waits for its
 *             timestamp; @marker_seen: there was one since sync
 * @limit: see csf_set_time()
 * @gen_key: image, space and time: the meaning of addresses
 * @gap_open: execution is lost, for the reason @gap, and the gap was reported
 * @more_lost, @more_bytes: lost since then, not reported yet
 * @asked_pc: code that was asked for; @asked_at: the number of steps then, and 1
 * @until: the run ends at the timestamp at this offset; 0: nowhere
 */
struct flow {
	struct csf_context ctx;
	uint64_t seq;
	uint64_t marker_at;
	bool marker;
	bool marker_seen;
	bool in_transaction;
	int space;
	uint64_t limit;
	uint64_t gen_key;
	bool gap_open;
	uint8_t gap;
	uint64_t more_lost, more_bytes;
	uint64_t asked_pc, asked_at;
	uint64_t gap_addr;
	int err;
	uint64_t until;
};

#define IT_MAX	4		/* instructions in an IT block, at most */

/**
 * struct follow - following execution from one P0 element to the next
 * @planning: only count the steps, @planned of them, and make none
 * @it: with EL_STRICT: instructions from here on that may be in an IT block
 * @passed: it passes a P0 instruction
 * @followed: steps; @counted: instructions
 */
struct follow {
	bool planning;
	bool passed;
	uint8_t it;
	uint32_t planned;
	uint32_t followed;
	uint32_t counted;
};

/**
 * struct output - the run that is being made
 * @n_more: steps of its paths, one less for each path; @folded: it may have paths among its steps
 * @resume_step, @resume_mark: it has these already, from a run left open, with @resume_more as
 *                             @n_more
 * @rest_step, @rest_mark: steps and marks from here on are to be moved to its start
 * @step: owned, config.run_max of them; @mark: owned, MARK_MAX of them
 * @access: owned, MARK_MAX of them; NULL: they are not asked for; @n_access: of this run
 */
struct output {
	struct csf_run *run;
	bool ended;
	bool folded;
	uint32_t n_step, n_mark;
	uint64_t n_more;
	uint32_t resume_step, resume_mark;
	uint64_t resume_more;
	uint32_t rest_step, rest_mark;
	uint32_t *step;
	struct csf_mark *mark;
	struct csf_access *access;
	uint32_t n_access;
};

/**
 * struct addresses - what is known of addresses
 * @cache: owned, @cache_mask + 1 of them; NULL: the threads that lent it have it now
 * @cache_stored: entries added since it has this size
 * @memo: owned; NULL: no paths are remembered
 * @n_block_maps: that of the image when @seen was last updated
 * @time: the time of these meanings; while it is inside @steady, addresses keep them
 * @image_generation: that of the image when last checked
 * @generation: counts changes of the image, and of time
 */
struct addresses {
	struct gens gens;
	struct address_entry *cache;
	uint32_t cache_mask;
	uint32_t cache_stored;
	struct path_memo *memo;
	struct mapping_cache seen[8];
	uint32_t next_seen;
	uint32_t n_block_maps;
	uint64_t time;
	struct steady steady;
	uint32_t image_generation;
	uint32_t generation;
};

/* The state that packets take over from earlier packets, for each protocol. */
union packets {
	struct etm4 etm4;
	struct mtb mtb;
	struct {
		struct classic classic;
		struct etm3 etm3;
	};
};

/**
 * struct csf_decoder - see csflow.h
 * @fast: the fast loops may be used
 * @el: the current element, if @el_ready
 * @access: EL_DATA, EL_DATA_REST: the access, which the protocol sets before the flow has @el
 * @conditions: owned; NULL: they are not wanted, or not traced
 * @read_ahead: owned; NULL: it decodes alone
 * @quiet: it decodes a segment: no calls to the caller; @missed: code was not found for that reason
 * @prefetch: look in block maps, not in the cache
 * @locked: it holds the image's lock; @keep_lock: until exec_let_go()
 * @base: valid whatever is decoded
 * @lender: the threads that lend it @addr; NULL: none
 */
struct csf_decoder {
	struct config config;
	const struct protocol *protocol;
	struct csf_image *image;
	struct input in;
	struct element_queue queue;
	union {
		union packets packets;
		struct etm4 etm4;
		struct mtb mtb;
		struct {
			struct classic classic;
			struct etm3 etm3;
		};
	};
	struct element el;
	struct csf_access access;
	struct conditions *conditions;
	bool el_ready;
	bool fast;
	bool quiet, missed;
	bool prefetch;
	bool locked, keep_lock;
	struct exec exec;
	struct flow flow;
	struct follow follow;
	struct output out;
	struct csf_stats stats;
	struct addresses addr;
	struct read_ahead *read_ahead;
	struct csf_threads *lender;
	struct base_cache base[BASE_MAX];
};

static inline const struct block *flow_block(const struct csf_decoder *d, uint32_t number)
{
	return &d->image->blocks.block[number];
}

/* Are the blocks at addresses remembered? */
static inline bool flow_remembers(const struct csf_decoder *d)
{
	return !(d->config.without & CSF_WITHOUT_ADDRESSES);
}

/*
 * Does missing code end a run with CSF_END_CODE?  In a segment also code that must not be read
 * there.
 */
static inline bool flow_asks(const struct csf_decoder *d)
{
	return d->config.ask_code || d->missed;
}

/* -------- decoder.c: a decoder without threads */

/* As csf_new().  Return: NULL: no memory. */
struct csf_decoder *decoder_new(const struct config *config, struct csf_image *image);
void decoder_free(struct csf_decoder *d);

/* As csf_reset(). */
void decoder_reset(struct csf_decoder *d);

/* Paths are remembered from now on.  Returns false if that is not possible, or without memory. */
bool decoder_remember_paths(struct csf_decoder *d);

/* As csf_ask_paths(). */
int decoder_ask_paths(struct csf_decoder *d, bool ask);

/* As csf_next(); CSF_ERR_MEMORY if @d has no address cache. */
int decoder_next(struct csf_decoder *d, struct csf_run *run);

/* -------- exec.c */

/* The address of execution; call only if exec.known and not exec.returns. */
uint64_t exec_pc(const struct csf_decoder *d);

/* The instruction set there. */
enum csf_isa exec_isa(const struct csf_decoder *d);

/*
 * Can execution be at @addr, as the trace says, by the code?  If no branch waits for an address,
 * one can only repeat what the code says: after a Trace Info, or of a branch that is broadcast.
 */
bool exec_agrees(const struct csf_decoder *d, uint64_t addr);

/*
 * The address where execution goes on, by the return stack, too, with bit 0 set in T32; 0: it is
 * not known.  Changes nothing.
 */
uint64_t exec_next_pc(const struct csf_decoder *d);

/* Addresses of AArch32 are modulo 2^32. */
static inline uint64_t exec_wrap(enum csf_isa isa, uint64_t addr)
{
	return isa == CSF_A64 ? addr : (uint32_t)addr;
}

/*
 * An address packet at exception level @el, where code was missing before.  If that code called the
 * code that is there now, by a pointer, its return address is on top of the trace unit's stack, and
 * is not known here.  If it jumped, the stack is as it was.  The trace does not tell the two apart,
 * so no entry is trusted.  Code that returns from another level finds the stack as it was left
 * there.
 */
static inline void exec_back(struct csf_decoder *d, unsigned int el)
{
	struct exec *p = &d->exec;

	if (likely(!(p->unsure >> el & 1)))
		return;
	p->unsure &= ~(1u << el);
	p->retstack.n = 0;
}

/* An address packet: execution is at @addr. */
static inline void exec_go(struct csf_decoder *d, uint64_t addr, bool is1)
{
	struct exec *p = &d->exec;

	p->cur = 0;
	p->from = 0;
	p->pc = addr;
	p->is1 = is1;
	p->known = true;
	p->returns = false;
	p->popped = false;
	p->no_push = false;
	p->fresh = true;
	p->cuts = 0;
}

/* Address of offset 0 of the section where execution is.  Block 0 has offset 0. */
static inline uint64_t exec_base(const struct csf_decoder *d)
{
	return d->exec.at - flow_block(d, d->exec.anchor)->pub.offset;
}

uint32_t exec_new_gen(struct csf_decoder *d, uint64_t now);

/*
 * A number for the current meaning of addresses.  Bit 31 of the generation key is free, as the
 * number of a space has a sign.
 */
static inline uint32_t exec_gen(struct csf_decoder *d)
{
	uint64_t now = d->flow.gen_key | (uint64_t)d->flow.ctx.bits64 << 31;

	return likely(now == d->addr.gens.now) ? d->addr.gens.number : exec_new_gen(d, now);
}

/* The cache entry for @key; bit 0 of @key does not matter. */
static __always_inline struct address_entry *address_slot(struct csf_decoder *d, uint64_t key)
{
	return &d->addr.cache[hash_spread(key >> 1) & d->addr.cache_mask];
}

/*
 * The block that was found at @at, with bit 0 set for T32, when exec_gen() was @gen.  0: none was
 * found, or it takes no atom.
 */
static __always_inline uint32_t address_find(struct csf_decoder *d, uint64_t at, uint32_t gen)
{
	const struct address_entry *c = address_slot(d, at);

	return likely(c->key == at && c->gen == gen) ? c->block : 0;
}

static inline void address_entries_free(struct address_entry *cache, uint32_t mask)
{
	table_free(cache, (mask + 1ul) * sizeof(*cache));
}

/* Updates seen[] for block maps that were made since the last call. */
void exec_see_block_maps(struct csf_decoder *d);

/* Do addresses of @c still have their meaning, and a block map? */
static inline bool exec_has_block_map(const struct csf_decoder *d, const struct mapping_cache *c)
{
	return c->seen.block_map.number && c->gen_key == d->flow.gen_key && c->top == UINT64_MAX &&
	       c->seen.block_map.rule == d->config.rule && c->seen.first % 4 == 0;
}

/* Execution is lost: its place is unknown from here on. */
void exec_lose(struct csf_decoder *d);

/* Trace Info: empties the return stack, but a branch that waits for its target keeps its entry. */
void exec_info(struct csf_decoder *d);

/* Leaves @block, taken or not, for what follows it. */
void exec_leave(struct csf_decoder *d, uint32_t block, bool taken);

/* A call from @block: pushes the return stack, if there is one. */
static inline void exec_push(struct csf_decoder *d, uint32_t block)
{
	struct retstack *rs = &d->exec.retstack;

	if (!d->config.retstack || d->exec.no_push)
		return;
	rs->top = (rs->top + 1) & (RETSTACK_MAX - 1);
	rs->call[rs->top] = (struct call){
		.at = d->exec.at, .anchor = d->exec.anchor, .gen_key = d->flow.gen_key,
		.block = block, .wide = d->flow.ctx.bits64,
	};
	rs->n += rs->n < RETSTACK_MAX;
}

/* Pops the return stack if its top is (@addr, instruction set bit @is1). */
void exec_match(struct csf_decoder *d, uint64_t addr, bool is1);

enum located {
	EXEC_FOUND,	/* exec.cur is the block */
	EXEC_UNKNOWN,	/* no address, or no context */
	EXEC_EMPTY,	/* a return, with an empty return stack */
	EXEC_NO_CODE,	/* no code at exec.pc */
	EXEC_ERROR,	/* d->flow.err */
};

/*
 * Sets exec.cur to the block where execution is: pops the return stack, or looks it up, if needed.
 */
enum located exec_locate(struct csf_decoder *d);

/*
 * The block that exec.from leads to, in its mapping; links the two.  0: exec_locate() has to look.
 */
uint32_t exec_link(struct csf_decoder *d);

/* As exec_leave().  If @on, also finds the next block as exec_link() does.  Returns it, or 0. */
uint32_t exec_follow(struct csf_decoder *d, uint32_t block, bool taken, bool on);

/* The same after @step, which stays in its mapping, with @on; the image is locked from then on. */
uint32_t exec_go_on(struct csf_decoder *d, uint32_t step);

/* Takes the lock of the image until exec_let_go(), unless this decoder has it already. */
static inline void exec_lock(struct csf_decoder *d)
{
	if (d->locked)
		return;
	lock_take(&d->image->lock);
	d->locked = true;
}

void exec_unlock(struct csf_decoder *d);

/*
 * Releases the lock.  Call this before anything else that takes the lock, except the functions
 * above.
 */
static inline void exec_let_go(struct csf_decoder *d)
{
	if (d->locked)
		exec_unlock(d);
}

/* Looks exec.cur up again if the meaning of addresses, or the instruction set, may have changed. */
void exec_check(struct csf_decoder *d);

/*
 * The part of block @number that is @bytes long; if @bytes end inside an instruction, the part
 * includes it and *inside is set.  Returns its number; 0: no memory.
 */
uint32_t exec_part(struct csf_decoder *d, uint32_t number, uint32_t bytes, bool *inside);

/* The part of block @number that is its first @n instructions. */
uint32_t exec_first(struct csf_decoder *d, uint32_t number, uint16_t n);

/* Why a walk stopped. */
enum followed {
	FOLLOW_DONE,	/* reached its goal */
	FOLLOW_FULL,	/* the run ended */
	FOLLOW_STUCK,	/* cannot reach its goal */
	FOLLOW_NO_CODE,	/* no code at exec.pc */
	FOLLOW_ERROR,	/* d->flow.err */
};

/* -------- follow-to.c: steps to an address that the trace names; exec.cur must be set */

/*
 * Executes what is left before @to, where an exception hit: conditional branches on the way were
 * not taken, and the walk stops at a branch that is always taken.  *inside: @to is inside the last
 * instruction.
 */
enum followed follow_to(struct csf_decoder *d, uint64_t to, bool *inside);

/*
 * Executes up to and including the P0 instruction at @at, which is taken; those before it are not.
 */
enum followed follow_to_source(struct csf_decoder *d, uint64_t at);

/* Executes @n instructions and reaches @to, if that is possible in only one way. */
enum followed follow_count(struct csf_decoder *d, uint32_t n, uint64_t to);

/* -------- run.c */

/* Number of steps executed so far. */
static inline uint64_t flow_now(const struct csf_decoder *d)
{
	return d->flow.seq + d->out.n_step + d->out.n_more;
}

/* Does the timestamp in the packet at @offset end the run? */
static inline bool flow_ends_at(const struct csf_decoder *d, uint64_t time, uint64_t offset)
{
	return (d->flow.limit && time >= d->flow.limit) ||
	       (d->flow.until && d->flow.until == offset);
}

/* Adds a step.  Returns false if there is no room for it: the run has ended. */
bool flow_step(struct csf_decoder *d, uint32_t number, bool taken);

/* Ends the run at the current element. */
void flow_end(struct csf_decoder *d, enum csf_end_kind end);
void flow_end_context(struct csf_decoder *d);

/* The address where execution goes on, as far as trace and code say; 0: not known. */
uint64_t flow_goes_to(const struct csf_decoder *d);

/* A mark for the current element; NULL: not wanted.  flow_element() has made sure of room. */
struct csf_mark *flow_mark(struct csf_decoder *d, uint16_t kind);

/* A cycle count, as in struct element, after the steps made so far, if there is room for it. */
void flow_cycles(struct csf_decoder *d, uint64_t offset, uint64_t at, uint32_t count,
		 uint8_t flags);

/* Ends the run with a gap. */
void flow_end_gap(struct csf_decoder *d, enum csf_gap gap, uint64_t lost, uint64_t bytes);

/* Something is missing from here on, until an address says where execution is. */
void flow_open_gap(struct csf_decoder *d, enum csf_gap gap, uint64_t lost, uint64_t bytes);

/* Reports what was lost since the gap was opened, before anything else.  Returns true if it did. */
bool flow_say_more(struct csf_decoder *d);

/*
 * An indirect branch was taken, and neither an address nor the return stack gives its target: @lost
 * P0 elements cannot be followed.
 */
void flow_no_return(struct csf_decoder *d, uint64_t lost);

/* Loses @n P0 elements that cannot be followed, because of what exec_locate() returned. */
void flow_lose(struct csf_decoder *d, enum located why, uint64_t n);

void flow_begin(struct csf_decoder *d, struct csf_run *run);
void flow_finish(struct csf_decoder *d);
void flow_unfold_rest(struct csf_decoder *d);

/* Ends @run after its mark @i; the caller sets the reason. */
void run_end_at(const struct csf_image *image, struct csf_run *run, size_t i);

/* -------- flow.c */

/*
 * Works on the current element, d->el.  Returns true when it is done; false if the run ended first,
 * and the same element must be given again.
 */
bool flow_element(struct csf_decoder *d);

/* -------- follow.c: as flow_element(), for one type each */

bool follow_atoms(struct csf_decoder *d);
bool follow_exception(struct csf_decoder *d);
bool follow_source(struct csf_decoder *d);
bool follow_q(struct csf_decoder *d);

/* Does the trace contradict the code if the last instruction of block @number was not taken? */
bool follow_must_take(const struct csf_decoder *d, uint32_t number);

/* Goes on after block @number; @traced: its atom was first traced as taken. */
void follow_leave(struct csf_decoder *d, uint32_t number, bool taken, bool traced);

/* -------- for struct protocol: @next */

/*
 * @next_element makes the next element, @d->el; it returns false when the run ended, or more bytes
 * are needed.  @element is as flow_element().  Both are constants: nothing is called through them.
 */
static __always_inline int flow_next(struct csf_decoder *d, struct csf_run *run,
				     bool (*next_element)(struct csf_decoder *d),
				     bool (*element)(struct csf_decoder *d))
{
	flow_begin(d, run);
	while (!d->out.ended && !d->flow.err) {
		if (!d->el_ready && !next_element(d))
			break;
		if (element(d))
			d->el_ready = false;
	}
	if (d->flow.err)
		return d->flow.err;
	flow_finish(d);
	return d->out.ended || run->n || run->n_mark;
}

#endif /* CSF_FLOW_H */
