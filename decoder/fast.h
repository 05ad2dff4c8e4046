/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the hot loops share: atoms to steps, and addresses, without elements.
 *
 * Nine packets in ten of real trace are atoms, nearly all others target
 * addresses.  Whatever is out of the ordinary is left to the slow path, which does
 * the same things one element at a time: flow_element().
 *
 *	fast.c		without speculation: atoms become steps as they come
 *	fast-spec.c	with it: when they are committed
 */
#ifndef CSF_FAST_H
#define CSF_FAST_H

#include "flow.h"

/* The most atoms that a packet has. */
#define ATOMS_MAX	24

/* The target address @at of the packet at @offset.  Returns false if a gap ends the run first. */
bool fast_settle(struct csf_decoder *d, uint64_t offset, uint64_t at);

/*
 * Where the last @n of the atoms in the packet at @offset begin.  0: they are lost,
 * with a gap that may have ended the run, or left to the slow path.
 */
uint32_t fast_locate(struct csf_decoder *d, uint64_t offset, uint32_t atoms, uint32_t n);

/* Is all that an address changes where execution is?  So it is from the first one on. */
static inline bool settled(const struct csf_decoder *d)
{
	const struct place *p = &d->place;

	return p->known && d->ctx.known && !p->popped && !p->no_push && !p->cuts &&
	       !d->gap_open && !d->more_lost && !d->more_bytes;
}

/*
 * As place_go(), when settled().  A block that was found there before needs no more of it; a
 * caller that chooses another space before the next atom makes place_check() ask again.
 * Returns 0 if none was: place_locate() has to look.
 */
static __always_inline uint32_t go(struct csf_decoder *d, uint64_t at, uint64_t tag)
{
	const struct place_cache *c = place_slot(d, at);
	struct place *p = &d->place;

	p->returns = false;
	if (likely(c->key == at && c->tag == tag && c->plain)) {
		p->base = c->base;
		return c->plain;
	}
	p->from = 0;
	p->is1 = at & 1;
	p->pc = at & ~1ull;
	return 0;
}

/* A return to a call whose return was seen before; 0: place_locate() has to look. */
static __always_inline uint32_t find_return(struct csf_decoder *d)
{
	struct place *p = &d->place;
	struct retstack *rs = &p->retstack;
	const struct call *call = &rs->call[rs->top];
	uint32_t next;

	if (!rs->n || p->popped || call->epoch != d->epoch ||
	    call->wide != d->ctx.bits64)
		return 0;
	next = load_link(&d->image->blocks.succ[call->block << 1]);
	if (!next)
		return 0;
	rs->top = (rs->top - 1) & (RETSTACK_MAX - 1);
	rs->n--;
	p->returns = false;
	p->base = call->base;
	p->from = 0;
	return next;
}

/* The block at an address that was looked up before; 0: place_locate() has to look. */
static __always_inline uint32_t find_address(struct csf_decoder *d)
{
	struct place *p = &d->place;
	enum csf_isa isa = d->ctx.bits64 ? CSF_A64 : p->is1 ? CSF_T32 : CSF_A32;
	uint64_t key = place_wrap(isa, p->pc) | (isa == CSF_T32);
	const struct place_cache *c = place_slot(d, key);

	if (c->key != key || c->tag != place_tag(d) || !c->plain)
		return 0;
	p->base = c->base;
	p->from = 0;
	return c->plain;
}

/* As fast_locate(); most have been found before. */
static __always_inline uint32_t find(struct csf_decoder *d, uint64_t offset, uint32_t atoms,
				     uint32_t n, bool stack)
{
	const struct place *p = &d->place;
	uint32_t cur = 0;

	if (likely(p->known && d->ctx.known)) {
		if (!p->returns)
			cur = find_address(d);
		else if (stack)
			cur = find_return(d);
	} else if (d->gap_open && !p->known) {
		d->more_lost += n;
		return 0;
	}
	return likely(cur) ? cur : fast_locate(d, offset, atoms, n);
}

/* Behind @step, of which @next is not just a block. */
static __always_inline uint32_t leave(struct csf_decoder *d, uint32_t step, uint32_t next,
				      bool stack)
{
	if (stack && next & SUCC_PUSH)
		place_push(d, step >> 1);
	if (next & SUCC_AWAY) {
		d->place.returns = true;
		d->place.from = 0;
		return 0;
	}
	next &= SUCC_BLOCK;
	if (likely(next))
		return next;
	place_leave(d, step >> 1, step & 1);
	return d->place.cur;
}

/*
 * Steps through the @n @atoms of the packet at @offset.  Returns how many of them
 * are not taken here: the run may have ended, or d->el be what is left of them.
 */
static __always_inline uint32_t step_atoms(struct csf_decoder *d, uint64_t offset, uint32_t atoms,
					   uint32_t n, uint32_t **outp, uint32_t *curp, bool stack)
{
	const uint32_t *const succ = d->image->blocks.succ;
	uint32_t *out = *outp, cur = *curp;
	uint64_t step;

	while (n) {
		if (unlikely(!cur)) {
			cur = find(d, offset, atoms, n, stack);
			if (unlikely(!cur)) {
				cur = d->place.cur;
				break;
			}
		}
		/* What most are: a load and a jump that is not taken, each. */
		do {
			step = 2ull * cur + (atoms & 1);
			atoms >>= 1;
			cur = load_link(&succ[step]);
			*out++ = step;
		} while (--n && likely((int32_t)cur > 0));
		if (unlikely((int32_t)cur <= 0))
			cur = leave(d, step, cur, stack);
	}
	*outp = out;
	*curp = cur;
	return n;
}

#endif /* CSF_FAST_H */
