// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From bytes to packets in sync. */
#include "parts.h"

void classic_reset(struct csf_decoder *d)
{
	d->classic = (struct classic){ .sync = CLASSIC_SYNC_NONE };
}

void classic_lose_sync(struct csf_decoder *d, const struct csf_packet *bad, uint64_t offset)
{
	const struct element gap = {
		.type = EL_GAP, .offset = offset, .at = bad->size,
		.exception = bad->n == CSF_BAD_CUT ? CSF_GAP_CUT : CSF_GAP_PACKET,
	};

	classic_commit(d);
	classic_reset(d);
	classic_add(d, &gap);
	d->in.skipped = 0;
	d->in.skipped_from = window_offset(&d->in.win, d->in.win.pos);
}

bool classic_say_skipped(struct csf_decoder *d)
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
	classic_add(d, &gap);
	return true;
}

static void skip(struct csf_decoder *d, uint64_t from, size_t n)
{
	if (n && !d->in.skipped)
		d->in.skipped_from = from;
	d->in.skipped += n;
}

void classic_find_async(struct csf_decoder *d)
{
	const uint64_t from = window_offset(&d->in.win, d->in.win.pos);

	skip(d, from, window_skip(&d->in.win));
	if (!window_ready(&d->in.win))
		return;
	if (window_at_sync(&d->in.win)) {
		d->classic.sync = CLASSIC_SYNC_ISYNC;
		return;
	}
	/* unless only the carry is used up, and the chunk follows */
	if (d->in.win.flush && !d->in.win.ended && d->in.win.limit == d->in.win.end)
		window_keep(&d->in.win);
}

bool classic_is_element(const struct csf_packet *pkt)
{
	return pkt->type == CSF_PKT_ISYNC || pkt->type == CSF_PKT_TIME ||
	       pkt->type == CSF_PKT_CYCLES || pkt->type == CSF_PKT_TRIGGER ||
	       (pkt->type == CSF_PKT_ATOM && !pkt->n);
}

bool classic_is_early(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ASYNC:
	case CSF_PKT_IGNORE:
	case CSF_PKT_CTXTID:
	case CSF_PKT_VMID:
		return true;
	case CSF_PKT_BAD:
		d->classic.sync = CLASSIC_SYNC_NONE;
		fallthrough;
	default:
		if (classic_is_element(pkt))
			return true;
		skip(d, offset, pkt->size);
		return false;
	}
}

/* The last instruction was executed, as nothing cancels it any more. */
bool classic_finish(struct csf_decoder *d)
{
	const struct element end = {
		.type = EL_END, .offset = window_offset(&d->in.win, d->in.win.pos),
	};

	switch (d->in.end++) {
	case END_ASKED:
		d->in.commit_rest = false;
		classic_commit(d);
		return true;
	case END_QUEUE:
		classic_say_skipped(d);
		return true;
	case END_SAY:
		classic_add(d, &end);
		return true;
	default:
		d->in.end = END_NO;
		d->in.broken = false;
		classic_reset(d);
		return false;
	}
}
