// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "steps.h"

bool steps_agree(struct csf_decoder *d, uint32_t cur, uint64_t at)
{
	if (!d->config.checks)
		return true;
	d->exec.cur = cur;
	return exec_agrees(d, at & ~1ull);
}

bool steps_settle(struct csf_decoder *d, uint32_t cur, uint64_t offset, uint64_t at)
{
	if (d->flow.more_lost || d->flow.more_bytes) {
		d->el.offset = offset;
		flow_say_more(d);
		return false;
	}
	if (!steps_agree(d, cur, at))
		return false;
	exec_go(d, at & ~1ull, at & 1);
	exec_back(d, d->flow.ctx.el);
	d->flow.gap_open = false;
	return true;
}

/* Makes an element for the slow path of the rest of an atom packet. */
static void leave_rest(struct csf_decoder *d, uint64_t offset, uint32_t atoms, uint32_t n)
{
	d->el = (struct element){
		.type = EL_ATOMS, .offset = offset, .val = atoms, .init = atoms, .n = n,
		.begun = true,
	};
	d->el_ready = true;
}

void steps_refuse(struct csf_decoder *d, uint64_t offset, uint32_t atoms, uint32_t n)
{
	leave_rest(d, offset, atoms, n);
}

uint32_t steps_locate(struct csf_decoder *d, uint64_t offset, uint32_t atoms, uint32_t n)
{
	enum located where;

	d->exec.cur = 0;
	if (d->flow.gap_open && !d->exec.known) {
		d->flow.more_lost += n;
		return 0;
	}
	where = exec_locate(d);
	if (where == EXEC_NO_CODE && flow_asks(d)) {
		leave_rest(d, offset, atoms, n);
		return 0;
	}
	if (where != EXEC_FOUND) {
		d->el.offset = offset;
		flow_lose(d, where, n);
		return 0;
	}
	if (!(flow_block(d, d->exec.cur)->slow & BLOCK_CUT))
		return d->exec.cur;
	leave_rest(d, offset, atoms, n);
	return 0;
}
