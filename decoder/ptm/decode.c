// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads packets and makes elements of them, one packet at a time. */
#include "parts.h"

/* -------- loss of sync */

/* Skips to the next A-sync. */
static void lose_sync(struct csf_decoder *d, enum csf_gap why, uint64_t offset, uint64_t bytes)
{
	struct element *el;

	ptm_reset(d);
	el = ptm_add(d, offset, EL_GAP);
	el->exception = why;
	el->at = bytes;
	d->in.skipped = 0;
	d->in.skipped_from = window_offset(&d->in.win, d->in.win.pos);
}

/* Reports skipped bytes: as part of the open gap, or of one at the start. */
static bool say_skipped(struct csf_decoder *d)
{
	const uint64_t bytes = d->in.skipped;
	struct element *el;

	if (!bytes)
		return false;
	d->in.skipped = 0;
	if (d->flow.gap_open) {
		d->flow.more_bytes += bytes;
		return false;
	}
	el = ptm_add(d, d->in.skipped_from, EL_GAP);
	el->exception = CSF_GAP_START;
	el->at = bytes;
	return true;
}

static void skip(struct csf_decoder *d, uint64_t from, size_t n)
{
	if (n && !d->in.skipped)
		d->in.skipped_from = from;
	d->in.skipped += n;
}

/* Goes to the next A-sync.  Returns false if there is none yet. */
static bool find_async(struct csf_decoder *d)
{
	const uint64_t from = window_offset(&d->in.win, d->in.win.pos);

	skip(d, from, window_skip(&d->in.win));
	if (!window_ready(&d->in.win))
		return false;
	if (window_at_sync(&d->in.win)) {
		d->ptm.sync = PTM_SYNC_ISYNC;
		return true;
	}
	/* unless only the carry is used up, and the chunk follows */
	if (d->in.win.flush && !d->in.win.ended && d->in.win.limit == d->in.win.end)
		window_keep(&d->in.win);
	return false;
}

/* -------- packets */

/* Does a packet between an A-sync and its I-sync have elements?  Bytes skipped come before them. */
static bool is_element(const struct csf_packet *pkt)
{
	return pkt->type == CSF_PKT_ISYNC || pkt->type == CSF_PKT_TIME ||
	       pkt->type == CSF_PKT_TRIGGER;
}

/* Takes a packet between an A-sync and its I-sync.  What happened there is not known. */
static void early_packet(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ASYNC:
	case CSF_PKT_IGNORE:
	case CSF_PKT_TIME:
	case CSF_PKT_CTXTID:
	case CSF_PKT_VMID:
	case CSF_PKT_TRIGGER:
	case CSF_PKT_ISYNC:
		d->stats.packets++;
		d->stats.async += pkt->type == CSF_PKT_ASYNC;
		ptm_expand(d, pkt, offset);
		break;
	case CSF_PKT_BAD:
		d->ptm.sync = PTM_SYNC_NONE;
		fallthrough;
	default:
		skip(d, offset, pkt->size);
		break;
	}
}

static void packet(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	if (pkt->type == CSF_PKT_BAD) {
		lose_sync(d, pkt->n == CSF_BAD_CUT ? CSF_GAP_CUT : CSF_GAP_PACKET, offset,
			  pkt->size);
		return;
	}
	d->stats.packets++;
	d->stats.async += pkt->type == CSF_PKT_ASYNC;
	ptm_expand(d, pkt, offset);
}

/* Reads a packet.  Returns false if more bytes are needed. */
static bool read_packet(struct csf_decoder *d)
{
	const uint64_t offset = window_offset(&d->in.win, d->in.win.pos);
	const bool early = d->ptm.sync != PTM_SYNC_FULL;
	struct csf_packet pkt;
	int size;

	size = ptm_read_window(&d->in.win, &d->config, &pkt);
	if (!ptm_whole(&d->in.win, &pkt, size)) {
		window_keep(&d->in.win);
		return false;
	}
	if (early && is_element(&pkt) && say_skipped(d))
		return true;
	window_take(&d->in.win, size);
	if (early)
		early_packet(d, &pkt, offset);
	else
		packet(d, &pkt, offset);
	return true;
}

/* Deals with what is left when the bytes are used up.  Returns false when nothing is left. */
static bool finish(struct csf_decoder *d)
{
	switch (d->in.end++) {
	case END_ASKED:
		d->in.commit_rest = false;
		return true;
	case END_QUEUE:
		say_skipped(d);
		return true;
	case END_SAY:
		ptm_add(d, window_offset(&d->in.win, d->in.win.pos), EL_END);
		return true;
	default:
		d->in.end = END_NO;
		d->in.broken = false;
		ptm_reset(d);
		return false;
	}
}

/* Makes the next element, @d->el.  Returns false when more bytes are needed. */
static bool next_element(struct csf_decoder *d)
{
	struct ptm *p = &d->ptm;

	if (p->done < p->n) {
		d->el = p->todo[p->done++];
		d->el_ready = true;
		return true;
	}
	p->done = 0;
	p->n = 0;
	while (!d->el_ready) {
		if (!window_ready(&d->in.win)) {
			if (!d->in.end || !finish(d))
				return false;
		} else if (p->sync == PTM_SYNC_NONE) {
			find_async(d);
		} else if (!read_packet(d)) {
			return false;
		}
	}
	return true;
}

int ptm_next(struct csf_decoder *d, struct csf_run *run)
{
	flow_begin(d, run);
	while (!d->out.ended && !d->flow.err) {
		if (!d->el_ready && !next_element(d))
			break;
		if (ptm_element(d))
			d->el_ready = false;
	}
	if (d->flow.err)
		return d->flow.err;
	flow_finish(d);
	return d->out.ended || run->n || run->n_mark;
}

void ptm_reset(struct csf_decoder *d)
{
	d->ptm = (struct ptm){ .sync = PTM_SYNC_NONE };
}
