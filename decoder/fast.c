// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hot loop: atoms, and the addresses between them, straight from the bytes.
 *
 * Nine packets in ten of real trace are atoms, nearly all others target
 * addresses.  Here both are applied without becoming elements.  Whatever is out
 * of the ordinary is left to the slow path, which does the same things one
 * element at a time: flow_element().  Only without speculation.
 */
#include "flow.h"

/* Is all that an address changes where execution is?  So it is from the first one on. */
static bool settled(const struct csf_decoder *d)
{
	const struct place *p = &d->place;

	return p->known && d->ctx.known && !p->popped && !p->no_push && !p->cuts &&
	       !d->gap_open && !d->more_lost && !d->more_bytes;
}

/* The target address @at of the packet at @pos.  Returns false if a gap ends the run first. */
static noinline bool settle(struct csf_decoder *d, const uint8_t *pos, uint64_t at)
{
	if (d->more_lost || d->more_bytes) {
		d->el.offset = window_offset(&d->win, pos);
		flow_say_more(d);
		return false;
	}
	place_go(d, at & ~1ull, at & 1);
	d->gap_open = false;
	return true;
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
	next = d->image->blocks.succ[call->block << 1];
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

/* What is left of an atom packet, as an element for the slow path. */
static void leave_rest(struct csf_decoder *d, uint64_t offset, uint32_t atoms, uint32_t n)
{
	d->el = (struct element){
		.type = EL_ATOMS, .offset = offset, .val = atoms, .init = atoms, .n = n,
		.begun = true,
	};
	d->el_ready = true;
}

/*
 * Where the last @n of the atoms in the packet at @pos begin.  0: they are lost,
 * with a gap that may have ended the run, or left to the slow path.
 */
static noinline uint32_t locate(struct csf_decoder *d, const uint8_t *pos, uint32_t atoms,
				uint32_t n)
{
	uint64_t offset = window_offset(&d->win, pos);
	enum located where;

	d->place.cur = 0;
	where = place_locate(d);
	if (where == PLACE_NO_CODE && d->config.ask_code) {
		leave_rest(d, offset, atoms, n);
		return 0;
	}
	if (where != PLACE_FOUND) {
		d->el.offset = offset;
		flow_lose(d, where, n);
		return 0;
	}
	if (!(flow_block(d, d->place.cur)->odd & BLOCK_CUT))
		return d->place.cur;
	leave_rest(d, offset, atoms, n);
	return 0;
}

/* As locate(); most have been found before. */
static __always_inline uint32_t find(struct csf_decoder *d, const uint8_t *pos, uint32_t atoms,
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
	return likely(cur) ? cur : locate(d, pos, atoms, n);
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

/* The most atoms that a packet has. */
#define ATOMS_MAX	24

/* The most atoms that a packet has. */
#define ATOMS_MAX	24

/* Steps through the packet at @pos.  Returns false if it was the last that can be taken here. */
static __always_inline bool take_atoms(struct csf_decoder *d, const uint8_t *pos, uint32_t **outp,
				       uint32_t *curp, bool stack)
{
	const uint32_t *const succ = d->image->blocks.succ;
	uint32_t atoms = packet_atom[*pos & 0x3f], n = atoms >> 24;
	uint32_t *out = *outp, cur = *curp;
	uint64_t step;
	bool more = true;

	while (n) {
		if (unlikely(!cur)) {
			cur = find(d, pos, atoms, n, stack);
			if (unlikely(!cur)) {
				cur = d->place.cur;
				d->stats.atoms += n;
				more = !(d->ended | d->el_ready);
				break;
			}
		}
		/* What most are: a load and a jump that is not taken, each. */
		do {
			step = 2ull * cur + (atoms & 1);
			atoms >>= 1;
			cur = succ[step];
			*out++ = step;
		} while (--n && likely((int32_t)cur > 0));
		if (unlikely((int32_t)cur <= 0))
			cur = leave(d, step, cur, stack);
	}
	*outp = out;
	*curp = cur;
	return more;
}

/* How far packets can be taken without asking whether there is room for their steps. */
static const uint8_t *with_room(const struct csf_decoder *d)
{
	const struct window *win = &d->win;
	uint32_t packets = (d->config.run_max - d->n_step) / ATOMS_MAX;

	return win->safe > win->pos && win->safe - win->pos > packets ? win->pos + packets :
									win->safe;
}

/*
 * Runs of atoms, and the addresses between them.  With a return @stack there is more
 * to do, and it is compiled apart: most traces have none.
 */
static __always_inline void run(struct csf_decoder *d, const bool stack)
{
	const uint8_t *pos = d->win.pos, *const safe = with_room(d);
	const uint8_t *const first = pos;
	uint32_t *out = d->step + d->n_step, cur = d->place.cur;
	const uint64_t atoms_before = d->stats.atoms, tag = place_tag(d);
	const uint32_t steps_before = d->n_step;
	uint64_t *const last = d->expand.addr;
	uint64_t payload = 0;
	bool sure = settled(d);

	while (pos < safe) {
		if (likely(*pos >= 0xc0)) {
			bool more = take_atoms(d, pos, &out, &cur, stack);

			pos++;
			if (unlikely(!more))
				break;
		} else if ((*pos & 0xf0) == 0x90) {
			uint64_t at;
			unsigned int size;

			if (unlikely(!packet_address_at(pos, last, &at, &size)))
				break;
			if (likely(sure)) {
				cur = go(d, at, tag);
			} else {
				if (!settle(d, pos, at))
					break;
				cur = 0;
				sure = d->ctx.known;
			}
			last[2] = last[1];
			last[1] = last[0];
			last[0] = at;
			pos += size;
			payload += size - 1;
		} else {
			break;
		}
	}

	d->win.pos = pos;
	d->place.cur = cur;
	d->n_step = out - d->step;
	d->stats.packets += (pos - first) - payload;
	d->stats.atoms += d->n_step - steps_before;
	d->stats.p0 += d->stats.atoms - atoms_before;
}

void flow_fast(struct csf_decoder *d)
{
	if (d->config.retstack)
		run(d, true);
	else
		run(d, false);
}
