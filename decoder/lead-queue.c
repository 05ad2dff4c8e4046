// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What waits in the queue is taken over, and given back: before stepping ahead and behind it, and
 * nobody sees the difference.
 */
#include <assert.h>

#include "lead-parts.h"

/* Where execution is before step @i; 0: not known. */
static uint32_t block_before(const struct lead *l, int64_t i)
{
	if (i < l->out)
		return l->step[i] >> 1;
	return l->cur;
}

/* With a return stack what atoms were at first counts, too, and steps do not say that. */
static bool may_wait(const struct csf_decoder *d, const struct lead *l, const struct element *el)
{
	if (el->type == EL_ATOMS)
		return !l->stack || el->val == el->init;
	return el->type == EL_ADDRESS || is_odd(el) || (is_mark(el) && lead_may_mark(d, l, el));
}

bool lead_take_over(struct csf_decoder *d, struct lead *l)
{
	const struct element_queue *q = &d->queue;
	struct place *p = &d->place;

	if (!settled(d) || d->commit || q->n > ODD_MAX ||
	    q->depth + ATOMS_MAX > d->config.run_max - d->n_step)
		return false;
	for (uint32_t i = q->n; i--; ) {
		const struct element *el = &q->ring[(q->oldest + i) & (q->size - 1)];

		if (!may_wait(d, l, el))
			return false;
		if (!i && el->type != EL_ATOMS && el->type != EL_EXCEPTION)
			return false;
	}
	if (!p->cur && !p->returns)
		p->cur = find_address(d);
	l->cur = p->cur;
	for (uint32_t i = 0; i < q->n; i++) {
		const struct element *el = &q->ring[(q->oldest + i) & (q->size - 1)];

		assert(el->type != EL_ATOMS || el->n);
		if (el->type == EL_ATOMS)
			step(d, l, el->offset, el->val, el->n);
		else if (is_mark(el))
			lead_put_mark(l, el);
		else if (is_odd(el))
			lead_put_odd(l, el);
		else
			go_to(d, l, el->offset, el->addr | el->is1);
	}
	return true;
}

/* Does @pkt say where execution is before the first step that is not sure? */
static bool places(const struct lead *l, const struct packet *pkt)
{
	/* Behind a return that is sure an address may come, if the step is not. */
	return is_place(pkt) && pkt->step + (pkt->kind == RETURN) <= l->sure &&
	       block_before(l, pkt->step);
}

void lead_retire(struct csf_decoder *d, struct lead *l)
{
	const struct packet *pkt = l->next, *live = l->next;
	struct place *p = &d->place;
	int64_t end = l->out;

	if (l->n_mark)
		lead_give_marks(d, l);
	while (pkt > l->packet && !places(l, pkt - 1))
		pkt--;
	if (pkt-- > l->packet) {
		p->at = pkt->at & ~1ull;
		p->cur = block_before(l, pkt->step);
		p->anchor = pkt->kind == RETURN ? pkt->offset : p->cur;
		p->returns = false;
		p->popped = false;
		p->no_push = false;
	}
	for (; live > l->packet; live--) {
		if (is_hop(&live[-1]))
			continue;
		if (live[-1].kind == ATOMS ? end <= l->sure : places(l, live - 1))
			break;
		end = live[-1].step;
	}
	memmove(l->packet, live, (char *)l->next - (char *)live);
	l->next -= live - l->packet;
}

/* The atoms from step @from to step @to, as an element. */
static struct element atoms_between(const struct lead *l, uint64_t offset, int64_t from,
				    int64_t to)
{
	struct element el = { .type = EL_ATOMS, .offset = offset, .n = to - from };

	for (int64_t i = from; i < to; i++)
		el.val |= (uint64_t)(l->step[i] & 1) << (i - from);
	el.init = el.val;
	return el;
}

/* What is not sure of the atoms in @pkt, which are those up to step @to, and marks from @m on. */
static const struct lead_mark *put_atoms(struct csf_decoder *d, const struct lead *l,
					 const struct packet *pkt, int64_t to,
					 const struct lead_mark *m)
{
	const uint8_t *const bytes = (const uint8_t *)(uintptr_t)pkt->at;
	const uint64_t offset = bytes ? window_offset(&d->win, bytes) : pkt->offset;
	int64_t from = pkt->step, end = to;

	for (size_t i = 0; from < to; i++) {
		if (bytes) {
			while (bytes[i] < 0xc0)		/* a Commit, or a short cycle count */
				i += bytes[i] >> 4 == 1 ? 1 : 2;
			end = from + packet_atom[bytes[i]].n;
			if (end > to)
				end = to;
		}
		if (end > l->sure) {
			m = lead_unput_marks(d, l, m, offset + i);
			from = from > l->sure ? from : l->sure;
			d->queue.ring[d->queue.n++] = atoms_between(l, offset + i, from, end);
		}
		from = end;
	}
	return m;
}

static void fill_queue(struct csf_decoder *d, const struct lead *l)
{
	struct element_queue *q = &d->queue;
	const struct lead_mark *m = l->mark;

	q->oldest = 0;
	q->n = 0;
	q->depth = l->out - l->sure;
	for (const struct packet *pkt = l->packet; pkt < l->next; pkt++) {
		const struct packet *next = pkt + 1;

		while (next < l->next && is_hop(next))
			next++;
		if (pkt->kind == ADDRESS || has_odd(pkt))
			m = lead_unput_marks(d, l, m, pkt->offset);
		if (pkt->kind == ADDRESS)
			q->ring[q->n++] = (struct element){
				.type = EL_ADDRESS, .offset = pkt->offset,
				.addr = pkt->at & ~1ull, .is1 = pkt->at & 1,
			};
		else if (has_odd(pkt))
			q->ring[q->n++] = l->odd[pkt->at];
		else if (pkt->kind == ATOMS)
			m = put_atoms(d, l, pkt, next < l->next ? next->step : l->out, m);
	}
	lead_unput_marks(d, l, m, UINT64_MAX);
}

void lead_put_back(struct csf_decoder *d, struct lead *l)
{
	struct place *p = &d->place;
	uint32_t cur, last;

	d->commit = 0;
	if (l->sure > l->lost) {
		d->commit = l->sure - l->lost;
		l->sure = l->lost;
	}
	lead_retire(d, l);
	cur = block_before(l, l->sure);
	if (l->stack && lead_undo(d, l, l->sure))
		cur = 0;
	if (cur) {
		p->cur = cur;
		p->returns = false;
	} else if (l->sure > l->first) {
		last = l->step[l->sure - 1];
		p->returns = false;
		p->cur = leave(d, last, load_link(&l->succ[last]), false, false);
	}
	fill_queue(d, l);
	d->n_step = l->sure;
}
