// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads packets, makes elements of them, and passes these on when they are committed. */
#include "fast.h"
#include "parts.h"

/* -------- elements on their way to the flow */

/* Makes @el the current element. */
static void give(struct csf_decoder *d, const struct element *el)
{
	d->el = *el;
	d->el_ready = true;
}

static void give_gap(struct csf_decoder *d, const struct element *gap)
{
	d->etm4.sync = d->etm4.at_async ? SYNC_INFO : SYNC_NONE;
	d->etm4.at_async = false;
	d->in.skipped = 0;
	d->in.skipped_from = window_offset(&d->in.win, d->in.win.pos);
	give(d, gap);
}

/*
 * The elements of conditional instruction trace; always by the queue, as there may be several.
 * Returns false if there is no room.
 */
static bool push_conditions(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	struct element el[CONDITIONAL_MAX];
	unsigned int n;
	bool ok = true;

	if (likely(!d->config.etm4.conditions))
		return true;
	n = conditional_expand(&d->etm4.conditional, &d->config, pkt, offset, el);
	for (unsigned int i = 0; i < n && ok; i++)
		ok = queue_push(&d->queue, &el[i]);
	return ok;
}

/* Conditional instructions without a result will not get one. */
static void lose_conditions(struct csf_decoder *d, uint64_t offset)
{
	const struct csf_packet info = { .type = CSF_PKT_INFO };

	push_conditions(d, &info, offset);
}

/*
 * Skips to the next A-sync.  Uncommitted elements are lost, except those that survive a discard,
 * which come first; then comes the gap.
 */
static void lose_sync(struct csf_decoder *d, enum csf_gap why, uint64_t offset)
{
	struct element gap = { .type = EL_GAP, .exception = why, .offset = offset };

	gap.val = queue_discard(&d->queue);
	if (d->etm4.expand.waiting)
		gap.val++;
	d->queue.commit = 0;
	memset(&d->etm4.expand, 0, sizeof(d->etm4.expand));
	lose_conditions(d, offset);
	if (d->etm4.late == LATE_GAP)
		return;
	d->etm4.late = LATE_GAP;
	d->etm4.late_gap = gap;
}

/* Returns false if it lost sync. */
static bool conditional_packet(struct csf_decoder *d, const struct csf_packet *pkt,
			       uint64_t offset)
{
	if (likely(push_conditions(d, pkt, offset)))
		return true;
	lose_sync(d, CSF_GAP_SPECULATION, offset);
	return false;
}

/*
 * A Commit, Cancel or Mispredict in a trace without speculation, or a Cancel of nothing: it cannot
 * be right, but the rest of the trace may be.
 */
static void say_not_speculative(struct csf_decoder *d)
{
	struct element gap = {
		.type = EL_GAP,
		.exception = CSF_GAP_SPECULATION,
		.offset = d->etm4.late_offset,
		.flags = EL_HARMLESS,
	};

	give(d, &gap);
}

/*
 * An exception or Q came without its address.  Its target is lost, but the packet that came instead
 * may be right.  Returns true if a gap reports this; then the packet is to be read again.  Not if
 * P0 elements are counted, as the count would be wrong.
 */
static bool lose_half(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	struct element gap = {
		.type = EL_GAP, .exception = CSF_GAP_PACKET, .offset = offset, .val = 1,
		.flags = EL_IN_SYNC,
	};

	if (d->config.max_spec || !expand_lacks(&d->etm4.expand, pkt))
		return false;
	d->etm4.expand.waiting = false;
	give(d, &gap);
	return true;
}

/* Commits @n P0 elements. */
static void commit(struct csf_decoder *d, uint32_t n, uint64_t offset)
{
	if (!queue_commit(&d->queue, n))
		lose_sync(d, CSF_GAP_SPECULATION, offset);
}

/* Passes on a new element: to the flow, or to the queue if it has uncommitted elements. */
static void submit(struct csf_decoder *d, const struct element *el)
{
	struct element_queue *q = &d->queue;
	uint32_t max = d->config.max_spec, n;

	if (!max && likely(!d->config.etm4.conditions)) {
		give(d, el);
		return;
	}
	if (!queue_push(q, el)) {
		lose_sync(d, CSF_GAP_SPECULATION, el->offset);
		return;
	}
	n = q->depth + q->unseen - q->commit;
	if (n > max)
		commit(d, n - max, el->offset);
}

static void submit_atoms(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	struct element el = {
		.type = EL_ATOMS, .offset = offset, .n = pkt->n, .val = pkt->val, .init = pkt->val,
	};

	if (!pkt->n)
		return;
	d->stats.atoms += pkt->n;
	d->stats.p0 += pkt->n;
	if (unlikely(d->etm4.expand.waiting))
		lose_sync(d, CSF_GAP_PACKET, offset);
	else
		submit(d, &el);
}

/* -------- packets */

/* A Cycle Count packet also commits if COMMOPT is 0. */
static void cycles_packet(struct csf_decoder *d, const struct csf_packet *pkt)
{
	uint32_t n = pkt->commit;

	if (d->config.max_spec && !d->config.etm4.commopt) {
		if (pkt->type == CSF_PKT_CC2 && pkt->info & 1)
			n += d->config.max_spec;	/* n is -15..0, modulo 2^32 */
		commit(d, n, d->etm4.late_offset);
	}
	if (d->etm4.late != LATE_GAP)
		d->etm4.late = LATE_CYCLES;
}

/*
 * Joins, or goes on.  The Trace Info that ends a loss of sync says how many elements are
 * uncommitted.
 */
static void info_packet(struct csf_decoder *d, const struct csf_packet *pkt)
{
	if (d->etm4.sync == SYNC_FULL)
		return;
	d->etm4.sync = SYNC_FULL;
	d->queue.unseen = d->config.max_spec ? pkt->commit : 0;
}

static void element_packet(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	struct element el;

	if (pkt->type == CSF_PKT_INFO)
		info_packet(d, pkt);
	if (!d->etm4.expand.waiting && !conditional_packet(d, pkt, offset))
		return;
	switch (expand_packet(&d->etm4.expand, &d->config, pkt, offset, &el)) {
	case EXPAND_NONE:
		break;
	case EXPAND_BAD:
		lose_sync(d, CSF_GAP_PACKET, offset);
		break;
	case EXPAND_ELEMENT:
		if (element_n_p0(&el))
			d->stats.p0++;
		submit(d, &el);
		break;
	}
}

static void bad_packet(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	if (!packet_loses_sync(pkt) && !d->etm4.expand.waiting) {
		d->etm4.late_offset = offset;
		say_not_speculative(d);
		return;
	}
	lose_sync(d, pkt->n == CSF_BAD_CUT ? CSF_GAP_CUT : CSF_GAP_PACKET, offset);
	d->etm4.late_gap.at += pkt->size;
}

/* Takes a packet in sync. */
static void packet(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	d->stats.packets++;
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ATOM:
		submit_atoms(d, pkt, offset);
		return;
	case CSF_PKT_ASYNC:
		d->stats.async++;
		if (d->etm4.expand.waiting) {
			d->etm4.at_async = true;
			lose_sync(d, CSF_GAP_CUT, offset);
		}
		return;
	case CSF_PKT_BAD:
		d->stats.packets--;
		bad_packet(d, pkt, offset);
		return;
	case CSF_PKT_DISCARD:
		lose_sync(d, CSF_GAP_DISCARD, offset);
		return;
	case CSF_PKT_OVERFLOW:
		lose_sync(d, CSF_GAP_OVERFLOW, offset);
		return;
	default:
		break;
	}

	if (unlikely(d->etm4.expand.waiting)) {
		element_packet(d, pkt, offset);
		return;
	}
	d->etm4.late_packet = *pkt;
	d->etm4.late_offset = offset;
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_COMMIT:
		if (d->config.max_spec)
			commit(d, pkt->count, offset);
		else
			say_not_speculative(d);
		return;
	case CSF_PKT_MISPREDICT:
		submit_atoms(d, pkt, offset);
		d->etm4.late = d->etm4.late == LATE_GAP ? LATE_GAP : LATE_MISPREDICT;
		return;
	case CSF_PKT_CANCEL1:
	case CSF_PKT_CANCEL2:
	case CSF_PKT_CANCEL3:
		submit_atoms(d, pkt, offset);
		d->etm4.late = d->etm4.late == LATE_GAP ? LATE_GAP : LATE_CANCEL;
		return;
	case CSF_PKT_CC1:
	case CSF_PKT_CC2:
	case CSF_PKT_CC3:
		cycles_packet(d, pkt);
		return;
	default:
		element_packet(d, pkt, offset);
	}
}

/* Does the second half of a packet, after what its first half committed has gone to the flow. */
static void late(struct csf_decoder *d)
{
	const struct csf_packet *pkt = &d->etm4.late_packet;
	enum etm4_late what = d->etm4.late;
	struct element el;
	bool ok = true;

	d->etm4.late = LATE_NONE;
	if (!d->config.max_spec && (what == LATE_CANCEL || what == LATE_MISPREDICT)) {
		say_not_speculative(d);
		return;
	}
	switch (what) {
	case LATE_CYCLES:
		expand_packet(&d->etm4.expand, &d->config, pkt, d->etm4.late_offset, &el);
		el.at = flow_now(d);
		submit(d, &el);
		break;
	case LATE_CANCEL:
		ok = queue_cancel(&d->queue, pkt->count);
		if (ok && (pkt->type != CSF_PKT_CANCEL1 || pkt->flags & CSF_PKT_MISP))
			ok = queue_mispredict(&d->queue);
		break;
	case LATE_MISPREDICT:
		ok = queue_mispredict(&d->queue);
		break;
	case LATE_GAP:
		give_gap(d, &d->etm4.late_gap);
		break;
	case LATE_NONE:
		break;
	}
	if (!ok)
		lose_sync(d, CSF_GAP_SPECULATION, d->etm4.late_offset);
	else if (what == LATE_CANCEL)
		conditional_packet(d, pkt, d->etm4.late_offset);
}

/* -------- out of sync */

/* Reports skipped bytes: as part of the open gap, or of one at the start. */
static bool say_skipped(struct csf_decoder *d)
{
	struct element gap = {
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
	give(d, &gap);
	return true;
}

/* Is this packet allowed between an A-sync and its Trace Info? */
static bool waits(const struct csf_packet *pkt)
{
	return pkt->type == CSF_PKT_ASYNC || pkt->type == CSF_PKT_EVENT ||
	       pkt->type == CSF_PKT_IGNORE;
}

static void skip(struct csf_decoder *d, size_t n)
{
	if (!d->in.skipped)
		d->in.skipped_from = window_offset(&d->in.win, d->in.win.pos);
	d->in.skipped += n;
}

/*
 * Looks for an A-sync, and then for Trace Info, which sets everything that packets take over; other
 * packets before it are allowed.  After anything that is not a packet, any byte could look like
 * Trace Info.  Returns true if the current packet is Trace Info.
 */
static bool search(struct csf_decoder *d)
{
	struct csf_packet pkt;
	int size;

	if (d->etm4.sync == SYNC_NONE) {
		uint64_t from = window_offset(&d->in.win, d->in.win.pos);

		size_t n = window_skip(&d->in.win);

		if (n && !d->in.skipped)
			d->in.skipped_from = from;
		d->in.skipped += n;
		if (!window_ready(&d->in.win))
			return false;
		if (!window_at_sync(&d->in.win)) {
			/* unless only the carry is used up, and the chunk follows */
			if (d->in.win.flush && !d->in.win.ended && d->in.win.limit == d->in.win.end)
				window_keep(&d->in.win);
			return false;
		}
		d->etm4.sync = SYNC_INFO;
	}
	size = etm4_read(&d->in.win, &d->config, &pkt);
	if (!etm4_whole(&d->in.win, &pkt, size)) {
		window_keep(&d->in.win);
		return false;
	}
	if (pkt.type == CSF_PKT_INFO)
		return !say_skipped(d);
	if (pkt.type == CSF_PKT_ASYNC)
		d->stats.async++;
	if (waits(&pkt)) {
		d->stats.packets++;
		if (pkt.type == CSF_PKT_EVENT)
			element_packet(d, &pkt, window_offset(&d->in.win, d->in.win.pos));
	} else {
		skip(d, size);
		if (packet_loses_sync(&pkt))
			d->etm4.sync = SYNC_NONE;
	}
	window_take(&d->in.win, size);
	return false;
}

/* -------- the end */

/* Deals with what is left when the bytes are used up.  Returns false when nothing is left. */
static bool finish(struct csf_decoder *d)
{
	uint64_t offset = window_offset(&d->in.win, d->in.win.pos);
	struct element end = { .type = EL_END, .offset = offset };

	if (d->in.commit_rest) {
		d->in.commit_rest = false;
		d->queue.commit = d->queue.depth;
		return true;
	}
	switch (d->in.end++) {
	case END_ASKED:
		if (d->etm4.expand.waiting)
			lose_sync(d, CSF_GAP_CUT, offset);
		else if (d->queue.depth)
			lose_sync(d, CSF_GAP_SPECULATION, offset);
		d->queue.unseen = 0;
		return true;
	case END_QUEUE:
		say_skipped(d);
		lose_conditions(d, offset);
		return true;
	case END_SAY:
		give(d, &end);
		return true;
	default:
		d->in.end = END_NO;
		d->in.broken = false;
		d->etm4.sync = SYNC_NONE;
		memset(&d->etm4.expand, 0, sizeof(d->etm4.expand));
		d->etm4.conditional = (struct conditional){ 0 };
		return false;
	}
}

/* Takes ordinary packets, many at a time.  Returns true if there were any, or the run ended. */
static bool fast(struct csf_decoder *d)
{
	const uint8_t *pos = d->in.win.pos;

	flow_fast(d);
	return d->in.win.pos != pos || d->out.ended || d->el_ready;
}

/* Takes a committed element from the queue.  Returns false if no more are committed. */
static bool pop(struct csf_decoder *d)
{
	if (!d->queue.commit && queue_waits(&d->queue))
		return false;
	if (d->fast) {
		flow_fast_drain(d);
		if (d->el_ready || d->out.ended)
			return true;
	}
	d->el_ready = queue_pop(&d->queue, &d->el);
	return d->el_ready;
}

bool etm4_next_element(struct csf_decoder *d)
{
	struct csf_packet pkt;
	uint64_t offset;
	int size;

	while (!d->el_ready) {
		if (d->queue.n && pop(d)) {
			if (d->out.ended)
				return false;
		} else if (d->etm4.late) {
			late(d);
		} else if (!window_ready(&d->in.win)) {
			if (!d->in.end || !finish(d))
				return false;
		} else if (d->etm4.sync == SYNC_FULL || search(d)) {
			if (d->fast && d->etm4.sync == SYNC_FULL &&
			    !d->etm4.expand.waiting && fast(d)) {
				if (d->out.ended)
					return false;
				continue;
			}
			offset = window_offset(&d->in.win, d->in.win.pos);
			size = etm4_read(&d->in.win, &d->config, &pkt);
			if (!etm4_whole(&d->in.win, &pkt, size)) {
				window_keep(&d->in.win);
				return false;
			}
			if (unlikely(d->etm4.expand.waiting) && lose_half(d, &pkt, offset))
				continue;
			window_take(&d->in.win, size);
			packet(d, &pkt, offset);
		}
	}
	return true;
}

int etm4_next(struct csf_decoder *d, struct csf_run *run)
{
	return flow_next(d, run, etm4_next_element, flow_element);
}

void etm4_reset(struct csf_decoder *d)
{
	memset(&d->etm4, 0, sizeof(d->etm4));
}
