// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "state.h"

static uint64_t mix(uint64_t sum, uint64_t v)
{
	return (sum ^ v) * 0x9e3779b97f4a7c15ull + (sum >> 29);
}

static uint64_t mix_context(uint64_t sum, const struct csf_context *c)
{
	sum = mix(sum, (uint64_t)c->contextid << 32 | c->vmid);
	return mix(sum, c->el | c->security << 8 | c->bits64 << 16 | c->has_contextid << 17 |
		   c->has_vmid << 18 | c->known << 19);
}

/*
 * The hot loop leaves fields open that atoms and addresses do not use.  Cycle counts have a step
 * number counted from the start of decode, which differs between the two.
 */
static uint64_t mix_element(uint64_t sum, const struct element *el, uint64_t seq)
{
	sum = mix(sum, el->offset);
	sum = mix(sum, el->type | el->flags << 8 | el->stage << 24 | (uint64_t)el->begun << 31);
	if (el->type == EL_ATOMS)
		return mix(mix(sum, el->val), el->init | (uint64_t)el->n << 32);
	sum = mix(sum, el->addr);
	sum = mix(sum, el->is1);
	if (el->type == EL_ADDRESS && !el->flags)
		return sum;
	sum = mix(sum, el->val);
	if (el->type == EL_CYCLES)
		sum = mix(sum, el->flags & EL_LATER ? 0 : el->at - seq);
	else
		sum = mix(sum, el->at);
	sum = mix(sum, el->count | (uint64_t)el->exception << 32 | (uint64_t)el->n << 48);
	return mix_context(sum, &el->ctx);
}

static uint64_t sum_queue(const struct csf_decoder *d)
{
	const struct element_queue *q = &d->queue;
	uint64_t sum = q->n;

	for (uint32_t i = 0; i < q->n; i++)
		sum = mix_element(sum, &q->ring[(q->oldest + i) & (q->size - 1)], d->flow.seq);
	return sum;
}

/* State that an address settles, or that is never there right after one. */
static bool is_slow(const struct csf_decoder *d)
{
	const struct exec *p = &d->exec;

	return d->el_ready || d->in.skipped || d->flow.marker || d->flow.gap_open ||
	       d->flow.more_lost || d->flow.more_bytes || d->flow.asked_at == d->flow.seq + 1 ||
	       p->cur || p->from || p->returns || p->popped || p->no_push || p->missed ||
	       p->unsure || p->cuts || p->retstack.n;
}

void state_take(struct state *s, const struct csf_decoder *d)
{
	*s = (struct state){
		.offset = window_offset(&d->in.win, d->in.win.pos),
		.pc = d->exec.pc,
		.is1 = d->exec.is1,
		.known = d->exec.known,
		.queue = sum_queue(d),
		.depth = d->queue.depth,
		.unseen = d->queue.unseen,
		.commit = d->queue.commit,
		.ctx = d->flow.ctx,
		.space = d->flow.space,
		.joined = d->in.joined,
		.in_transaction = d->flow.in_transaction,
		.marker_seen = d->flow.marker_seen,
		.unique = is_slow(d),
	};
	d->protocol->take_state(s, d);
}

void state_end(struct state *begin, const struct csf_decoder *d)
{
	struct state end = { .settled = false };

	d->protocol->take_state(&end, d);
	begin->settled = end.settled;
}

bool state_same_context(const struct csf_context *a, const struct csf_context *b)
{
	return a->contextid == b->contextid && a->vmid == b->vmid && a->el == b->el &&
	       a->security == b->security && a->bits64 == b->bits64 &&
	       a->has_contextid == b->has_contextid && a->has_vmid == b->has_vmid &&
	       a->known == b->known;
}

bool state_same(const struct protocol *p, const struct state *a, const struct state *b)
{
	return !a->unique && !b->unique && a->offset == b->offset && a->pc == b->pc &&
	       a->queue == b->queue && a->commit == b->commit && a->depth == b->depth &&
	       a->unseen == b->unseen && state_same_context(&a->ctx, &b->ctx) &&
	       a->space == b->space && a->is1 == b->is1 && a->known == b->known &&
	       a->joined == b->joined && a->in_transaction == b->in_transaction &&
	       a->marker_seen == b->marker_seen && p->same_state(a, b);
}
