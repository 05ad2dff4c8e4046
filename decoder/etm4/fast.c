// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hot loop: atoms, and addresses and marks between them, straight from the bytes. */
#include "fast.h"

/* Does the element end the run, or may there be no room for it? */
static bool ends_run(const struct csf_decoder *d, const struct element *el)
{
	return d->out.n_mark > MARK_MAX - 4 ||
	       (el->type == EL_TIME && flow_ends_at(d, el->val, el->offset));
}

unsigned int fast_mark(struct csf_decoder *d, const uint8_t *pos)
{
	struct csf_packet pkt;
	struct element el;
	unsigned int size;

	if ((*pos & ~1) != 0x02 && (*pos < 0x0c || *pos >= 0x20))
		return 0;
	if (pos >= d->in.win.safe)
		return 0;
	size = packet_read(&d->config, pos, &pkt);
	if (pkt.type == CSF_PKT_BAD)
		return 0;
	expand_packet(&d->etm4.expand, &d->config, &pkt, window_offset(&d->in.win, pos),
		      &el);
	/* then it is read again, with the same result */
	if (ends_run(d, &el))
		return 0;
	if (el.type == EL_CYCLES)
		el.at = flow_now(d);
	d->el = el;
	flow_element(d);
	return size;
}

/* Bytes of trace before paths are remembered that the caller did not ask for. */
#define PATH_FROM	4096

static __always_inline const uint8_t *bound_of(const uint8_t *pos, const uint8_t *safe,
					       size_t room)
{
	return steps_bound(pos, safe, room, ATOMS_MAX, safe > pos ? packet_atom[*pos].n : 0);
}

/* Steps through an atom packet.  Returns false if it is the last that can be taken here. */
static __always_inline bool take_atoms(struct csf_decoder *d, struct steps *s, uint64_t offset,
				       uint8_t header)
{
	const struct packet_atoms atoms = packet_atom[header];
	const uint32_t left = step_atoms(d, s, offset, atoms.bits, atoms.n);

	if (likely(!left))
		return true;
	d->stats.atoms += left;
	return !(d->out.ended | d->el_ready);
}

/*
 * Runs of atoms, and the addresses between them.  A return @stack needs more work, so this is
 * compiled separately for it, as most traces have none; likewise until execution is settled(), and
 * after that.
 */
static __always_inline void run(struct csf_decoder *d, const bool stack, const bool until_sure)
{
	const uint8_t *pos = d->in.win.pos, *const safe = etm4_near(&d->in.win), *bound;
	const uint8_t *const first = pos;
	const uint32_t *const full = d->out.step + d->config.run_max - d->out.n_more;
	const uint64_t atoms_before = d->stats.atoms;
	const uint32_t steps_before = d->out.n_step;
	const uint64_t base = window_offset(&d->in.win, pos) - (uintptr_t)pos;
	uint64_t *const last = d->etm4.expand.addr;
	struct steps s = steps_begin(d, stack);
	uint64_t payload = 0, at;
	bool sure = !until_sure, more = true;

	while (more && (bound = bound_of(pos, safe, full - s.out)) > pos) {
		do {
			const uint64_t offset = base + (uintptr_t)pos;
			unsigned int size;

			if (likely(*pos >= 0xc0)) {
				more = take_atoms(d, &s, offset, *pos++);
				continue;
			}
			size = packet_address_at(pos, last, &at);
			if (unlikely(!size)) {
				steps_put_back(d, &s);
				size = fast_mark(d, pos);
				more = size;
				if (!more)
					break;
				pos += size;
				payload += size - 1;
				continue;
			}
			more = until_sure ? steps_go(d, &s, offset, at, &sure) :
					    steps_go_on(d, &s, at, true);
			if (unlikely(!more))
				break;
			packet_keep_address(last, at);
			pos += size;
			payload += size - 1;
			if (until_sure)
				more = !sure;
		} while (likely(more) && pos < bound);
	}

	steps_put_back(d, &s);
	d->in.win.pos = pos;
	d->stats.packets += (pos - first) - payload;
	d->stats.atoms += d->out.n_step - steps_before;
	d->stats.p0 += d->stats.atoms - atoms_before;
}

/*
 * Are paths worthwhile, with steps unfolded, even if the caller did not ask for paths?  A short
 * trace ends before that pays.
 */
static __always_inline bool path_pays(struct csf_decoder *d)
{
	const uint64_t offset = window_offset(&d->in.win, d->in.win.pos);

	if (likely(d->addr.memo && d->addr.memo->own != d->config.paths))
		return offset >= d->addr.memo->aside;
	return (d->config.paths || offset >= PATH_FROM) && decoder_remember_paths(d);
}

/* Can more be taken, and is execution settled()? */
static bool goes_on(const struct csf_decoder *d)
{
	return !d->out.ended && !d->el_ready && settled(d);
}

/* As run(); @stack is a constant. */
static __always_inline void run_all(struct csf_decoder *d, const bool stack)
{
	if (!settled(d))
		run(d, stack, true);
	if (goes_on(d))
		run(d, stack, false);
}

static void run_paths(struct csf_decoder *d)
{
	if (!settled(d))
		run(d, false, true);
	if (goes_on(d))
		flow_fast_paths(d);
	if (goes_on(d))
		run(d, false, false);
}

static void run_prefetch(struct csf_decoder *d)
{
	flow_fast_prefetch(d);
	if (!d->out.ended && !d->el_ready)
		run_all(d, false);
}

void flow_fast(struct csf_decoder *d)
{
	if (d->config.max_spec)
		flow_fast_spec(d);
	else if (d->in.win.pos >= etm4_near(&d->in.win))
		return;
	else if (d->config.retstack)
		run_all(d, true);
	else if (path_pays(d))
		run_paths(d);
	else if (block_table_n(&d->image->blocks) > d->config.many &&
		 !(d->config.without & CSF_WITHOUT_PREFETCH))
		run_prefetch(d);
	else
		run_all(d, false);
}
