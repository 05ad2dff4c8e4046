// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hot loop: atoms and branches straight from the bytes, as in ../steps.h. */
#include "../classic/fast.h"
#include "parts.h"

#define ATOMS_MAX	5	/* atoms of a packet */

/* Steps through @n @atoms.  Returns false if no more packets can be taken here. */
static __always_inline bool take_atoms(struct csf_decoder *d, struct steps *s, uint64_t offset,
				       uint32_t atoms, uint32_t n)
{
	const uint32_t left = step_atoms(d, s, offset, atoms, n);

	if (likely(!left))
		return true;
	d->stats.atoms += left;
	return !(d->out.ended | d->el_ready);
}

/*
 * Execution goes on at @at, or will do so in the next run.  Returns false then.  @until_sure: it is
 * not settled(); a constant.
 */
static __always_inline bool go_on(struct csf_decoder *d, struct steps *s, uint64_t offset,
				  uint64_t at, const bool until_sure, bool *sure, bool more)
{
	struct element el = { .offset = offset };

	if (likely(more) && likely(until_sure ? steps_go(d, s, offset, at, sure) :
						steps_go_on(d, s, at, false)))
		return true;
	classic_add_address(d, &el);
	return false;
}

/* A cycle count, after the steps of its packet or what is left of them. */
static __always_inline void add_cycles(struct csf_decoder *d, const struct steps *s,
				       uint64_t offset, uint32_t count, bool more)
{
	d->out.n_step = s->out - d->out.step;
	if (likely(more))
		flow_cycles(d, offset, flow_now(d), count, EL_COUNT);
	else
		classic_add_cycles(d, offset, count, true);
}

/*
 * Takes the packet of atoms at @pos, which is even.  *@more: more packets can be taken here.
 * Returns its size; 0: it is another packet.
 */
static __always_inline unsigned int take_packet(struct csf_decoder *d, struct steps *s,
						const uint8_t *pos, uint64_t offset, bool cycles,
						bool *more)
{
	const struct csf_packet *pkt = ptm_atom_at(pos);
	unsigned int size = 1;
	uint32_t count;

	if (unlikely(!(*pos & 0x80)))
		return 0;
	if (!cycles) {
		if (unlikely(!pkt->n))
			return 0;
		*more = take_atoms(d, s, offset, pkt->val, pkt->n);
		return 1;
	}
	size = ptm_read_count(pos, 0, 1, &count);
	*more = take_atoms(d, s, offset, !(*pos & 2), 1);
	add_cycles(d, s, offset, count, *more);
	return size;
}

/* Likewise, of a branch.  @until_sure, *@sure: as in go_on(). */
static __always_inline unsigned int take_branch(struct csf_decoder *d, struct steps *s,
						const uint8_t *pos, uint64_t offset, bool cycles,
						const bool until_sure, bool *sure, bool *more)
{
	uint64_t at = 0;
	unsigned int size = classic_take_branch(&d->classic, pos, true, &at);
	uint32_t count;

	if (unlikely(!size))
		return 0;
	*more = take_atoms(d, s, offset, 1, 1);
	if (cycles) {
		size = ptm_read_count(pos, size, size + 1, &count);
		add_cycles(d, s, offset, count, *more);
	}
	*more = go_on(d, s, offset, at, until_sure, sure, *more);
	return size;
}

/*
 * A return @stack and @cycles need more work, so this is compiled separately for them, and until
 * execution is settled().
 */
static __always_inline void run(struct csf_decoder *d, const bool stack, const bool cycles,
				const bool until_sure)
{
	const uint8_t *pos = d->in.win.pos, *const first = pos, *bound;
	const uint8_t *const safe = window_near(&d->in.win, CLASSIC_BRANCH_MAX +
						(cycles ? PTM_COUNT_MAX : 0));
	const uint32_t *const full = d->out.step + d->config.run_max - d->out.n_more;
	const uint64_t base = window_offset(&d->in.win, pos) - (uintptr_t)pos;
	const uint64_t atoms_before = d->stats.atoms;
	const uint32_t steps_before = d->out.n_step;
	struct steps s = steps_begin(d, stack);
	uint64_t payload = 0;
	bool sure = !until_sure, more = true;

	while (more && (bound = steps_bound(pos, safe, full - s.out, ATOMS_MAX, ATOMS_MAX)) > pos) {
		do {
			const uint64_t offset = base + (uintptr_t)pos;
			unsigned int size = 0;

			if (likely(!cycles || d->out.n_mark <= MARK_MAX - 4))
				size = *pos & 1 ?
				       take_branch(d, &s, pos, offset, cycles, until_sure, &sure,
						   &more) :
				       take_packet(d, &s, pos, offset, cycles, &more);
			if (unlikely(!size)) {
				more = false;
				break;
			}
			pos += size;
			payload += size - 1;
		} while (likely(more) && pos < bound && !(until_sure && sure));
		more = more && !(until_sure && sure);
	}

	steps_put_back(d, &s);
	d->in.win.pos = pos;
	d->stats.packets += (pos - first) - payload;
	d->stats.atoms += d->out.n_step - steps_before;
	d->stats.p0 += d->stats.atoms - atoms_before;
}

/* As run(); @stack and @until_sure are constants. */
static __always_inline void run_all(struct csf_decoder *d, const bool stack, const bool until_sure)
{
	if (d->config.classic.cycles)
		run(d, stack, true, until_sure);
	else
		run(d, stack, false, until_sure);
}

bool ptm_fast(struct csf_decoder *d)
{
	const uint8_t *pos = d->in.win.pos;

	if (!classic_follows(&d->classic) || d->classic.alt)
		return false;
	if (!settled(d))
		d->config.retstack ? run_all(d, true, true) : run_all(d, false, true);
	else
		d->config.retstack ? run_all(d, true, false) : run_all(d, false, false);
	return d->in.win.pos != pos;
}
