// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hot loop: atoms, and the addresses between them, straight from the bytes.
 */
#include "fast.h"

bool fast_settle(struct csf_decoder *d, uint64_t offset, uint64_t at)
{
	if (d->more_lost || d->more_bytes) {
		d->el.offset = offset;
		flow_say_more(d);
		return false;
	}
	place_go(d, at & ~1ull, at & 1);
	d->gap_open = false;
	return true;
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

uint32_t fast_locate(struct csf_decoder *d, uint64_t offset, uint32_t atoms, uint32_t n)
{
	enum located where;

	d->place.cur = 0;
	where = place_locate(d);
	if (where == PLACE_NO_CODE && flow_asks(d)) {
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

/* Steps through an atom packet.  Returns false if it was the last that can be taken here. */
static __always_inline bool take_atoms(struct csf_decoder *d, uint64_t offset, uint8_t header,
				       uint32_t **outp, uint32_t *curp, bool stack)
{
	const uint32_t atoms = packet_atom[header & 0x3f];
	uint32_t left = step_atoms(d, offset, atoms, atoms >> 24, outp, curp, stack);

	if (likely(!left))
		return true;
	d->stats.atoms += left;
	return !(d->ended | d->el_ready);
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
	const uint64_t base = window_offset(&d->win, pos) - (uintptr_t)pos;
	bool sure = settled(d);

	while (pos < safe) {
		if (likely(*pos >= 0xc0)) {
			bool more = take_atoms(d, base + (uintptr_t)pos, *pos, &out, &cur,
					       stack);

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
				if (!fast_settle(d, base + (uintptr_t)pos, at))
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
	if (d->config.max_spec)
		flow_fast_spec(d);
	else if (d->config.retstack)
		run(d, true);
	else
		run(d, false);
}
