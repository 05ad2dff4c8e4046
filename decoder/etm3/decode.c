// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads packets, and gives their elements to the flow when they are sure. */
#include "parts.h"

/* -------- loss of sync */

/* Skips to the next A-sync. */
static void lose_sync(struct csf_decoder *d, enum csf_gap why, uint64_t offset, uint64_t bytes)
{
	const struct element gap = {
		.type = EL_GAP, .exception = why, .offset = offset, .at = bytes,
	};
	const bool half = d->etm3.half;	/* an atom before the gap may still wait */

	etm3_commit(d);
	etm3_reset(d);
	d->etm3.half = half;
	etm3_add(d, &gap);
	d->in.skipped = 0;
	d->in.skipped_from = window_offset(&d->in.win, d->in.win.pos);
}

/* Reports skipped bytes: as part of the open gap, or of one at the start. */
static bool say_skipped(struct csf_decoder *d)
{
	const struct element gap = {
		.type = EL_GAP, .exception = CSF_GAP_START,
		.offset = d->in.skipped_from, .at = d->in.skipped,
	};

	if (!d->in.skipped)
		return false;
	d->in.skipped = 0;
	if (d->flow.gap_open) {
		d->flow.more_bytes += gap.at;
		return false;
	}
	etm3_add(d, &gap);
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
		d->etm3.sync = ETM3_SYNC_ISYNC;
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
	       pkt->type == CSF_PKT_CYCLES || pkt->type == CSF_PKT_TRIGGER ||
	       (pkt->type == CSF_PKT_ATOM && !pkt->n);
}

static void take(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	d->stats.packets++;
	d->stats.async += pkt->type == CSF_PKT_ASYNC;
	etm3_expand(d, pkt, offset);
}

/* Takes a packet between an A-sync and its I-sync.  What happened there is not known. */
static void early_packet(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ASYNC:
	case CSF_PKT_IGNORE:
	case CSF_PKT_CTXTID:
	case CSF_PKT_VMID:
		take(d, pkt, offset);
		break;
	case CSF_PKT_BAD:
		d->etm3.sync = ETM3_SYNC_NONE;
		fallthrough;
	default:
		if (is_element(pkt))
			take(d, pkt, offset);
		else
			skip(d, offset, pkt->size);
		break;
	}
}

static void packet(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	if (pkt->type == CSF_PKT_BAD)
		lose_sync(d, pkt->n == CSF_BAD_CUT ? CSF_GAP_CUT : CSF_GAP_PACKET, offset,
			  pkt->size);
	else
		take(d, pkt, offset);
}

/* Reads a packet.  Returns false if more bytes are needed. */
static bool read_packet(struct csf_decoder *d)
{
	const uint64_t offset = window_offset(&d->in.win, d->in.win.pos);
	const bool early = d->etm3.sync != ETM3_SYNC_FULL;
	struct csf_packet pkt;
	int size;

	size = etm3_read_window(&d->in.win, &d->config, &pkt);
	if (!etm3_whole(&d->in.win, &pkt, size)) {
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

/*
 * Deals with what is left when the bytes are used up.  The last instruction was executed, as
 * nothing cancels it any more.  Returns false when nothing is left.
 */
static bool finish(struct csf_decoder *d)
{
	const struct element end = {
		.type = EL_END, .offset = window_offset(&d->in.win, d->in.win.pos),
	};

	switch (d->in.end++) {
	case END_ASKED:
		d->in.commit_rest = false;
		etm3_commit(d);
		return true;
	case END_QUEUE:
		say_skipped(d);
		return true;
	case END_SAY:
		etm3_add(d, &end);
		return true;
	default:
		d->in.end = END_NO;
		d->in.broken = false;
		etm3_reset(d);
		return false;
	}
}

/* Takes the next element that is sure. */
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

/* Makes the next element, @d->el.  Returns false when more bytes are needed. */
static bool next_element(struct csf_decoder *d)
{
	while (!d->el_ready && !d->flow.err) {
		if (pop(d))
			continue;
		if (!window_ready(&d->in.win)) {
			if (!d->in.end || !finish(d))
				return false;
		} else if (d->etm3.sync == ETM3_SYNC_NONE) {
			find_async(d);
		} else if (!read_packet(d)) {
			return false;
		}
	}
	return !d->flow.err;
}

int etm3_next(struct csf_decoder *d, struct csf_run *run)
{
	flow_begin(d, run);
	while (!d->out.ended && !d->flow.err) {
		if (!d->el_ready && !next_element(d))
			break;
		if (flow_element(d))
			d->el_ready = false;
	}
	if (d->flow.err)
		return d->flow.err;
	flow_finish(d);
	return d->out.ended || run->n || run->n_mark;
}

void etm3_reset(struct csf_decoder *d)
{
	d->etm3 = (struct etm3){ .sync = ETM3_SYNC_NONE };
}
