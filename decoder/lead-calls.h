/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls and returns of the hot loop, of lead.c and lead-calls.c alone. */
#ifndef CSF_LEAD_CALLS_H
#define CSF_LEAD_CALLS_H

#include "lead-parts.h"

/**
 * struct calls - what changes of the return stack, and of what can be undone, with each call
 * @top: retstack.top; likewise @n
 * @n_undo: lead.n_undo
 *
 * They are stored there at once, but not read again: a call would wait for the one before.
 */
struct calls {
	uint32_t top, n;
	uint32_t n_undo;
};

static __always_inline struct calls calls_of(const struct csf_decoder *d, const struct lead *l)
{
	return (struct calls){
		.top = d->place.retstack.top, .n = d->place.retstack.n, .n_undo = l->n_undo,
	};
}

/* How to undo what step @step is about to change. */
static __always_inline struct lead_undo *calls_undo(struct lead *l, struct calls *c,
						    uint32_t step, bool push)
{
	struct lead_undo *u = &l->undo[c->n_undo++ % UNDO_MAX];

	l->n_undo = c->n_undo;
	u->step = step;
	u->push = push;
	u->n = c->n;
	return u;
}

static __always_inline void calls_move(struct csf_decoder *d, struct calls *c, uint32_t top,
				       uint32_t n)
{
	c->top = top & (RETSTACK_MAX - 1);
	c->n = n;
	d->place.retstack.top = c->top;
	d->place.retstack.n = n;
}

/* As lead_push(). */
static __always_inline void calls_push(struct csf_decoder *d, struct lead *l, struct calls *c)
{
	const uint32_t step = l->out - 1;
	struct lead_undo *u = calls_undo(l, c, step, true);
	const struct packet *last = l->next;
	struct call *call;

	calls_move(d, c, c->top + 1, c->n + (c->n < RETSTACK_MAX));
	call = &d->place.retstack.call[c->top];
	u->was = *call;		/* a return that is undone needs it */
	call->epoch = d->epoch;
	call->block = l->step[step] >> 1;
	call->wide = d->ctx.bits64;
	while (last > l->packet && !is_place(&last[-1]))
		last--;
	if (last == l->packet) {
		call->at = d->place.at;
		call->anchor = d->place.anchor;
		return;
	}
	last--;
	call->at = last->at & ~1ull;
	call->anchor = anchor_of(l, last);
}

/* As lead_return(). */
static __always_inline uint32_t calls_return(struct csf_decoder *d, struct lead *l,
					     struct calls *c)
{
	const struct call *call = &d->place.retstack.call[c->top];
	struct packet *pkt = l->next;
	uint32_t next;

	if (pkt >= l->packet + PACKETS || !c->n || call->epoch != d->epoch ||
	    call->wide != d->ctx.bits64)
		return 0;
	next = load_link(&l->succ[call->block << 1]) & SUCC_BLOCK;
	if (!next)
		next = place_foresee(d, call->block << 1);
	if (!next)
		return 0;
	pkt->offset = call->anchor;
	pkt->at = call->at;
	pkt->step = l->out;
	pkt->kind = RETURN;
	l->next++;
	calls_undo(l, c, l->out, false);
	calls_move(d, c, c->top - 1, c->n - 1);
	return next;
}

#endif /* CSF_LEAD_CALLS_H */
