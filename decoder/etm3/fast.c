// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hot loop: atoms and branches straight from the bytes, as in ../steps.h.
 *
 * The last atom waits for the next packet of atoms, as an exception may cancel it; so does the
 * address after it.  Between calls both are in the queue.
 */
#include "../classic/fast.h"
#include "../state.h"
#include "parts.h"

#define ATOMS_MAX	16	/* steps of a packet: of the atom before, and of all but its last */

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

static struct element *queued(const struct element_queue *q, uint32_t i)
{
	return &q->ring[(q->oldest + i) & (q->size - 1)];
}

/* Takes what is held from the queue.  Returns false if there is more. */
static bool held_begin(struct csf_decoder *d, struct held *h)
{
	struct element_queue *q = &d->queue;
	const struct element *el;

	*h = (struct held){ .has = q->n };
	if (!q->n)
		return true;
	el = queued(q, 0);
	if (q->n > 2 || el->type != EL_ATOMS || el->n != 1)
		return false;
	h->offset = el->offset;
	h->bit = el->val & 1;
	if (q->n == 2) {
		el = queued(q, 1);
		if (el->type != EL_ADDRESS || el->val != ETM3_BRANCHED)
			return false;
		h->moved = true;
		h->at = el->addr | el->is1;
		h->at_offset = el->offset;
	}
	*q = (struct element_queue){ .ring = q->ring, .size = q->size };
	return true;
}

static noinline void put_address(struct csf_decoder *d, uint64_t offset)
{
	struct element el = { .offset = offset, .flags = EL_CTX, .val = ETM3_BRANCHED };

	classic_add_address(d, &el);
}

static void held_put_back(struct csf_decoder *d, const struct held *h)
{
	const struct element atom = {
		.type = EL_ATOMS, .offset = h->offset, .val = h->bit, .init = h->bit, .n = 1,
	};

	if (h->has)
		classic_add(d, &atom);
	if (h->moved)
		put_address(d, h->at_offset);
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
 * What was held is sure now.  Returns false if no more packets can be taken here; an address that
 * waits for the next run is in the queue.
 */
static __always_inline bool held_step(struct csf_decoder *d, struct held *h, struct steps *s,
				      bool *sure)
{
	bool more = !h->has || step(d, s, h->offset, h->bit, 1);

	h->has = false;
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

static __always_inline void run(struct csf_decoder *d, struct held h)
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
			const struct csf_packet *pkt;
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
				h.at_offset = offset;
				if (unlikely(!h.has))
					more = held_step(d, &h, &s, &sure);
				pos += size;
				payload += size - 1;
				continue;
			}
			if (is_lost(d, &s) && !h.moved) {
				const uint8_t *const from = pos;

				pos = lose_atoms(d, &h, from, bound, &total);
				more = pos > from;
				continue;
			}
			pkt = etm3_atom_at(false, pos);
			more = *pos & 0x80 && pkt->n && held_step(d, &h, &s, &sure);
			if (unlikely(!more))
				break;
			total += pkt->n;
			if (pkt->n > 1)
				more = step(d, &s, offset, pkt->val, pkt->n - 1);
			h.has = true;
			h.bit = pkt->val >> (pkt->n - 1) & 1;
			h.offset = offset;
			pos++;
		} while (likely(more) && pos < bound);
	}

	steps_put_back(d, &s);
	d->in.win.pos = pos;
	d->stats.packets += (pos - first) - payload;
	d->stats.atoms += total;
	d->stats.p0 += total;
	held_put_back(d, &h);
}

/* An address tells the context: only one that is the same is for the hot loop. */
bool etm3_fast(struct csf_decoder *d)
{
	const struct config *c = &d->config;
	const uint8_t *pos = d->in.win.pos;
	struct held h;

	if (etm3_data_asked(d) || c->classic.cycles || c->etm3.halves || c->etm3.no_insn ||
	    !classic_follows(&d->classic) || d->classic.alt ||
	    !state_same_context(&d->classic.ctx, &d->flow.ctx) || !held_begin(d, &h))
		return false;
	run(d, h);
	return d->in.win.pos != pos || d->out.ended || d->el_ready || d->queue.commit;
}
