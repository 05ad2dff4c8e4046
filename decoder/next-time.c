// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "next-time.h"

/* Time 0 means that the trace unit did not know the time. */
void next_time_see(struct next_time *next, uint64_t offset, uint64_t time)
{
	if (offset < next->pos)
		return;
	if (time > next->bound)
		next->above = time;
	else if (time)
		next->last = time;
}

void next_time_see_held(struct next_time *next, const struct csf_decoder *d)
{
	const struct element_queue *q = &d->queue;

	if (d->el_ready && d->el.type == EL_TIME)
		next_time_see(next, d->el.offset, d->el.val);
	for (uint32_t i = 0; i < q->n && !next->above; i++) {
		const struct element *el = &q->ring[(q->oldest + i) & (q->size - 1)];

		if (el->type == EL_TIME)
			next_time_see(next, el->offset, el->val);
	}
}
