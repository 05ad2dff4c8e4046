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

/* Short, 32-bit and 64-bit target addresses and exact matches, all without context. */
static bool is_address(uint8_t header)
{
	return header >= 0x90 && header <= 0x9e;
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

/* Returns false if the packet is not a plain target address. */
static bool take_address(struct csf_decoder *d, const uint8_t *pos, int *size)
{
	struct csf_packet pkt;

	if (d->more_lost | d->more_bytes)
		return false;
	*size = packet_read(&d->config, pos, &pkt);
	if (pkt.type < CSF_PKT_ADDR_MATCH || pkt.type > CSF_PKT_ADDR64)
		return false;
	expand_address(&d->expand, &pkt);
	place_go(d, d->expand.addr[0], d->expand.is1[0]);
	d->gap_open = false;
	return true;
}

/*
 * Steps @n atoms.  Between two indirect branches it reads one word an atom; with
 * a return stack also what kind of block it is, for calls push.  Returns how many
 * atoms are left because the next one is not plain.
 */
static __always_inline uint32_t step(struct csf_decoder *d, uint32_t atoms, uint32_t n,
				     uint32_t **outp, bool stack)
{
	const uint32_t *const succ = d->image->blocks.succ;
	uint32_t cur = d->place.cur, *out = *outp;

	while (n) {
		uint32_t taken = atoms & 1, next;

		if (unlikely(!cur)) {
			d->place.cur = 0;
			if (place_locate(d) != PLACE_FOUND)
				break;
			cur = d->place.cur;
			if (flow_block(d, cur)->odd & BLOCK_CUT)
				break;
		}
		next = succ[cur << 1 | taken];
		*out++ = cur << 1 | taken;
		if (unlikely(!next) || (stack && flow_block(d, cur)->odd & BLOCK_LINK)) {
			d->place.cur = cur;
			p0_leave(d, cur, taken, taken);
			next = d->place.cur;
		}
		cur = next;
		atoms >>= 1;
		n--;
	}
	d->place.cur = cur;
	*outp = out;
	return n;
}

void flow_fast(struct csf_decoder *d)
{
	const uint8_t *pos = d->win.pos, *const safe = d->win.safe;
	const bool stack = d->config.retstack;
	uint32_t *out = d->step + d->n_step;
	uint64_t n_atoms = 0, n_packets = 0;

	while (pos < safe) {
		uint8_t header = *pos;

		if (likely(header >= 0xc0)) {
			uint32_t atom = packet_atom[header - 0xc0], n = atom >> 24, left;

			if (unlikely(n > d->config.run_max - (uint32_t)(out - d->step)))
				break;
			n_atoms += n;
			left = stack ? step(d, atom, n, &out, true) :
			       step(d, atom, n, &out, false);
			pos++;
			n_packets++;
			if (unlikely(left)) {
				leave_rest(d, window_offset(&d->win, pos - 1),
					   (atom & 0xffffff) >> (n - left), left);
				break;
			}
		} else if (is_address(header)) {
			int size;

			if (!take_address(d, pos, &size))
				break;
			pos += size;
			n_packets++;
		} else {
			break;
		}
	}

	d->win.pos = pos;
	d->n_step = out - d->step;
	d->stats.atoms += n_atoms;
	d->stats.p0 += n_atoms;
	d->stats.packets += n_packets;
}
