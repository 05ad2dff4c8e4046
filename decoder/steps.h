/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Steps: the parts of hot loops that all protocols have in common: atoms and addresses to steps,
 * without elements.
 *
 * Nine packets in ten of real trace are atoms; nearly all others are target addresses.  What a
 * loop does not take is left to the slow path, which does the same things one element at a time:
 * flow_element().
 */
#ifndef CSF_STEPS_H
#define CSF_STEPS_H

#include "flow.h"

/*
 * Goes from block @cur, or from exec.pc if that is 0, to the target address @at of the packet at
 * @offset.  Returns false if a gap ends the run first, or if @at contradicts the code: then the
 * slow path must take the packet.
 */
bool steps_settle(struct csf_decoder *d, uint32_t cur, uint64_t offset, uint64_t at);

/*
 * Finds the block for the last @n of the atoms in the packet at @offset, if it was not found before
 * or the place is not known.  Returns 0: the atoms are lost, with a gap that may have ended the
 * run, or left to the slow path.
 */
uint32_t steps_locate(struct csf_decoder *d, uint64_t offset, uint32_t atoms, uint32_t n);

/*
 * Leaves the last @n of the @atoms in the packet at @offset to the slow path: the first of them
 * contradicts the code of block @cur, where execution is.
 */
void steps_refuse(struct csf_decoder *d, uint64_t offset, uint32_t atoms, uint32_t n);

/*
 * Does the code lead to the address @at, if execution is in block @cur, or at exec.pc if that is 0?
 * Called for an address that no branch waits for; the slow path reports it if not.
 */
bool steps_agree(struct csf_decoder *d, uint32_t cur, uint64_t at);

/* Does an address change only the place of execution?  This is so from the first address on. */
static inline bool settled(const struct csf_decoder *d)
{
	const struct exec *p = &d->exec;

	return p->known && d->flow.ctx.known && !p->popped && !p->no_push && !p->cuts &&
	       !(p->unsure >> d->flow.ctx.el & 1) && !d->flow.gap_open && !d->flow.more_lost &&
	       !d->flow.more_bytes;
}

/*
 * As exec_go(), when settled().  Returns the block that was found there before, which needs no
 * more; 0: none, exec_locate() has to look.  If the caller chooses another space before the next
 * atom, exec_check() looks again.
 */
static __always_inline uint32_t go(struct csf_decoder *d, uint64_t at, uint32_t gen)
{
	const uint32_t block = address_find(d, at, gen);
	struct exec *p = &d->exec;

	p->returns = false;
	if (likely(block)) {
		p->at = at & ~1ull;
		p->anchor = block;
		return block;
	}
	p->from = 0;
	p->is1 = at & 1;
	p->pc = at & ~1ull;
	return 0;
}

/* The block after a call whose return was seen before; 0: exec_locate() has to look. */
static __always_inline uint32_t find_return(struct csf_decoder *d)
{
	struct exec *p = &d->exec;
	struct retstack *rs = &p->retstack;
	const struct call *call = &rs->call[rs->top];
	uint32_t next;

	if (!rs->n || p->popped || call->gen_key != d->flow.gen_key ||
	    call->wide != d->flow.ctx.bits64)
		return 0;
	next = load_link(&d->image->blocks.succ[call->block << 1]) & SUCC_BLOCK;
	if (!next)
		return 0;
	rs->top = (rs->top - 1) & (RETSTACK_MAX - 1);
	rs->n--;
	p->returns = false;
	p->at = call->at;
	p->anchor = call->anchor;
	p->from = 0;
	return next;
}

/* The block at an address that was looked up before; 0: exec_locate() has to look. */
static __always_inline uint32_t find_address(struct csf_decoder *d)
{
	struct exec *p = &d->exec;
	enum csf_isa isa = d->flow.ctx.bits64 ? CSF_A64 : p->is1 ? CSF_T32 : CSF_A32;
	uint64_t key = exec_wrap(isa, p->pc) | (isa == CSF_T32);
	const uint32_t block = address_find(d, key, exec_gen(d));

	/* the context for this address is still to come */
	if (unlikely(isa == CSF_A64 && p->is1))
		return 0;
	if (!block)
		return 0;
	p->at = key & ~1ull;
	p->anchor = block;
	p->from = 0;
	return block;
}

/*
 * The state of a decoder that the loops keep in locals.
 *
 * @succ: block_table.succ
 * @out: place for the next step
 * @cur: as in struct exec
 * @gen: exec_gen(), which does not change meanwhile
 * @stack: there is a return stack: a constant, as each case is compiled separately
 */
struct steps {
	const uint32_t *succ;
	uint32_t *out;
	uint64_t cur;
	uint32_t gen;
	bool stack;
};

static __always_inline struct steps steps_begin(struct csf_decoder *d, bool stack)
{
	return (struct steps){
		.succ = d->image->blocks.succ,
		.out = d->out.step + d->out.n_step,
		.cur = d->exec.cur,
		.gen = exec_gen(d),
		.stack = stack,
	};
}

static __always_inline void steps_put_back(struct csf_decoder *d, const struct steps *s)
{
	d->exec.cur = s->cur;
	d->out.n_step = s->out - d->out.step;
}

/* The block where execution is, if it was found before; otherwise 0. */
static __always_inline uint32_t find_known(struct csf_decoder *d, bool stack)
{
	const struct exec *p = &d->exec;

	if (unlikely(!p->known || !d->flow.ctx.known))
		return 0;
	if (!p->returns)
		return find_address(d);
	return stack ? find_return(d) : 0;
}

/*
 * Goes on after @step, where @next is more than a block.  @on: the next block is needed at once.
 * *@never: the code says that the step is not possible.
 */
static __always_inline uint32_t leave(struct csf_decoder *d, uint32_t step, uint64_t next,
				      bool stack, bool on, bool *never)
{
	*never = false;
	if (stack && next & SUCC_PUSH)
		exec_push(d, step >> 1);
	if (next & SUCC_AWAY) {
		if (unlikely(!(next & SUCC_OUT))) {
			*never = !(step & 1);
			if (*never)
				return 0;
			d->exec.retstack.n = 0;
		}
		d->exec.returns = true;
		d->exec.from = 0;
		return 0;
	}
	next &= SUCC_BLOCK;
	if (likely(next))
		return next;
	return exec_follow(d, step >> 1, step & 1, on);
}

/* Finds the block where execution is, if needed.  Returns false if the @n @atoms are not taken. */
static __always_inline bool steps_found(struct csf_decoder *d, struct steps *s, uint64_t offset,
					uint32_t atoms, uint32_t n)
{
	if (likely(s->cur))
		return true;
	/* The target of an address would also be found through its step, but again each time. */
	if (d->exec.from && d->exec.known)
		s->cur = exec_link(d);
	if (!s->cur)
		s->cur = find_known(d, s->stack);
	if (unlikely(!s->cur))
		s->cur = steps_locate(d, offset, atoms, n);
	if (likely(s->cur))
		return true;
	s->cur = d->exec.cur;
	return false;
}

/* For rare code: the compiler must compute from @x, not keep what @x was computed from. */
#define again(x)	({ typeof(x) x_ = (x); asm("" : "+r"(x_)); x_; })

/*
 * Takes back the last step, and leaves its atom and the @n @atoms after it in the packet at @offset
 * to the slow path.
 */
static __always_inline void steps_take_back(struct csf_decoder *d, struct steps *s, uint64_t offset,
					    uint32_t atoms, uint32_t n)
{
	s->out = again(s->out) - 1;
	s->cur = *s->out >> 1;
	steps_refuse(d, offset, again(atoms) << 1, again(n) + 1);
}

/*
 * Steps through the @n @atoms, 1 at least, of the packet at @offset.  Returns the number of atoms
 * that are not taken here: the run may have ended, or d->el holds the rest of them.
 */
static __always_inline uint32_t step_atoms(struct csf_decoder *d, struct steps *s, uint64_t offset,
					   uint32_t atoms, uint32_t n)
{
	uint64_t step;
	bool never;

	for (;;) {
		if (unlikely(!steps_found(d, s, offset, atoms, n)))
			return n;
		/* Most steps: one load and one branch that is not taken. */
		do {
			step = 2 * s->cur + (atoms & 1);
			atoms >>= 1;
			s->cur = load_link(&s->succ[step]);
			*s->out++ = step;
		} while (--n && likely((int32_t)s->cur > 0));
		if (likely((int32_t)s->cur > 0))
			return 0;
		s->cur = leave(d, step, s->cur, s->stack, n, &never);
		if (unlikely(never)) {
			steps_take_back(d, s, offset, atoms, n);
			return again(n) + 1;
		}
		if (!n)
			return 0;
	}
}

/*
 * The limit up to which packets of up to @max atoms can be taken without checking @room for their
 * steps.  @n: atoms of the first, at @pos.
 */
static __always_inline const uint8_t *steps_bound(const uint8_t *pos, const uint8_t *safe,
						  size_t room, unsigned int max, unsigned int n)
{
	size_t packets = room / max;

	if (safe <= pos)
		return pos;
	if (unlikely(!packets))
		packets = n <= room;
	return (size_t)(safe - pos) > packets ? pos + packets : safe;
}

/*
 * Execution, which is settled(), goes on at @at.  Returns as steps_settle().  An address that no
 * branch waits for is that of a branch that is broadcast, and its block is the current one.
 * @broadcast: there may be many of these: a constant.
 */
static __always_inline bool steps_go_on(struct csf_decoder *d, struct steps *s, uint64_t at,
					const bool broadcast)
{
	if (unlikely(!d->exec.returns)) {
		if (broadcast && likely(s->cur && address_find(d, at, s->gen) == s->cur))
			return true;
		if (!steps_agree(d, s->cur, at))
			return false;
	}
	s->cur = go(d, at, s->gen);
	return true;
}

/* Likewise, without a check, and *@sure: is it settled()? */
static __always_inline bool steps_go(struct csf_decoder *d, struct steps *s, uint64_t offset,
				     uint64_t at, bool *sure)
{
	if (likely(*sure)) {
		s->cur = go(d, at, s->gen);
		return true;
	}
	if (!steps_settle(d, s->cur, offset, at))
		return false;
	s->cur = 0;
	*sure = d->flow.ctx.known;
	return true;
}

#endif /* CSF_STEPS_H */
