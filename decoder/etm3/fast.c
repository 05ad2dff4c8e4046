// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hot loop: atoms and branches straight from the bytes, as in ../steps.h.
 *
 * The last atom waits for the next packet of atoms, as an exception may cancel it; so do the
 * address and the cycle counts after it.  Between calls all are in the queue.
 */
#include "../classic/fast.h"
#include "../state.h"
#include "parts.h"

#define ATOMS_MAX	16	/* steps of a packet: of the atom before, and of all but its last */
#define CYCLES_MAX	8	/* cycle counts that wait; and of a packet */

/**
 * struct held - what is not sure yet
 * @has: an atom, @bit, of the packet at @offset
 * @moved: after it, the address @at, of the packet at @at_offset
 */
struct held {
	uint64_t offset, at_offset, at;
	bool has, moved;
	uint8_t bit;
};

/* @n cycle counts after the atom that is held, @before of them before the address. */
struct waiting {
	uint8_t n, before;
	struct {
		uint64_t offset;
		uint32_t count;
	} of[CYCLES_MAX];
};

static struct element *queued(const struct element_queue *q, uint32_t i)
{
	return &q->ring[(q->oldest + i) & (q->size - 1)];
}

static __always_inline void hold_cycles(struct waiting *w, uint64_t offset, uint32_t count)
{
	w->of[w->n].offset = offset;
	w->of[w->n++].count = count;
}

/* Holds what comes after the atom.  Returns false if that is more than fits. */
static __always_inline bool held_take(struct held *h, struct waiting *w, const struct element *el,
				      bool marks)
{
	if (marks && el->type == EL_CYCLES && el->flags & EL_COUNT && w->n < CYCLES_MAX) {
		hold_cycles(w, el->offset, el->count);
		return true;
	}
	if (el->type != EL_ADDRESS || el->val != ETM3_BRANCHED || h->moved)
		return false;
	h->moved = true;
	w->before = w->n;
	h->at = el->addr | el->is1;
	h->at_offset = el->offset;
	return true;
}

/* Takes what is held from the queue.  Returns false if there is more. */
static __always_inline bool held_begin(struct csf_decoder *d, struct held *h, struct waiting *w,
				       bool marks)
{
	struct element_queue *q = &d->queue;
	const struct element *el;

	*h = (struct held){ .has = q->n };
	w->n = 0;
	if (!q->n)
		return true;
	el = queued(q, 0);
	if ((!marks && q->n > 2) || el->type != EL_ATOMS || el->n != 1)
		return false;
	h->offset = el->offset;
	h->bit = el->val & 1;
	for (uint32_t i = 1; i < q->n; i++)
		if (!held_take(h, w, queued(q, i), marks))
			return false;
	*q = (struct element_queue){ .ring = q->ring, .size = q->size };
	return true;
}

static noinline void put_address(struct csf_decoder *d, uint64_t offset)
{
	struct element el = { .offset = offset, .flags = EL_CTX, .val = ETM3_BRANCHED };

	classic_add_address(d, &el);
}

static void put_atom(struct csf_decoder *d, uint64_t offset, uint8_t bit)
{
	const struct element atom = {
		.type = EL_ATOMS, .offset = offset, .val = bit, .init = bit, .n = 1,
	};

	classic_add(d, &atom);
}

/* Puts the parts after the atom in their order; @from: without the first cycles, which are done. */
static noinline void put_rest(struct csf_decoder *d, const struct held *h,
			      const struct waiting *w, uint8_t from)
{
	for (uint8_t i = from; i <= w->n; i++) {
		if (h->moved && i == w->before)
			put_address(d, h->at_offset);
		if (i < w->n)
			classic_add_cycles(d, w->of[i].offset, w->of[i].count, true);
	}
}

static __always_inline void held_put_back(struct csf_decoder *d, const struct held *h,
					  const struct waiting *w, bool marks)
{
	if (h->has)
		put_atom(d, h->offset, h->bit);
	if (marks)
		put_rest(d, h, w, 0);
	else if (h->moved)
		put_address(d, h->at_offset);
}

/* A cycle count, after the steps made so far. */
static __always_inline void mark_cycles(struct csf_decoder *d, const struct steps *s,
					uint64_t offset, uint32_t count)
{
	d->out.n_step = s->out - d->out.step;
	flow_cycles(d, offset, flow_now(d), count, EL_COUNT);
}

/* Is the place not known, and was that said? */
static __always_inline bool is_lost(const struct csf_decoder *d, const struct steps *s)
{
	return unlikely(!s->cur) && d->flow.gap_open && !d->exec.known;
}

/* Returns false if no more packets can be taken here. */
static __always_inline bool step(struct csf_decoder *d, struct steps *s, uint64_t offset,
				 uint32_t atoms, uint32_t n)
{
	return likely(!step_atoms(d, s, offset, atoms, n)) || !(d->out.ended | d->el_ready);
}

/*
 * As held_step(), after the step, with cycles.  Returns false if no more packets can be taken here.
 */
static __always_inline bool held_cycles(struct csf_decoder *d, struct held *h, struct waiting *w,
					struct steps *s, bool *sure, bool more)
{
	const uint8_t before = h->moved ? w->before : w->n;
	uint8_t i = 0;

	for (; more && i < before; i++)
		mark_cycles(d, s, w->of[i].offset, w->of[i].count);
	if (more && h->moved)
		more = steps_go(d, s, h->at_offset, h->at, sure);
	if (unlikely(!more)) {
		put_rest(d, h, w, i);
		h->moved = false;
		w->n = 0;
		return false;
	}
	for (; i < w->n; i++)
		mark_cycles(d, s, w->of[i].offset, w->of[i].count);
	h->moved = false;
	w->n = 0;
	return true;
}

/*
 * Packets that were held are sure now.  Returns false if no more packets can be taken here; an
 * address that waits for the next run is in the queue.
 */
static __always_inline bool held_step(struct csf_decoder *d, struct held *h, struct waiting *w,
				      struct steps *s, bool *sure, bool cycles)
{
	bool more = !h->has || step(d, s, h->offset, h->bit, 1);

	h->has = false;
	if (cycles)
		return held_cycles(d, h, w, s, sure, more);
	if (!h->moved)
		return more;
	h->moved = false;
	more = more && steps_go(d, s, h->at_offset, h->at, sure);
	if (unlikely(!more))
		put_address(d, h->at_offset);
	return more;
}

/*
 * Loses all atoms from @pos on, until the place may be known again; the last one waits.  Adds their
 * number to *@total.  Returns the end of their packets.
 */
static const uint8_t *lose_atoms(struct csf_decoder *d, struct held *h, const uint8_t *pos,
				 const uint8_t *bound, uint64_t *total)
{
	const uint8_t *const first = pos;
	uint64_t lost = h->has;

	for (; pos < bound && (*pos & 0x81) == 0x80; pos++) {
		const struct csf_packet *pkt = etm3_atom_at(false, pos);

		if (unlikely(!pkt->n))
			break;
		*total += pkt->n;
		lost += pkt->n;
		h->bit = pkt->val >> (pkt->n - 1) & 1;
	}
	if (pos == first)
		return pos;
	d->flow.more_lost += lost - 1;
	h->has = true;
	h->offset = window_offset(&d->in.win, pos - 1);
	return pos;
}

/*
 * Steps through all but the last atom of @pkt.  With cycles, each has a mark after it; what cannot
 * be stepped is left to the slow path.  Returns as step().
 */
static __always_inline bool step_packet(struct csf_decoder *d, struct steps *s, uint64_t offset,
					const struct csf_packet *pkt, bool cycles)
{
	const unsigned int n = pkt->n - 1;
	bool more = true;

	if (!cycles)
		return step(d, s, offset, pkt->val, n);
	/* of several atoms, each has a cycle, or only the first of two */
	for (unsigned int i = 0; i < n; i++) {
		if (likely(more)) {
			more = step(d, s, offset, pkt->val >> i & 1, 1);
			if (likely(more))
				mark_cycles(d, s, offset, pkt->count > i);
		} else {
			put_atom(d, offset, pkt->val >> i & 1);
		}
		if (unlikely(!more))
			classic_add_cycles(d, offset, pkt->count > i, true);
	}
	return more;
}

/* Cycles without an atom, after what is held.  Returns false if that is more than fits. */
static bool wait_cycles(struct csf_decoder *d, struct steps *s, bool held, struct waiting *w,
			uint64_t offset, uint32_t count)
{
	if (!held)
		mark_cycles(d, s, offset, count);
	else if (w->n < CYCLES_MAX)
		hold_cycles(w, offset, count);
	else
		return false;
	return true;
}

/* Is there room for the marks of a packet, and of what was held? */
static bool has_room(const struct csf_decoder *d)
{
	return d->out.n_mark <= MARK_MAX - 4 - 2 * CYCLES_MAX;
}

/*
 * Takes the packet of atoms at @pos, which is even, and adds their number to *@total.  *@more: more
 * packets can be taken here.
 * Returns false if it is another packet, or not for here.
 */
static __always_inline bool take_atoms(struct csf_decoder *d, struct held *h, struct waiting *w,
				       struct steps *s, const uint8_t *pos, uint64_t offset,
				       uint64_t *total, bool *sure, bool *more, bool cycles,
				       bool marks)
{
	const struct csf_packet *pkt = etm3_atom_at(cycles, pos);

	if (unlikely(!(*pos & 0x80)) || (marks && unlikely(!has_room(d))))
		return false;
	if (cycles && !pkt->n)
		return pkt->type == CSF_PKT_ATOM &&
		       (!marks || wait_cycles(d, s, h->has, w, offset, pkt->count));
	if (unlikely(!pkt->n || !held_step(d, h, w, s, sure, marks)))
		return false;
	*total += pkt->n;
	if (pkt->n > 1)
		*more = step_packet(d, s, offset, pkt, marks);
	h->has = true;
	h->bit = pkt->val >> (pkt->n - 1) & 1;
	h->offset = offset;
	if (marks)
		hold_cycles(w, offset, pkt->n > 1 ? pkt->count >= pkt->n : pkt->count);
	return true;
}

/* @cycles: atoms have cycles; @marks: they are asked for.  Each is compiled separately. */
static __always_inline void run(struct csf_decoder *d, struct held h, struct waiting *w,
				bool cycles, bool marks)
{
	const uint8_t *pos = d->in.win.pos, *const first = pos, *bound;
	const uint8_t *const safe = window_near(&d->in.win, CLASSIC_BRANCH_MAX);
	const uint32_t *const full = d->out.step + d->config.run_max - d->out.n_more;
	const uint64_t base = window_offset(&d->in.win, pos) - (uintptr_t)pos;
	struct steps s = steps_begin(d, false);
	uint64_t payload = 0, total = 0;
	bool sure = settled(d), more = true;

	while (more && (bound = steps_bound(pos, safe, full - s.out, ATOMS_MAX, ATOMS_MAX)) > pos) {
		do {
			const uint64_t offset = base + (uintptr_t)pos;
			unsigned int size;

			if (*pos & 1) {
				more = !h.moved;
				size = more ? classic_take_branch(&d->classic, pos,
								  d->config.etm3.alt, &h.at) : 0;
				if (unlikely(!size)) {
					more = false;
					break;
				}
				h.moved = true;
				if (marks)
					w->before = w->n;
				h.at_offset = offset;
				if (unlikely(!h.has))
					more = held_step(d, &h, w, &s, &sure, marks);
				pos += size;
				payload += size - 1;
				continue;
			}
			if (!cycles && is_lost(d, &s) && !h.moved) {
				const uint8_t *const from = pos;

				pos = lose_atoms(d, &h, from, bound, &total);
				more = pos > from;
				continue;
			}
			if (unlikely(!take_atoms(d, &h, w, &s, pos, offset, &total, &sure, &more,
						 cycles, marks))) {
				more = false;
				break;
			}
			pos++;
		} while (likely(more) && pos < bound);
	}

	steps_put_back(d, &s);
	d->in.win.pos = pos;
	d->stats.packets += (pos - first) - payload;
	d->stats.atoms += total;
	d->stats.p0 += total;
	held_put_back(d, &h, w, marks);
}

/* As etm3_fast(). */
static __always_inline bool try(struct csf_decoder *d, bool cycles, bool marks)
{
	const uint8_t *pos = d->in.win.pos;
	struct waiting w;
	struct held h;

	if (!held_begin(d, &h, &w, marks))
		return false;
	run(d, h, &w, cycles, marks);
	return d->in.win.pos != pos || d->out.ended || d->el_ready || d->queue.commit;
}

/* A function of its own: the loop without cycles is compiled better alone. */
static noinline bool try_cycles(struct csf_decoder *d)
{
	return d->config.marks & CSF_MARK_CYCLES ? try(d, true, true) : try(d, true, false);
}

/* An address tells the context: only one that is the same is for the hot loop. */
bool etm3_fast(struct csf_decoder *d)
{
	const struct config *c = &d->config;

	if (etm3_data_asked(d) || c->etm3.halves || c->etm3.no_insn ||
	    !classic_follows(&d->classic) || d->classic.alt ||
	    !state_same_context(&d->classic.ctx, &d->flow.ctx))
		return false;
	return c->classic.cycles ? try_cycles(d) : try(d, false, false);
}
