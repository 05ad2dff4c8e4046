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

/* Execution goes on at @at, or will do so in the next run.  Returns false then. */
static __always_inline bool go_on(struct csf_decoder *d, struct steps *s, uint64_t offset,
				  uint64_t at, bool *sure, bool more)
{
	struct element el = { .offset = offset };

	if (likely(more) && likely(steps_go(d, s, offset, at, sure)))
		return true;
	classic_add_address(d, &el);
	return false;
}

/* A return @stack needs more work, so this is compiled separately for it. */
static __always_inline void run(struct csf_decoder *d, const bool stack)
{
	const uint8_t *pos = d->in.win.pos, *const first = pos, *bound;
	const uint8_t *const safe = window_near(&d->in.win, CLASSIC_BRANCH_MAX);
	const uint32_t *const full = d->out.step + d->config.run_max - d->out.n_more;
	const uint64_t base = window_offset(&d->in.win, pos) - (uintptr_t)pos;
	const uint64_t atoms_before = d->stats.atoms;
	const uint32_t steps_before = d->out.n_step;
	struct steps s = steps_begin(d, stack);
	uint64_t payload = 0, at = 0;
	bool sure = settled(d), more = true;

	while (more && (bound = steps_bound(pos, safe, full - s.out, ATOMS_MAX, ATOMS_MAX)) > pos) {
		do {
			const uint64_t offset = base + (uintptr_t)pos;
			unsigned int size;

			if (!(*pos & 1)) {
				const struct csf_packet *pkt = ptm_atom_at(pos);

				more = *pos & 0x80 && pkt->n;
				if (unlikely(!more))
					break;
				more = take_atoms(d, &s, offset, pkt->val, pkt->n);
				pos++;
				continue;
			}
			size = classic_take_branch(&d->classic, pos, true, &at);
			if (unlikely(!size)) {
				more = false;
				break;
			}
			more = take_atoms(d, &s, offset, 1, 1);
			more = go_on(d, &s, offset, at, &sure, more);
			pos += size;
			payload += size - 1;
		} while (likely(more) && pos < bound);
	}

	steps_put_back(d, &s);
	d->in.win.pos = pos;
	d->stats.packets += (pos - first) - payload;
	d->stats.atoms += d->out.n_step - steps_before;
	d->stats.p0 += d->stats.atoms - atoms_before;
}

bool ptm_fast(struct csf_decoder *d)
{
	const uint8_t *pos = d->in.win.pos;

	if (d->config.classic.cycles || !classic_follows(&d->classic) || d->classic.alt)
		return false;
	if (d->config.retstack)
		run(d, true);
	else
		run(d, false);
	return d->in.win.pos != pos;
}
