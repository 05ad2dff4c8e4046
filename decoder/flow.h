/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of a decoder, from elements to runs.
 *
 *	api.c		the calls of csflow.h, but csf_next()
 *	decoder.c	csf_next()
 *	flow.c		elements to marks and ends; gaps
 *	follow.c	P0 elements to steps
 *	follow-to.c	steps to an address that the trace names
 *	exec.c		where execution is: blocks by address, links, return stack
 *
 * The bytes of a protocol become elements in a folder of its own: see protocol.h.
 */
#ifndef CSF_FLOW_H
#define CSF_FLOW_H

#include "element.h"
#include "etm4/etm4.h"
#include "image.h"
#include "path.h"
#include "protocol.h"
#include "window.h"

#define RETSTACK_MAX	16	/* more than any trace unit keeps; power of two */
#define MARK_MAX	1024
#define FOLLOW_MAX	1024	/* steps to an address that a packet names, at most */
#define CUT_MAX		256	/* cut blocks in a row without an instruction that takes an atom */
#define BASE_MAX	256	/* sections a decoder remembers the place of */
#define CACHE_MIN	512	/* addresses a decoder remembers the blocks of; powers of two */
#define CACHE_LARGE	8192	/* so many, however few blocks there are */
#define CACHE_MAX	(1u << 21)	/* 32 MiB of them */
#define GEN_MAX		64	/* meanings of addresses that are remembered; power of two */

/* csf_mark.flags of a timestamp, while what was lost is not said yet.  Never handed out. */
#define MARK_UNSAID	0x8000

/**
 * struct call - a return that is still to come
 * @at: as in struct exec, when it called; likewise @anchor
 * @gen_key: when that was; what follows @block may be believed while it is the decoder's
 * @block: the calling block; execution returns behind it.  0: no call
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
	uint8_t top;		/* the youngest */
	uint8_t n;
};

/**
 * struct address_entry - what is at an address, remembered while @gen is exec_gen()
 * @key: the address, with bit 0 set for T32
 * @gen: exec_gen() of that time; CACHE_CUT or-ed: @block takes no atom, so it is not for hot loops
 * @block: 0: no code
 *
 * Four of them are in a cache line: with many blocks it is lines that take the time.
 */
struct address_entry {
	uint64_t key;
	uint32_t gen;
	uint32_t block;
};

#define CACHE_CUT	BIT(31)	/* of no exec_gen() */

/**
 * struct gens - numbers of what addresses meant
 * @now: decoder.gen_key, and whether in A64; and its number:
 * @number: from 1
 * @last: the last number given
 * @meant: the last ones, by number
 */
struct gens {
	uint64_t now;
	uint32_t number;
	uint32_t last;
	uint64_t meant[GEN_MAX];
};

/* What was seen at some addresses, while @gen_key is the decoder's, with addresses up to @top. */
struct mapping_cache {
	struct mapping_seen seen;
	uint64_t gen_key;
	uint64_t top;
};

/* Where a section is, for csf_block_addr(). */
struct base_cache {
	uint64_t base;
	struct steady steady;
	uint32_t section;
	uint32_t image_generation;
	int space;
};

/**
 * struct exec - where execution is
 * @cur: block that the next P0 element ends; 0: it is at @pc, not looked up yet
 * @from: the step (block << 1 | taken) that led to @pc inside a mapping; 0: another way
 * @pc: if @cur is 0
 * @at: address of the first instruction of @anchor, which is in the section of @cur or @from
 * @anchor: a block; 0: @at is the address of offset 0 of that section
 * @is1: instruction set bit at @pc
 * @known: any of this is known
 * @returns: an indirect branch was taken, and no address has come yet
 * @popped: @returns, and Trace Info came since: @pending is what was on top then
 * @pending: see @popped; @pending.block is 0 if the stack was empty
 * @no_push: Trace Info came, and no address since
 * @missed: code was missing since the return stack was emptied: its calls are not on it
 * @unsure: a bit for each exception level at which code was missing since: see exec_back()
 * @cuts: cut blocks in a row
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
	bool missed;
	uint8_t unsure;
	uint16_t cuts;
	struct call pending;
	struct retstack retstack;
};

/* struct element.stage: how far the flow is with an element. */
enum { STAGE_START, STAGE_LOCATE, STAGE_FOLLOW, STAGE_ALONE, STAGE_END };

/* How far csf_end() is. */
enum { END_NO, END_ASKED, END_QUEUE, END_SAY };

struct csf_decoder {
	struct config config;
	const struct protocol *protocol;
	struct csf_image *image;
	struct window win;
	struct element_queue queue;
	struct etm4 etm4;		/* packets of ETMv4 and ETE */

	bool fast;			/* the fast loops may be used */
	bool joined;			/* has been in sync before */
	uint8_t end;			/* how far csf_end() is */
	bool broken;			/* it was csf_break() */
	bool commit_rest;		/* csf_commit() behind csf_end(): of all there is */
	uint64_t skipped;		/* bytes since sync was lost */
	uint64_t skipped_from;
	bool el_ready;
	struct element el;		/* the element in hand */

	/* the flow */
	struct exec exec;
	struct csf_context ctx;
	uint64_t seq;			/* steps handed out before this run */
	uint64_t marker_at;		/* step of the last timestamp marker */
	bool marker;			/* a marker waits for its timestamp */
	bool marker_seen;		/* there was one since sync */
	bool in_transaction;
	int space;
	uint64_t time, limit;
	struct steady steady;		/* while time is in it addresses mean the same */
	uint64_t gen_key;			/* of image, space and time: what addresses mean */
	uint32_t image_generation;		/* of the image, when last looked */
	uint32_t generation;			/* counts its changes, and those of time */
	bool gap_open;			/* execution is lost; the gap was reported */
	uint8_t gap;			/* and why */
	uint64_t more_lost, more_bytes;	/* lost since, not reported yet */
	uint64_t asked_pc, asked_at;	/* code that was asked for, behind so many steps */
	uint64_t gap_addr;
	int err;
	uint64_t until;			/* the timestamp at this offset ends the run */

	/* segments */
	struct read_ahead *read_ahead;		/* owned; NULL: it decodes by itself */
	bool quiet;			/* it decodes one: nothing of the caller's is called */
	bool missed;			/* for that reason code was not found */

	bool planning;			/* steps are counted, not made */
	uint32_t planned;
	bool passed;			/* the walk passes a P0 instruction */
	uint32_t followed;		/* steps of this walk */
	uint32_t counted;		/* instructions of this walk */

	/* the run being made */
	struct csf_run *run;
	bool ended;
	uint32_t n_step, n_mark;
	uint64_t n_more;			/* steps of paths, one less for each */
	bool folded;				/* there may be paths among its steps */
	uint32_t resume_step, resume_mark;	/* it has these already: those of a run left open */
	uint64_t resume_more;
	uint32_t rest_step, rest_mark;		/* behind so many: they are to be moved first */
	uint32_t *step;			/* owned, config.run_max of them */
	struct csf_mark *mark;		/* owned, MARK_MAX of them */
	struct csf_stats stats;
	bool prefetch;				/* block maps are asked, not the cache */
	bool locked;				/* the image's lock is this decoder's */
	bool keep_lock;				/* and stays so until exec_let_go() */

	/* what is known of addresses: see address-cache.h */
	struct gens gens;
	struct address_entry *cache;	/* owned, cache_mask + 1 of them */
	uint32_t cache_mask;
	uint32_t cache_stored;		/* since it was made that big */
	struct path_memo *memo;		/* owned; NULL: none are remembered */
	struct mapping_cache seen[8];
	uint32_t next_seen;
	uint32_t n_block_maps;			/* of the image, when seen[] was last looked at */
	struct base_cache base[BASE_MAX];
	/* that lends it what is known of addresses: without @cache, it has it not now; or NULL */
	struct csf_threads *lender;
};

static inline const struct block *flow_block(const struct csf_decoder *d, uint32_t number)
{
	return &d->image->blocks.block[number];
}

/* Is it remembered what is at an address? */
static inline bool flow_remembers(const struct csf_decoder *d)
{
	return !(d->config.without & CSF_WITHOUT_ADDRESSES);
}

/* A segment asks, too, for code that it must not have read. */
static inline bool flow_asks(const struct csf_decoder *d)
{
	return d->config.ask_code || d->missed;
}

/* -------- api.c */

/* As csf_new(); NULL: no memory. */
struct csf_decoder *decoder_new(const struct config *config, struct csf_image *image);

/* Paths are remembered from now on.  Returns false if they are not to be, or there is no memory. */
bool decoder_remember_paths(struct csf_decoder *d);

/* As csf_ask_paths(), of one that decodes by itself. */
int decoder_ask_paths(struct csf_decoder *d, bool ask);

/* -------- decoder.c */

/* csf_next() of one that decodes by itself. */
int decoder_next(struct csf_decoder *d, struct csf_run *run);

/* -------- exec.c */

/* Where execution is, as an address; only if exec.known and not exec.returns. */
uint64_t exec_pc(const struct csf_decoder *d);

/* enum csf_isa there. */
enum csf_isa exec_isa(const struct csf_decoder *d);

/* Addresses of AArch32 are modulo 2^32. */
static inline uint64_t exec_wrap(enum csf_isa isa, uint64_t addr)
{
	return isa == CSF_A64 ? addr : (uint32_t)addr;
}

/*
 * An address packet at exception level @el, where code was missing before.  That code may have
 * called what is there now, by a pointer: then its own return address is on top of the trace
 * unit's stack, and is not known here.  It may have jumped there, too, and then the stack is as it
 * was.  The trace does not tell the two apart, so no entry is trusted.  What comes back from
 * another level finds the stack as it was left there.
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
	p->cuts = 0;
}

/* Address of offset 0 of the section that execution is in.  Block 0 has offset 0. */
static inline uint64_t exec_base(const struct csf_decoder *d)
{
	return d->exec.at - flow_block(d, d->exec.anchor)->pub.offset;
}

uint32_t exec_new_gen(struct csf_decoder *d, uint64_t now);

/*
 * A number for what an address means now.  Bit 31 of the generation key is free, for a space's
 * number has a sign.
 */
static inline uint32_t exec_gen(struct csf_decoder *d)
{
	uint64_t now = d->gen_key | (uint64_t)d->ctx.bits64 << 31;

	return likely(now == d->gens.now) ? d->gens.number : exec_new_gen(d, now);
}

/* Bit 0 of @key does not matter. */
static inline struct address_entry *address_slot(struct csf_decoder *d, uint64_t key)
{
	return &d->cache[hash_spread(key >> 1) & d->cache_mask];
}

/*
 * The block that was found at @at, with bit 0 set for T32, when exec_gen() was @gen.  0: none was,
 * or it takes no atom.
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

/* Has seen[] know of block maps that were made since. */
void exec_see_block_maps(struct csf_decoder *d);

/* Where addresses at which @c was seen mean the same, and are in its block map. */
static inline bool exec_has_block_map(const struct csf_decoder *d, const struct mapping_cache *c)
{
	return c->seen.block_map.number && c->gen_key == d->gen_key && c->top == UINT64_MAX &&
	       c->seen.block_map.rule == d->config.rule && c->seen.first % 4 == 0;
}

/* Nobody knows where execution is. */
void exec_lose(struct csf_decoder *d);

/* Trace Info: the return stack is emptied, but a branch that waits keeps its entry. */
void exec_info(struct csf_decoder *d);

/* @block was left, taken or not: goes to what follows it. */
void exec_leave(struct csf_decoder *d, uint32_t block, bool taken);

/* @block calls: pushes the return stack, if there is one. */
static inline void exec_push(struct csf_decoder *d, uint32_t block)
{
	struct retstack *rs = &d->exec.retstack;

	if (!d->config.retstack || d->exec.no_push)
		return;
	rs->top = (rs->top + 1) & (RETSTACK_MAX - 1);
	rs->call[rs->top] = (struct call){
		.at = d->exec.at, .anchor = d->exec.anchor, .gen_key = d->gen_key,
		.block = block, .wide = d->ctx.bits64,
	};
	rs->n += rs->n < RETSTACK_MAX;
}

/* Pops the return stack if its top is (@addr, instruction set bit @is1). */
void exec_match(struct csf_decoder *d, uint64_t addr, bool is1);

enum located {
	EXEC_FOUND,	/* exec.cur is the block */
	EXEC_UNKNOWN,	/* no address, or no context */
	EXEC_EMPTY,	/* a return, and the return stack is empty */
	EXEC_NO_CODE,	/* nothing at exec.pc */
	EXEC_ERROR,	/* d->err */
};

/* Makes exec.cur the block where execution is: pops, and looks up, if need be. */
enum located exec_locate(struct csf_decoder *d);

/*
 * The block that exec.from leads to, in its mapping: a link from now on.  0: exec_locate() has to
 * look.
 */
uint32_t exec_link(struct csf_decoder *d);

/* As exec_leave(); @on: and what follows is looked for as by exec_link().  Returns it, or 0. */
uint32_t exec_follow(struct csf_decoder *d, uint32_t block, bool taken, bool on);

/* Likewise, on, of @step, which does not leave its mapping; the image is locked from then on. */
uint32_t exec_go_on(struct csf_decoder *d, uint32_t step);

/* The image is this decoder's until exec_let_go(), if it was not before. */
static inline void exec_lock(struct csf_decoder *d)
{
	if (d->locked)
		return;
	lock_take(&d->image->lock);
	d->locked = true;
}

void exec_unlock(struct csf_decoder *d);

/* Others may have it again: before anything that takes its lock, but for what is above. */
static inline void exec_let_go(struct csf_decoder *d)
{
	if (d->locked)
		exec_unlock(d);
}

/* exec.cur is to be looked up again if addresses, or the instruction set, may have changed. */
void exec_check(struct csf_decoder *d);

/*
 * The part of block @number that ends where @bytes of it end, or behind the
 * instruction that @bytes end inside of: then *inside.  Returns its number, or 0: no memory.
 */
uint32_t exec_part(struct csf_decoder *d, uint32_t number, uint32_t bytes, bool *inside);

/* The part of block @number that is its first @n instructions. */
uint32_t exec_first(struct csf_decoder *d, uint32_t number, uint16_t n);

/* Why a walk stopped. */
enum followed {
	FOLLOW_DONE,	/* got there */
	FOLLOW_FULL,	/* the run ended */
	FOLLOW_STUCK,	/* cannot get there */
	FOLLOW_NO_CODE,	/* no code at exec.pc */
	FOLLOW_ERROR,	/* d->err */
};

/* -------- follow-to.c: steps to an address that the trace names; exec.cur must be found */

/*
 * Executes what is left before @to, where an exception hit: conditional branches
 * on the way were not taken.  What cannot be not taken stops the walk.  *inside:
 * @to is inside the last instruction.
 */
enum followed follow_to(struct csf_decoder *d, uint64_t to, bool *inside);

/* Executes up to and including the P0 instruction at @at, which is taken; the others are not. */
enum followed follow_to_source(struct csf_decoder *d, uint64_t at);

/* Executes @n instructions and gets to @to, if that is possible in only one way. */
enum followed follow_count(struct csf_decoder *d, uint32_t n, uint64_t to);

/* -------- flow.c */

/* Steps executed so far. */
static inline uint64_t flow_now(const struct csf_decoder *d)
{
	return d->seq + d->n_step + d->n_more;
}

/* Does the timestamp in the packet at @offset end the run? */
static inline bool flow_ends_at(const struct csf_decoder *d, uint64_t time, uint64_t offset)
{
	return (d->limit && time >= d->limit) || (d->until && d->until == offset);
}

/* Returns false if there is no room for a step: the run has ended. */
bool flow_step(struct csf_decoder *d, uint32_t number, bool taken);

/* The run ends with the element in hand. */
void flow_end(struct csf_decoder *d, enum csf_end_kind end);
void flow_end_context(struct csf_decoder *d);

/* Where execution goes on, as far as trace and code say; 0: they do not. */
uint64_t flow_goes_to(const struct csf_decoder *d);

/* A mark for the element in hand; NULL: not wanted.  flow_element() has made sure of room. */
struct csf_mark *flow_mark(struct csf_decoder *d, uint16_t kind);

/* A cycle count, as in struct element, behind the steps made so far, if there is room for it. */
void flow_cycles(struct csf_decoder *d, uint64_t offset, uint64_t at, uint32_t count,
		 uint8_t flags);

/* Something is missing from here on, until an address says where execution is. */
void flow_open_gap(struct csf_decoder *d, enum csf_gap gap, uint64_t lost, uint64_t bytes);

/* What was lost since the gap was opened has to be said before anything else: if so, true. */
bool flow_say_more(struct csf_decoder *d);

/*
 * An indirect branch was taken, and neither an address nor the return stack says where to: @lost P0
 * elements cannot be followed.
 */
void flow_no_return(struct csf_decoder *d, uint64_t lost);

/* @n P0 elements that cannot be followed, because of what exec_locate() said. */
void flow_lose(struct csf_decoder *d, enum located why, uint64_t n);

void flow_begin(struct csf_decoder *d, struct csf_run *run);
void flow_finish(struct csf_decoder *d);
void flow_unfold_rest(struct csf_decoder *d);

/* @run ends behind its mark @i; why, is for the caller to say. */
void run_end_at(const struct csf_image *image, struct csf_run *run, size_t i);

/*
 * Works on the element in hand, d->el.  Returns true when it is done; false if
 * the run ended first, and the element is to be given again.
 */
bool flow_element(struct csf_decoder *d);

/* -------- follow.c: as flow_element(), for one type each */

bool follow_atoms(struct csf_decoder *d);
bool follow_exception(struct csf_decoder *d);
bool follow_source(struct csf_decoder *d);
bool follow_q(struct csf_decoder *d);

/* Goes on behind block @number; @traced: its atom was first traced as taken. */
void follow_leave(struct csf_decoder *d, uint32_t number, bool taken, bool traced);

#endif /* CSF_FLOW_H */
