/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What stepping ahead has in hand: of lead.c and lead-*.c alone. */
#ifndef CSF_LEAD_PARTS_H
#define CSF_LEAD_PARTS_H

#include "lead.h"

#define PACKETS	(QUEUE_MIN / 2)
#define ODD_MAX	32		/* exceptions and contexts that wait */
#define WAIT_MAX	64		/* timestamps, cycle counts and Trace Info that wait */

enum kind {
	ATOMS,
	EXCEPTION,	/* takes a step that nobody will see: it counts as one until it is sure */
	ADDRESS,
	HOP,		/* a branch out of its view: no packet, but it leads to an address, too */
	RETURN,		/* likewise, one to where the youngest call came from */
	CONTEXT,	/* with an address or without */
};

/**
 * struct packet - atoms, an address, or what waits with them
 * @offset: of the packet; RETURN: call.anchor
 * @at: an address, with the instruction set bit in bit 0; of the odd ones: which of lead.odd;
 *	RETURN: call.at; ATOMS: where the bytes of several are, with Commits between; or 0, and it
 *	is one packet
 * @step: the step that comes next
 * @kind: enum kind
 */
struct packet {
	uint64_t offset;
	uint64_t at;
	uint32_t step;
	uint32_t kind;
};

/**
 * struct lead_mark - a timestamp, cycle count or Trace Info that waits: it changes nothing, and is
 * never taken back
 * @offset: of its packet
 * @val: TIME: element.val; CYCLES: element.at
 * @count: element.count
 * @step: the step that comes next, as long as that is not taken back
 * @type: enum element_type
 * @flags: element.flags
 */
struct lead_mark {
	uint64_t offset;
	uint64_t val;
	uint32_t count;
	uint32_t step;
	uint8_t type;
	uint8_t flags;
};

/**
 * struct lead_undo - what a call or return changed
 * @was: what stood where the call is now
 * @step: the call; or the one behind the return
 * @n: of the return stack, before
 * @push: it was a call
 */
struct lead_undo {
	struct call was;
	uint32_t step;
	uint8_t n;
	bool push;
};

/* Of those that may be unsure, a span, and some more; a power of two. */
#define UNDO_MAX	512

/**
 * struct lead - what the loop has in hand
 * @succ: block_table.succ
 * @sure: steps that are committed, of @step: those before this one
 * @step: csf_decoder.step
 * @lost: from this step on it is not for here: steps are not known, and of block 0, or it is an
 *	  exception, or the last one before a context.  None: INT64_MAX
 * @first: where this began
 * @out: where the next step goes
 * @max: config.max_spec
 * @full: from this step on there has to be asked for room
 * @next: where the next packet goes
 * @packet: those with steps that are not sure, and some before, in order
 * @odd: exceptions and contexts that wait, ODD_MAX of them
 * @n_odd: where the next one goes; none waits: 0
 * @mark: marks that wait, in order
 * @n_mark: so many
 * @max_mark: so many may, up to WAIT_MAX
 * @undo: the last calls and returns, UNDO_MAX of them, by number; with @stack only
 * @n_undo: number of the next one
 * @stack: there is a return stack, and d->place.retstack is that behind step @out
 * @tag: place_tag(), which is the same all the while
 * @cancelled: atoms
 * @cur: block where execution is; 0: the last step or address does not lead to a known one
 *
 * In this order no two that change are neighbours: else the compiler moves them as a pair, and
 * has neither at hand.
 */
struct lead {
	const uint32_t *succ;
	int64_t sure;
	uint32_t *step;
	int64_t lost;
	int64_t first;
	int64_t out;
	int64_t max;
	int64_t full;
	struct packet *next;
	struct packet *packet;
	struct element *odd;
	uint32_t n_odd;
	uint32_t tag;
	uint64_t cancelled;
	uint32_t cur;
	uint32_t n_mark;
	struct lead_mark *mark;
	uint32_t max_mark;
	struct lead_undo *undo;
	uint32_t n_undo;
	bool stack;
};

/* -------- steps and packets */

/* As make(), where a step has no link, or with a return stack. */
void lead_make_slowly(struct csf_decoder *d, struct lead *l, uint32_t atoms, uint32_t n);

/*
 * Steps through @n @atoms, 1 at least.  That they end at all is foretold badly enough: whether a
 * step has a link is asked once for all of them, for behind one that has none there are none.
 */
static __always_inline void make(struct csf_decoder *d, struct lead *l, uint32_t atoms, uint32_t n)
{
	uint32_t *out = l->step + l->out;
	uint32_t cur = l->cur, left = atoms, made, i = n;

	if (unlikely(l->stack)) {
		lead_make_slowly(d, l, atoms, n);
		return;
	}
	do {
		made = 2 * cur + (left & 1);
		left >>= 1;
		cur = load_link(&l->succ[made]) & SUCC_BLOCK;
		*out++ = made;
	} while (--i);
	if (unlikely(made < 2)) {
		lead_make_slowly(d, l, atoms, n);
		return;
	}
	l->cur = cur;
	l->out += n;
}

/* As make(), for the packet at @offset. */
static __always_inline void step(struct csf_decoder *d, struct lead *l, uint64_t offset,
				 uint32_t atoms, uint32_t n)
{
	struct packet *pkt = l->next++;

	pkt->offset = offset;
	pkt->at = 0;
	pkt->step = l->out;
	pkt->kind = ATOMS;
	make(d, l, atoms, n);
}

/* Execution goes on at @at. */
static __always_inline void go_to(struct csf_decoder *d, struct lead *l, uint64_t offset,
				  uint64_t at)
{
	struct packet *pkt = l->next++;

	pkt->offset = offset;
	pkt->at = at;
	pkt->step = l->out;
	pkt->kind = ADDRESS;
	l->cur = place_found(d, at, l->tag);
}

/* Does it say where execution is, and is no packet, but what steps lead to? */
static inline bool is_hop(const struct packet *pkt)
{
	return pkt->kind == HOP || pkt->kind == RETURN;
}

static inline bool is_place(const struct packet *pkt)
{
	return pkt->kind == ADDRESS || is_hop(pkt);
}

/* The anchor that belongs to its address, see struct place; a step behind it was made. */
static inline uint32_t anchor_of(const struct lead *l, const struct packet *pkt)
{
	return pkt->kind == RETURN ? pkt->offset : l->step[pkt->step] >> 1;
}

/* -------- calls and returns */

/* The youngest step calls. */
void lead_push(struct csf_decoder *d, struct lead *l);

/* Behind the youngest step execution is where the youngest call came from.  0: not known. */
uint32_t lead_return(struct csf_decoder *d, struct lead *l);

/*
 * As it was before step @to.  Return: that followed a return, which is undone, too: an address may
 * come instead.
 */
bool lead_undo(struct csf_decoder *d, struct lead *l, int64_t to);

/* -------- exceptions and contexts */

static inline bool has_odd(const struct packet *pkt)
{
	return pkt->kind == EXCEPTION || pkt->kind >= CONTEXT;
}

static inline bool is_odd(const struct element *el)
{
	return el->type == EL_EXCEPTION || el->type == EL_CONTEXT ||
	       (el->type == EL_ADDRESS && el->flags);
}

/*
 * @el waits: an exception; or a context, before which something waits.  When it is sure it is for
 * the queue, so where execution is behind it need not be right.
 */
void lead_put_odd(struct lead *l, const struct element *el);

/* -------- marks */

static inline bool is_mark(const struct element *el)
{
	return el->type == EL_TIME || el->type == EL_CYCLES || el->type == EL_INFO;
}

/* So many may wait.  Those that became sure are not among them any more. */
uint32_t lead_max_mark(const struct csf_decoder *d);

/*
 * May @el wait?  Not if it ends the run, or it may be that there is no room for it; nor Trace Info
 * where there is a return stack, which that empties.
 */
bool lead_may_mark(const struct csf_decoder *d, const struct lead *l, const struct element *el);

void lead_put_mark(struct lead *l, const struct element *el);

/* Those that became sure are the run's. */
void lead_give_marks(struct csf_decoder *d, struct lead *l);

/* Those in the trace before @offset, from @m on, wait in the queue again.  Returns the next one. */
const struct lead_mark *lead_unput_marks(struct csf_decoder *d, const struct lead *l,
					 const struct lead_mark *m, uint64_t offset);

/* A timestamp.  Returns its size, or 0: it is not for here, and nothing is changed. */
int lead_take_time(struct csf_decoder *d, struct lead *l, const uint8_t *pos);

/* A long cycle count, which may say what is sure, too.  Likewise. */
int lead_take_cycles(struct csf_decoder *d, struct lead *l, const uint8_t *pos);

/* An A-sync, and the Trace Info behind it.  Returns how many packets, or 0: it is not for here. */
uint32_t lead_take_sync(struct csf_decoder *d, struct lead *l);

/* -------- the queue */

/* Returns false, and nothing is changed, if it is not for here. */
bool lead_take_over(struct csf_decoder *d, struct lead *l);

/* What became sure leaves @packet. */
void lead_retire(struct csf_decoder *d, struct lead *l);

/* As if all had waited in the queue until now; what is lost is still to be committed there. */
void lead_put_back(struct csf_decoder *d, struct lead *l);

#endif /* CSF_LEAD_PARTS_H */
