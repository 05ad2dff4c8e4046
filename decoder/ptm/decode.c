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

/* With cycles, each packet of atoms has one. */
static __always_inline const uint8_t *quick_cycles(const uint8_t *p, struct csf_packet *pkt)
{
	unsigned int size = 0;

	if (*p & 1 && !classic_quick_branch(p, true, pkt))
		return NULL;
	if (*p & 1)
		size = pkt->size;
	else if (*p & 0x80)
		*pkt = (struct csf_packet){ .type = CSF_PKT_ATOM, .n = 1, .val = !(*p & 2) };
	else
		return NULL;
	pkt->flags |= CSF_PKT_COUNT;
	pkt->size = ptm_read_count(p, size, size + 1, &pkt->count);
	return p + pkt->size;
}

static __always_inline const uint8_t *quick(const struct config *c, const uint8_t *p,
					    struct csf_packet *pkt)
{
	if (c->classic.cycles)
		return quick_cycles(p, pkt);
	if (*p & 1)
		return classic_quick_branch(p, true, pkt);
	if (!(*p & 0x80))
		return NULL;
	*pkt = *ptm_atom_at(p);
	return pkt->type == CSF_PKT_ATOM ? p + 1 : NULL;
}

static const struct monitor_rules monitor_rules = {
	.quick = quick, .read = ptm_read, .read_window = read_window,
	.loses_sync = classic_is_bad,
};

size_t ptm_read_packets(struct csf_monitor *mon, struct csf_packet *packets, size_t max)
{
	return monitor_read(mon, packets, max, &monitor_rules);
}
