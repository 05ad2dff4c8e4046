// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A branch has both its ends in its packet, and between the destination of one and the source of
 * the next no branch was taken.  So there is nothing to synchronise with, and no atom.
 */
#include "../flow.h"
#include "../monitor.h"
#include "packet.h"

static const char *read_config(struct config *own, const struct csf_config *c)
{
	own->profile = CSF_PROFILE_M;	/* no other has one */
	own->protocol = CSF_PROTOCOL_MTB;
	own->version = 0x10;
	own->rule |= CSF_RULE_M | CSF_RULE_TAKEN;
	own->traces_eret = true;
	return NULL;
}

static void reset(struct csf_decoder *d)
{
	d->mtb = (struct mtb){ 0 };
}

/* ---------------------------------------------------------------- elements */

static void add(struct csf_decoder *d, const struct element *el)
{
	d->mtb.todo[d->mtb.n++] = *el;
}

/* Execution goes on at @addr.  Code of M profile is T32; EXC_RETURN has no code. */
static void add_address(struct csf_decoder *d, uint64_t addr, uint64_t offset, uint16_t flags)
{
	const struct element el = {
		.type = EL_ADDRESS, .offset = offset, .addr = addr, .is1 = true,
		.flags = flags, .ctx = { .known = true },
	};

	add(d, &el);
}

/*
 * EXC_RETURN and FNC_RETURN: a branch there returns, in a second packet that comes from there.  No
 * code can be there, so it is one whatever its bit 0 says.
 */
#define RETURN_FIRST	0xfe000000

/* The source of the first packet, and of one that starts, is where no trace was. */
static void expand(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const bool first = !d->mtb.begun || pkt->info & MTB_START;
	const bool returns = pkt->val >= RETURN_FIRST;
	const uint16_t strict = EL_STRICT | (d->mtb.returned ? EL_IT : 0);
	const struct element on = { .type = EL_ON, .offset = offset };
	const struct element exception = {
		.type = EL_EXCEPTION, .offset = offset, .addr = pkt->val, .is1 = true,
		.flags = EL_P0 | EL_ADDR | strict,
	};
	const struct element eret = { .type = EL_ERET, .offset = offset };
	const struct element source = {
		.type = EL_SOURCE, .offset = offset, .addr = pkt->val, .is1 = true,
		.flags = EL_P0 | strict,
	};

	d->stats.packets++;
	if (first)
		add(d, &on);
	else if (returns)
		add(d, &eret);
	else
		add(d, pkt->info & MTB_EXCEPTION ? &exception : &source);
	d->stats.p0 += !first;
	add_address(d, pkt->val2, offset, (d->mtb.begun ? 0 : EL_CTX) | (returns ? 0 : EL_STRICT));
	d->mtb.begun = true;
	d->mtb.returned = returns;
}

/* The end of the trace.  Returns false when the flow has had it. */
static bool finish(struct csf_decoder *d)
{
	const uint64_t offset = window_offset(&d->in.win, d->in.win.pos);
	const struct element end = { .type = EL_END, .offset = offset };

	if (d->in.end++ != END_ASKED) {
		reset(d);
		d->in.end = END_NO;
		d->in.broken = false;
		return false;
	}
	d->in.commit_rest = false;
	add(d, &end);
	return true;
}

static void lose_rest(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const struct element gap = {
		.type = EL_GAP, .exception = CSF_GAP_CUT, .offset = offset, .at = pkt->size,
	};

	reset(d);
	add(d, &gap);
}

/* Returns false when more bytes are needed. */
static bool next_element(struct csf_decoder *d)
{
	struct window *win = &d->in.win;
	struct mtb *m = &d->mtb;
	struct csf_packet pkt;

	while (m->done == m->n) {
		const uint64_t offset = window_offset(win, win->pos);

		m->done = 0;
		m->n = 0;
		if (!window_ready(win)) {
			if (!d->in.end || !finish(d))
				return false;
			continue;
		}
		mtb_read_packet(&d->config, win->pos, win->end - win->pos, &pkt);
		if (pkt.type == CSF_PKT_BAD && !win->ended) {
			window_keep(win);
			return false;
		}
		window_take(win, pkt.size);
		if (pkt.type == CSF_PKT_BAD)
			lose_rest(d, &pkt, offset);
		else
			expand(d, &pkt, offset);
	}
	d->el = m->todo[m->done++];
	d->el_ready = true;
	return true;
}

static int next(struct csf_decoder *d, struct csf_run *run)
{
	return flow_next(d, run, next_element, flow_element);
}

/* An MTB has no timestamps. */
static int next_time(struct csf_decoder *d, uint64_t bound, uint64_t *last, uint64_t *above)
{
	*last = 0;
	*above = 0;
	return 0;
}

/* ---------------------------------------------------------------- packets */

static size_t read_packets(struct csf_monitor *mon, struct csf_packet *packets, size_t max)
{
	struct window *win = &mon->win;
	size_t n = 0;

	do {
		window_take(win, mtb_read_packet(&mon->config, win->pos, win->end - win->pos,
						 &packets[n]));
		n++;
	} while (n < max && win->pos < win->limit);
	return n;
}

const struct protocol mtb_protocol = {
	.read_config = read_config,
	.reset = reset,
	.next = next,
	.next_time = next_time,
	.read_packets = read_packets,
	.read_packet = mtb_read_packet,
	.write_packet = mtb_write_packet,
	.print_packet = mtb_print_packet,
	.parse_packet = mtb_parse_packet,
};
