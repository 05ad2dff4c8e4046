// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The loops over packets of ETMv3.  An element goes to the flow when it is sure. */
#include "../classic/loops.h"
#include "parts.h"

static bool pop(struct csf_decoder *d)
{
	struct etm3 *e = &d->etm3;

	d->el_ready = e->has_after || queue_pop(&d->queue, &d->el);
	if (e->has_after) {
		d->el = e->after;
		e->has_after = false;
	} else if (d->el_ready) {
		etm3_place(d);
		return true;
	}
	return d->el_ready;
}

static void lose(struct csf_decoder *d, uint64_t offset)
{
	if (!etm3_data_asked(d))
		return;
	etm3_data_drop(d, offset);
	etm3_data_begin(d);
}

static const struct classic_rules rules = {
	.read = etm3_read_window, .expand = etm3_expand, .pop = pop, .lose = lose,
	.fast = etm3_fast,
};

static bool next_element(struct csf_decoder *d)
{
	return classic_next_element(d, &rules);
}

/* A segment that could not read code did not see if it has halves: this decoder goes on there. */
static void look_again(struct csf_decoder *d)
{
	if (likely(!d->etm3.unsure) || d->quiet)
		return;
	d->etm3.unsure = false;
	if (d->el_ready && d->el.type == EL_ATOMS)
		etm3_place(d);
}

int etm3_next(struct csf_decoder *d, struct csf_run *run)
{
	int ret;

	look_again(d);
	ret = flow_next(d, run, next_element, flow_element);
	if (etm3_data_asked(d) && ret >= 0)
		etm3_data_run(d, run);
	return ret;
}

int etm3_next_time(struct csf_decoder *d, uint64_t bound, uint64_t *last, uint64_t *above)
{
	return classic_next_time(d, bound, last, above, &rules);
}

static __always_inline const uint8_t *quick(const struct config *c, const uint8_t *p,
					    struct csf_packet *pkt)
{
	if (*p & 1)
		return c->etm3.alt ? classic_quick_branch(p, true, pkt) :
				     classic_quick_branch(p, false, pkt);
	if (!(*p & 0x80))
		return NULL;
	*pkt = *etm3_atom_at(c->classic.cycles, p);
	return pkt->type == CSF_PKT_ATOM ? p + 1 : NULL;
}

static const struct monitor_rules monitor_rules = {
	.quick = quick, .read = etm3_read, .read_window = etm3_read_window,
	.loses_sync = classic_is_bad,
};

size_t etm3_read_packets(struct csf_monitor *mon, struct csf_packet *packets, size_t max)
{
	return monitor_read(mon, packets, max, &monitor_rules);
}

void etm3_reset(struct csf_decoder *d)
{
	classic_reset(d);
	d->etm3 = (struct etm3){ .half = false };
}
