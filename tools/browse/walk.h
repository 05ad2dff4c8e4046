/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A walk through a recording, in both directions.
 *
 *	struct walk *walk;
 *
 *	err = walk_new(&walk, replay);
 *	walk_end(walk, &at, WALK_BACK);			the last instruction
 *	while (walk_insn(walk, &at, WALK_BACK) == WALK_MOVED)
 *		walk_look(walk, &at, &item);
 *
 * A few parts of the track are decoded at a time, whatever the length of the recording.
 */
#ifndef CSF_WALK_H
#define CSF_WALK_H

#include "window.h"

#define WALK_FORWARD	1
#define WALK_BACK	(-1)

/**
 * struct walk_at - a place in a track: it stays the same however often parts are decoded
 * @part: of the track
 * @run: in the part
 * @step: in the run; or their number: what ended the run
 * @insn: in the block
 */
struct walk_at {
	uint32_t part, run, step, insn;
};

static inline int walk_compare(const struct walk_at *a, const struct walk_at *b)
{
	return a->part != b->part ? (a->part < b->part ? -1 : 1) :
	       a->run != b->run ? (a->run < b->run ? -1 : 1) :
	       a->step != b->step ? (a->step < b->step ? -1 : 1) :
	       a->insn != b->insn ? (a->insn < b->insn ? -1 : 1) : 0;
}

/* The result of a move, if it is not -errno.  Unless it is WALK_MOVED, the place stays. */
enum walk_result {
	WALK_MOVED,
	WALK_NONE,		/* there is nothing further: the start, or the end, of the track */
	WALK_STOPPED,		/* the user stopped it */
};

/**
 * enum walk_kind - what there is at a place
 * @WALK_INSN: an instruction that was executed
 * @WALK_GAP: something is missing
 * @WALK_EXCEPTION: an exception
 * @WALK_SWITCH: from here on another thread is executed
 * @WALK_TRANSACTION: a transaction
 * @WALK_UNKNOWN: execution went on by an unknown path
 * @WALK_BUFFER: from here on it is another buffer: something may be missing before it
 */
enum walk_kind {
	WALK_INSN,
	WALK_GAP,
	WALK_EXCEPTION,
	WALK_SWITCH,
	WALK_TRANSACTION,
	WALK_UNKNOWN,
	WALK_BUFFER,
};

/**
 * struct walk_item - an item of the track
 * @kind: enum walk_kind
 * @isa: enum csf_isa; @size: bytes of the instruction; @opcode: as from csf_insn()
 * @no_code: the instruction's bytes are not known
 * @addr: its address; of an event: where execution goes on, 0: not known
 * @section, @offset: place of the instruction in the code
 * @block: number of its block; @n_insn: instructions of that
 * @run: the run that it is of; valid until another part is decoded
 * @time: it was executed after this time, perf's clock, ns; 0: not known
 */
struct walk_item {
	enum walk_kind kind;
	uint8_t isa, size;
	bool no_code;
	uint32_t opcode;
	uint64_t addr;
	uint32_t section;
	uint64_t offset;
	uint32_t block, n_insn;
	const struct window_run *run;
	uint64_t time;
};

/* How many parts are kept, fewer if they have more steps than WALK_STEPS together. */
#define WALK_WINDOWS	5
#define WALK_STEPS	(6u << 20)

/**
 * struct walk - a walk
 * @replay: the recording; borrowed.  @source: the same; @source.wants may be set before all moves
 * @track: the current track; NULL: there is none
 * @look: called during a long search, with the parts that were searched and their number; false
 *        stops it.  NULL: nothing is called.  @ctx is given to it
 */
struct walk {
	struct perf_replay *replay;
	struct window_source source;
	struct tracks tracks;
	const struct track *track;
	bool (*look)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
	/* private */
	struct window window[WALK_WINDOWS];
	uint64_t used[WALK_WINDOWS], now;
	struct csf_decoder *dec;	/* for addresses of blocks */
};

/* Return: 0; -ENODATA: there is no trace that can be decoded; -ENOMEM. */
int walk_new(struct walk **walk, struct perf_replay *replay);
void walk_free(struct walk *walk);

/* Part @part, decoded; NULL: no memory.  Valid until another one is asked for. */
const struct window *walk_window(struct walk *walk, uint32_t part);

/* Goes to the first item (WALK_FORWARD), or the last (WALK_BACK).  As a move. */
int walk_end(struct walk *walk, struct walk_at *at, int direction);

/* Goes to the next step, or event.  A step of another block is at its first or last instruction. */
int walk_step(struct walk *walk, struct walk_at *at, int direction);

/* Goes to the next instruction, or event. */
int walk_insn(struct walk *walk, struct walk_at *at, int direction);

/* What there is at a place.  Return: 0, -ENOMEM. */
int walk_look(struct walk *walk, const struct walk_at *at, struct walk_item *item);

/* The block at a place; NULL: it is an event.  @taken: its last instruction was. */
bool walk_block(struct walk *walk, const struct walk_at *at, struct csf_block *block, bool *taken);

/* The run at a place; NULL: no memory. */
const struct window_run *walk_run(struct walk *walk, const struct walk_at *at);

/* Goes to the first item at @time, ns, or later; or to the last item.  As a move. */
int walk_time(struct walk *walk, struct walk_at *at, uint64_t time);

/* Goes to the part that is @percent of the track's trace from its start.  As a move. */
int walk_percent(struct walk *walk, struct walk_at *at, double percent);

/*
 * Leaves out parts of all tracks that are wholly before @from or after @until, ns.  Return: 0,
 * -ENOMEM.
 */
int walk_limit(struct walk *walk, uint64_t from, uint64_t until);

/* How much of the track's trace is before a place. */
double walk_progress(struct walk *walk, const struct walk_at *at);

#endif /* CSF_WALK_H */
