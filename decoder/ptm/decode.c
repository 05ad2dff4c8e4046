// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The loops over packets of PTM.  An element is sure at once. */
#include "../classic/loops.h"
#include "parts.h"

static int read_window(const struct window *win, const struct config *c, struct csf_packet *pkt)
{
	return classic_read_window(win, c, pkt, ptm_read);
}

static bool pop(struct csf_decoder *d)
{
	d->el_ready = queue_pop(&d->queue, &d->el);
	return d->el_ready;
}

static const struct classic_rules rules = {
	.read = read_window, .expand = ptm_expand, .pop = pop,
	.fast = ptm_fast,
};

static bool next_element(struct csf_decoder *d)
{
	return classic_next_element(d, &rules);
}

int ptm_next(struct csf_decoder *d, struct csf_run *run)
{
	return flow_next(d, run, next_element, ptm_element);
}

int ptm_next_time(struct csf_decoder *d, uint64_t bound, uint64_t *last, uint64_t *above)
{
	return classic_next_time(d, bound, last, above, &rules);
}

static __always_inline const uint8_t *quick(const struct config *c, const uint8_t *p,
					    struct csf_packet *pkt)
{
	const struct ptm_atoms atoms = ptm_atoms_at(p);

	if (unlikely(c->classic.cycles | !atoms.n))
		return NULL;
	return *p & 1 ? classic_quick_branch(p, true, pkt) :
			classic_quick_atoms(p, atoms.bits, atoms.n, pkt);
}

static const struct monitor_rules monitor_rules = {
	.quick = quick, .read = ptm_read, .read_window = read_window,
	.loses_sync = classic_is_bad,
};

size_t ptm_read_packets(struct csf_monitor *mon, struct csf_packet *packets, size_t max)
{
	return monitor_read(mon, packets, max, &monitor_rules);
}
