// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hot loop with speculation: atoms and addresses wait in the queue of elements until a Commit
 * packet commits them.
 *
 * Between packets the oldest element, if there is one, is an uncommitted P0 element: all committed
 * elements were taken at once.
 */
#include "fast.h"

/* The state of struct csf_decoder that the loop keeps in locals: its steps, and its queue. */
struct going {
	struct steps s;
	uint32_t *end;
	bool sure;		/* settled() */
	struct element *ring;
	uint32_t mask;
	uint32_t oldest, n, depth;
	uint32_t commit;
};

static __always_inline struct going begin(struct csf_decoder *d, bool stack)
{
	const struct element_queue *q = &d->queue;

	return (struct going){
		.s = steps_begin(d, stack), .end = d->out.step + d->config.run_max,
		.sure = settled(d),
		.ring = q->ring, .mask = q->size - 1,
		.oldest = q->oldest, .n = q->n, .depth = q->depth, .commit = d->queue.commit,
	};
}

static __always_inline void put_back(struct csf_decoder *d, const struct going *g)
{
	struct element_queue *q = &d->queue;

	q->oldest = g->oldest;
	q->n = g->n;
	q->depth = g->depth;
	d->queue.commit = g->commit;
	steps_put_back(d, &g->s);
}

/*
 * Takes as many of the oldest atoms as are committed.  Returns false if the slow path must go on.
 */
static __always_inline bool drain_atoms(struct csf_decoder *d, struct element *el, struct going *g)
{
	uint32_t n = el->n < g->commit ? el->n : g->commit, atoms = el->val, left;

	if (g->end - g->s.out < n || (g->s.stack && el->val != el->init))
		return false;
	d->exec.fresh = false;
	g->depth -= n;
	g->commit -= n;
	if (n == el->n) {
		g->oldest++;
		g->n--;
	} else {
		el->n -= n;
		el->val >>= n;
		el->init >>= n;
	}
	left = step_atoms(d, &g->s, el->offset, atoms, n);
	return likely(!left) || !(d->out.ended | d->el_ready);
}

/*
 * As steps_go_on(); @until_sure: likewise, but settled() is not until there is a context.  That is
 * a constant, as in fast.c.
 */
static __always_inline bool go_on(struct csf_decoder *d, uint64_t offset, uint64_t at,
				  struct going *g, const bool until_sure)
{
	if (!until_sure && !steps_go_on(d, &g->s, at, !g->s.stack))
		return false;
	if (!until_sure) {
		d->exec.fresh = true;
		return true;
	}
	if (!steps_settle(d, g->s.cur, offset, at))
		return false;
	g->s.cur = 0;
	g->sure = d->flow.ctx.known;
	return true;
}

/* Takes committed elements from the queue.  Returns false if the slow path must go on with it. */
static __always_inline bool drain(struct csf_decoder *d, struct going *g, const bool until_sure)
{
	while (g->n) {
		struct element *el = &g->ring[g->oldest & g->mask];

		if (likely(el->type == EL_ATOMS)) {
			if (!g->commit)
				return true;
			if (!drain_atoms(d, el, g))
				return false;
			continue;
		}
		if (el->type != EL_ADDRESS || el->flags ||
		    !go_on(d, el->offset, el->addr | el->is1, g, until_sure))
			return false;
		g->oldest++;
		g->n--;
	}
	return true;
}

/* Appends the youngest element, all but its value. */
static __always_inline struct element *append(struct going *g, enum element_type type,
					      uint64_t offset)
{
	struct element *el = &g->ring[(g->oldest + g->n++) & g->mask];

	el->type = type;
	el->offset = offset;
	el->flags = 0;
	el->stage = STAGE_START;
	el->begun = false;
	return el;
}

/*
 * Takes an atom packet at @offset.  If more than MAXSPEC P0 elements are then uncommitted, the
 * oldest are committed.  Returns as drain().
 */
static __always_inline bool take_atoms(struct csf_decoder *d, uint64_t offset,
				       const struct packet_atoms *atoms, struct going *g,
				       const bool until_sure)
{
	struct element *el = append(g, EL_ATOMS, offset);

	el->val = atoms->bits;
	el->init = atoms->bits;
	el->n = atoms->n;
	g->depth += atoms->n;
	if (g->depth <= d->config.max_spec)
		return true;
	g->commit = g->depth - d->config.max_spec;
	return drain(d, g, until_sure);
}

/* Takes the address @at from a packet at @offset.  Returns as go_on(). */
static __always_inline bool take_address(struct csf_decoder *d, uint64_t offset, uint64_t at,
					 struct going *g, const bool until_sure)
{
	struct element *el;

	if (!g->n)
		return go_on(d, offset, at, g, until_sure);
	el = append(g, EL_ADDRESS, offset);
	el->addr = at & ~1ull;
	el->is1 = at & 1;
	return true;
}

/*
 * Takes a Cancel or Mispredict packet.  Returns its size; 0: it is another packet, or makes no
 * sense.  A fault that is found late is left to be found again: d->etm4.late.
 */
static noinline int take_back(struct csf_decoder *d, const uint8_t *pos)
{
	struct element_queue *q = &d->queue;
	struct csf_packet pkt;
	struct element el = { .type = EL_ATOMS, .offset = window_offset(&d->in.win, pos) };
	int size;

	if (*pos < 0x2e || *pos > 0x3f)
		return 0;
	size = packet_read(&d->config, pos, &pkt);
	if (pkt.type == CSF_PKT_BAD || q->depth + pkt.n > d->config.max_spec ||
	    pkt.count > q->depth + pkt.n)
		return 0;
	el.n = pkt.n;
	el.val = pkt.val;
	el.init = pkt.val;
	if (pkt.n && !queue_push(q, &el))
		return 0;
	d->stats.atoms += pkt.n;
	d->stats.p0 += pkt.n;
	if (pkt.type != CSF_PKT_MISPREDICT)
		queue_cancel(q, pkt.count);
	if ((pkt.type == CSF_PKT_MISPREDICT || pkt.flags & CSF_PKT_MISP) &&
	    !queue_mispredict(q)) {
		d->etm4.late = LATE_MISPREDICT;
		d->etm4.late_offset = el.offset;
	}
	return size;
}

static __always_inline void run(struct csf_decoder *d, const bool stack, const bool until_sure)
{
	const uint8_t *pos = d->in.win.pos, *const first = pos, *const safe = d->in.win.safe;
	const uint64_t base = window_offset(&d->in.win, pos) - (uintptr_t)pos;
	struct going g = begin(d, stack);
	uint64_t at = 0, n_atom = 0, payload = 0;
	unsigned int size;

	while (pos < safe && g.n <= g.mask && !(until_sure && g.sure)) {
		const uint64_t offset = base + (uintptr_t)pos;

		if (likely(*pos >= 0xc0)) {
			const struct packet_atoms *atoms = &packet_atom[*pos++];

			n_atom += atoms->n;
			if (!take_atoms(d, offset, atoms, &g, until_sure))
				break;
		} else if (*pos == 0x2d && pos[1] < 0x80 && pos[1] <= g.depth) {
			g.commit = pos[1];
			pos += 2;
			payload++;
			if (!drain(d, &g, until_sure))
				break;
		} else if (packet_is_address[*pos]) {
			size = packet_address_at(pos, d->etm4.expand.addr, &at);
			if (!take_address(d, offset, at, &g, until_sure))
				break;
			expand_push(&d->etm4.expand, at);
			pos += size;
			payload += size - 1;
		} else {
			put_back(d, &g);
			size = take_back(d, pos);
			if (!size)
				break;
			g = begin(d, stack);
			pos += size;
			payload += size - 1;
			if (d->etm4.late || !drain(d, &g, until_sure))
				break;
		}
	}
	put_back(d, &g);
	d->stats.packets += (pos - first) - payload;
	d->stats.atoms += n_atom;
	d->stats.p0 += n_atom;
	d->in.win.pos = pos;
}

/* Can run() take the next packet? */
static bool is_ordinary(const struct csf_decoder *d)
{
	const uint8_t *const pos = d->in.win.pos;

	return pos < d->in.win.safe && ((*pos >= 0x2d && *pos < 0x40) || *pos >= 0xc0 ||
				     packet_is_address[*pos]);
}

void flow_fast_spec(struct csf_decoder *d)
{
	if (d->queue.unseen || !d->queue.size)
		return;
	if (d->in.win.pos >= d->in.win.safe && !d->in.win.flush)
		etm4_look(&d->in.win, &d->config);
	if (!is_ordinary(d))
		return;
	if (settled(d))
		d->config.retstack ? run(d, true, false) : run(d, false, false);
	else
		d->config.retstack ? run(d, true, true) : run(d, false, true);
}

void flow_fast_drain(struct csf_decoder *d)
{
	struct going g;

	if (d->queue.unseen)
		return;
	g = begin(d, d->config.retstack);
	drain(d, &g, !g.sure);
	put_back(d, &g);
}
