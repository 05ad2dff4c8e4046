// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls and returns that are stepped ahead: the return stack is ahead, too, and goes back with the
 * steps that changed it.
 */
#include "lead-calls.h"

void lead_push(struct csf_decoder *d, struct lead *l)
{
	struct calls c = calls_of(d, l);

	calls_push(d, l, &c);
}

uint32_t lead_return(struct csf_decoder *d, struct lead *l)
{
	struct calls c = calls_of(d, l);

	return calls_return(d, l, &c);
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
