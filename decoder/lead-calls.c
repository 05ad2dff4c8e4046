// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls and returns that are stepped ahead: the return stack is ahead, too, and goes back with the
 * steps that changed it.
 */
#include "lead-parts.h"

static struct lead_undo *undo_next(struct lead *l, uint32_t step, bool push, uint8_t n)
{
	struct lead_undo *u = &l->undo[l->n_undo++ % UNDO_MAX];

	u->step = step;
	u->push = push;
	u->n = n;
	return u;
}

void lead_push(struct csf_decoder *d, struct lead *l)
{
	struct retstack *rs = &d->place.retstack;
	const uint32_t step = l->out - 1;
	struct lead_undo *u = undo_next(l, step, true, rs->n);
	const struct packet *last = l->next;
	struct call *call;

	rs->top = (rs->top + 1) & (RETSTACK_MAX - 1);
	call = &rs->call[rs->top];
	rs->n += rs->n < RETSTACK_MAX;
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

uint32_t lead_return(struct csf_decoder *d, struct lead *l)
{
	struct retstack *rs = &d->place.retstack;
	const struct call *call = &rs->call[rs->top];
	struct packet *pkt = l->next;
	uint32_t next;

	if (pkt >= l->packet + PACKETS || !rs->n || call->epoch != d->epoch ||
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
	undo_next(l, l->out, false, rs->n);
	rs->top = (rs->top - 1) & (RETSTACK_MAX - 1);
	rs->n--;
	return next;
}

bool lead_undo(struct csf_decoder *d, struct lead *l, int64_t to)
{
	struct retstack *rs = &d->place.retstack;
	bool returned = false;

	while (l->n_undo) {
		const struct lead_undo *u = &l->undo[(l->n_undo - 1) % UNDO_MAX];

		if (u->step < to)
			break;
		if (u->push)
			rs->call[rs->top] = u->was;
		else
			returned = u->step == to;
		rs->top = (rs->top + (u->push ? -1 : 1)) & (RETSTACK_MAX - 1);
		rs->n = u->n;
		l->n_undo--;
	}
	return returned;
}
