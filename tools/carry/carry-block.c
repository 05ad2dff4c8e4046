// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "carry-block.h"

/* The most new blocks that one old block becomes. */
#define PARTS_MAX	64

/**
 * struct part - instructions of the new function, by index
 * @first, @last: executed one after the other
 * @cut: @last is not the branch that ended the old block: that one is not there
 * @swap: the branch was turned round: it is taken where the old one was not
 */
struct part {
	uint32_t first, last;
	bool cut, swap;
};

/* Where the straight code to instruction @i begins, as far as it belongs to no old instruction. */
static uint32_t straight_from(const struct carry_match *m, uint32_t i)
{
	while (i && m->from[i - 1] == CARRY_NONE && !(m->b->insn[i - 1].flags & CSF_FLAG_P0) &&
	       m->b->piece[m->b->piece_of[i]].first != i)
		i--;
	return i;
}

/* Where straight code from instruction @i on ends: at a branch, or before one after @old. */
static uint32_t straight_to(const struct carry_match *m, uint32_t i, uint32_t old, bool *cut)
{
	*cut = false;
	while (i + 1 < m->b->n && !(m->b->insn[i].flags & CSF_FLAG_P0)) {
		if (m->from[i + 1] != CARRY_NONE && m->from[i + 1] > old) {
			*cut = true;
			break;
		}
		i++;
	}
	return i;
}

/* Did the sense of a branch change?  Where it leads decides; if that is not known, its opcode. */
static bool is_swapped(const struct carry_match *m, uint32_t old, uint32_t new)
{
	const struct carry_insn *a = &m->a->insn[old], *b = &m->b->insn[new];
	const uint32_t a_to = carry_jumps(a) ? carry_function_at(m->a, a->target) : CARRY_NONE;
	const uint32_t b_to = carry_jumps(b) ? carry_function_at(m->b, b->target) : CARRY_NONE;
	const uint32_t taken = a_to == CARRY_NONE ? CARRY_NONE : m->to[a_to];
	const uint32_t passed = old + 1 < m->a->n ? m->to[old + 1] : CARRY_NONE;

	if (!(a->flags & b->flags & CSF_FLAG_COND) || a_to == CARRY_NONE || b_to == CARRY_NONE)
		return false;
	if (taken == b_to || passed == new + 1)
		return false;
	if (taken == new + 1 || passed == b_to)
		return true;
	return a->sense != b->sense;
}

/* The new place of the old instructions @first to @last.  Return: there is one. */
static bool place(const struct carry_match *m, uint32_t first, uint32_t last, struct part *p)
{
	uint32_t i = first, end = last;

	while (i <= last && m->to[i] == CARRY_NONE)
		i++;
	if (i > last)
		return false;
	while (m->to[end] == CARRY_NONE)
		end--;
	*p = (struct part){ .first = m->to[i], .last = m->to[end] };
	if (i != first)
		p->first = straight_from(m, p->first);
	if (p->last < p->first)
		p->first = straight_from(m, p->last);
	if (end != last)
		p->last = straight_to(m, p->last, last, &p->cut);
	else
		p->swap = is_swapped(m, last, p->last);
	return true;
}

/* The counts of the last instruction of the new block @b, from the old block. */
static void count(struct count_block *b, const struct count_block *old, const struct part *p)
{
	const uint64_t ran = count_ran(old);

	b->taken = p->swap ? old->passed : old->taken;
	b->passed = p->swap ? old->taken : old->passed;
	if (b->flags & CSF_FLAG_CUT || !(b->flags & CSF_FLAG_P0)) {
		b->taken = 0;
		b->passed = ran;
	} else if (count_branches(b) && !(b->flags & CSF_FLAG_COND)) {
		b->taken = ran;
		b->passed = 0;
	} else if (old->flags & CSF_FLAG_CUT || !count_conditional(old)) {
		b->taken = 0;
		b->passed = ran;
	}
}

/* Is the branch that ends the new block the one that ended the old block? */
static bool is_last(const struct code_walk *w, const struct carry_pair *pair, const struct part *p)
{
	return w->addr >= pair->new.addr + 4ull * (p->last + 1);
}

/* A branch that the old block did not have: it was passed, or it called and came back. */
static bool pass(struct count_block *b, uint64_t ran)
{
	const bool falls = !count_branches(b) || b->flags & (CSF_FLAG_COND | CSF_FLAG_LINK);

	b->taken = count_branches(b) && !(b->flags & CSF_FLAG_COND) ? ran : 0;
	b->passed = b->taken ? 0 : ran;
	return falls;
}

static int add_parts(struct code_walk *w, const struct carry_pair *pair, const struct part *p,
		     const struct count_block *old)
{
	const bool cut = p->cut || old->flags & CSF_FLAG_CUT;
	struct count_dso *dso = &w->table->dso[w->dso];
	int err = 0;

	w->isa = CSF_A64;
	w->addr = pair->new.addr + 4ull * p->first;
	w->end = cut ? pair->new.addr + 4ull * (p->last + 1) : 0;
	for (int i = 0; i < PARTS_MAX && !err; i++) {
		struct csf_insn insn;
		struct count_block b;
		bool last, on = true;

		err = code_walk_block(w, count_ran(old), &b, &insn);
		if (err)
			break;
		last = is_last(w, pair, p);
		if (last)
			count(&b, old, p);
		else
			on = pass(&b, count_ran(old));
		if (!(b.flags & CSF_FLAG_CUT))
			code_walk_target(w, &insn, &b);
		err = count_block_add(dso, &b);
		if (last || !on)
			break;
	}
	return err == -ENOENT ? 0 : err;
}

int carry_block(struct code_walk *walk, const struct carry_pair *pair, uint32_t first,
		const struct count_block *b, uint32_t *carried)
{
	const struct carry_match *m = &pair->match;
	const uint32_t last = first + b->n_insn - 1;
	struct part p;

	*carried = 0;
	for (uint32_t i = first; i <= last; i++)
		*carried += m->to[i] != CARRY_NONE;
	return place(m, first, last, &p) ? add_parts(walk, pair, &p, b) : 0;
}
