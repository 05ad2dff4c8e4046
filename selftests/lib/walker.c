// SPDX-License-Identifier: GPL-2.0-only
/* The walker's upper half: bytes to packets to elements. */
#include <stdlib.h>
#include <string.h>

#include "walker-parts.h"

#define ASYNC_SIZE	12

static uint32_t field(uint32_t reg, unsigned int hi, unsigned int lo)
{
	return reg >> lo & (uint32_t)((1ull << (hi - lo + 1)) - 1);
}

/* Source: the tables of register fields in ARM IHI 0064 chapter 7. */
static void configure(struct walker *w)
{
	const struct csf_config *c = &w->config;
	bool ete = w->version >= 0x50;

	w->max_spec = c->trcidr8;
	w->retstack = field(c->trcconfigr, 12, 12);
	w->commopt = field(c->trcidr0, 29, 29) ||
		     (!w->max_spec && field(c->trcconfigr, 4, 4));
	w->tsmark = w->version >= 0x46 && field(c->trcidr0, 23, 23);
	w->trans_p0 = !field(c->trcidr0, 30, 30);
	if (w->version >= 0x43 && field(c->trcidr2, 31, 31))
		w->rule |= CSF_RULE_WFX;
	if (c->profile == CSF_PROFILE_M)
		w->rule |= CSF_RULE_M;
	if (!ete && field(c->trcidr0, 2, 1) == 3 && field(c->trcconfigr, 1, 1))
		w->rule |= CSF_RULE_LOAD;
	if (!ete && field(c->trcidr0, 2, 1) == 3 && field(c->trcconfigr, 2, 2))
		w->rule |= CSF_RULE_STORE;
}

static uint32_t vmid_size(const struct walker *w)
{
	uint32_t size = field(w->config.trcidr2, 14, 10);

	return w->version == 0x40 && size > 1 ? 0 : size;
}

struct walker *walker_new(const struct csf_config *config, const struct walker_image *image,
			  walker_fn fn, void *context)
{
	struct walker *w = calloc(1, sizeof(*w));

	if (!w)
		abort();
	w->version = csf_config_version(config);
	if (w->version < 0) {
		free(w);
		return NULL;
	}
	w->config = *config;
	w->image = image;
	w->fn = fn;
	w->context = context;
	w->marks = config->marks ? config->marks : CSF_MARK_DEFAULT;
	if (config->protocol == CSF_PROTOCOL_PTM)
		walker_ptm_configure(w);
	else if (config->protocol == CSF_PROTOCOL_ETM3)
		walker_etm3_configure(w);
	else if (config->protocol == CSF_PROTOCOL_MTB)
		walker_mtb_configure(w);
	else
		configure(w);
	walker_reset(w);
	return w;
}

void walker_free(struct walker *w)
{
	if (w)
		free(w->queue);
	free(w);
}

/* As if no trace had been seen. */
static void start(struct walker *w)
{
	w->sync = SYNC_SEARCH;
	w->skipped = 0;
	w->is_half = false;
	memset(&w->last_ctx, 0, sizeof(w->last_ctx));
	walker_forget(w);
}

void walker_reset(struct walker *w)
{
	w->n_queue = 0;
	w->depth = 0;
	w->unseen = 0;
	w->seq = 0;
	w->cond_number = 0;
	w->offset = 0;
	w->in_transaction = false;
	start(w);
}

void walker_set_space(struct walker *w, int space)
{
	w->space = space;
}

void walker_set_time(struct walker *w, uint64_t time, uint64_t limit)
{
	w->time = time;
	w->limit = limit;
}

/* ---------------------------------------------------------------- packets to elements */

static void remember(struct walker *w, uint64_t addr, bool is1)
{
	w->hist[2] = w->hist[1];
	w->hist[1] = w->hist[0];
	w->hist[0] = (struct walker_addr){ addr, is1 };
}

static void read_address(struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	uint64_t low = pkt->n < 64 ? (1ull << pkt->n) - 1 : ~0ull;

	if (pkt->type == CSF_PKT_ADDR_MATCH || pkt->type == CSF_PKT_SRC_MATCH ||
	    pkt->flags & CSF_PKT_MATCH)
		remember(w, w->hist[pkt->val].addr, w->hist[pkt->val].is1);
	else
		remember(w, (w->hist[0].addr & ~low) | pkt->val, pkt->flags & CSF_PKT_IS1);
	e->addr = w->hist[0].addr;
	e->is1 = w->hist[0].is1;
	e->has_addr = true;
}

static void read_context(struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	static const uint8_t security[2][2] = {		/* NSE, NS */
		{ CSF_SECURE, CSF_NONSECURE }, { CSF_ROOT, CSF_REALM },
	};
	struct csf_context *ctx = &w->last_ctx;

	if (!(pkt->flags & CSF_PKT_CTXT))
		return;
	ctx->known = true;
	ctx->el = pkt->info & 3;
	ctx->security = security[pkt->info >> 3 & 1][pkt->info >> 5 & 1];
	ctx->bits64 = pkt->info >> 4 & 1;
	if (pkt->info & 0x40 && vmid_size(w)) {
		ctx->has_vmid = true;
		ctx->vmid = pkt->vmid;
	}
	if (pkt->info & 0x80 && field(w->config.trcidr2, 9, 5)) {
		ctx->has_contextid = true;
		ctx->contextid = pkt->contextid;
	}
	e->ctx = *ctx;
	e->has_ctx = true;
}

/* With a context of AArch32 an address has 32 bits. */
static void read_target(struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	read_address(w, pkt, e);
	read_context(w, pkt, e);
	if (pkt->flags & CSF_PKT_CTXT && !w->last_ctx.bits64)
		w->hist[0].addr &= 0xffffffff;
	e->addr = w->hist[0].addr;
}

static bool is_address(const struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ADDR_MATCH:
	case CSF_PKT_ADDR_SHORT:
	case CSF_PKT_ADDR32:
	case CSF_PKT_ADDR64:
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_ADDR_CTXT64:
		return true;
	default:
		return false;
	}
}

/* An exception or a Q waits for its address; a context may stand before it. */
static bool is_half_packet(const struct csf_packet *pkt)
{
	return pkt->type == CSF_PKT_IGNORE || pkt->type == CSF_PKT_CONTEXT || is_address(pkt);
}

static bool second_half(struct walker *w, const struct csf_packet *pkt)
{
	if (pkt->type == CSF_PKT_IGNORE)
		return true;
	if (pkt->type == CSF_PKT_CONTEXT) {
		read_context(w, pkt, &w->half);
		return true;
	}
	read_target(w, pkt, &w->half);
	w->is_half = false;
	return held_put(w, &w->half);
}

static bool read_exception(struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	e->type = ELEM_EXCEPTION;
	e->value = pkt->exception;
	e->target = pkt->n == 2;
	e->fault = pkt->info & 0x20;
	e->p0 = true;
	if (w->version >= 0x50 && pkt->exception == 0x18) {
		e->type = ELEM_TM_FAIL;
		e->p0 = false;
	}
	if (pkt->flags & CSF_PKT_UNKNOWN) {
		remember(w, 0, false);
		return held_put(w, e);
	}
	w->half = *e;
	w->is_half = true;
	return true;
}

static bool read_q(struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	e->type = ELEM_Q;
	e->p0 = true;
	e->count = pkt->count;
	e->has_count = pkt->flags & CSF_PKT_COUNT;
	if (pkt->flags & CSF_PKT_ADDR) {
		read_address(w, pkt, e);
		return held_put(w, e);
	}
	w->half = *e;
	w->is_half = true;
	return true;
}

static bool read_time(struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	uint64_t low = pkt->n < 64 ? (1ull << pkt->n) - 1 : ~0ull;

	w->last_time = (w->last_time & ~low) | pkt->val;
	e->type = ELEM_TIME;
	e->value = w->last_time;
	e->has_count = pkt->flags & CSF_PKT_COUNT;
	e->count = pkt->count & ((1u << (12 + field(w->config.trcidr2, 28, 25))) - 1);
	if (!e->has_count)
		e->count = 0;
	return held_put(w, e);
}

/* It commits before it counts. */
static bool read_cycles(struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	int64_t n = (int32_t)pkt->commit;

	if (pkt->type == CSF_PKT_CC2 && pkt->info & 1)
		n += w->max_spec;
	if (w->max_spec && !w->commopt && !held_commit(w, n))
		return false;
	e->type = ELEM_CYCLES;
	e->has_count = pkt->type != CSF_PKT_CC1 || pkt->flags & CSF_PKT_COUNT;
	if (e->has_count)
		e->value = w->threshold + pkt->count;
	e->at = w->seq;
	return held_put(w, e);
}

/* All that packets leave out if it did not change starts afresh. */
static void read_info(struct walker *w, const struct csf_packet *pkt)
{
	memset(w->hist, 0, sizeof(w->hist));
	w->last_time = 0;
	w->threshold = pkt->count;
	w->last_ctx.has_contextid = false;
	w->last_ctx.has_vmid = false;
}

/* Such a packet is always wrong there, but the others may be right. */
static bool not_speculative(struct walker *w, uint64_t offset)
{
	struct csf_run end = {
		.end = CSF_END_GAP, .value = CSF_GAP_SPECULATION, .flags = CSF_GAP_GOES_ON,
	};

	w->here = offset;
	walker_end(w, &end);
	return true;
}

static bool cancel(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	bool mispredict = pkt->type != CSF_PKT_CANCEL1 || pkt->flags & CSF_PKT_MISP;
	bool flush = mispredict && pkt->type != CSF_PKT_MISPREDICT;

	if (!held_atoms(w, pkt->val, pkt->n, offset))
		return false;
	if (!w->max_spec)
		return not_speculative(w, offset);
	if (pkt->type != CSF_PKT_MISPREDICT && !held_cancel(w, pkt->count))
		return false;
	if (mispredict && !held_mispredict(w))
		return false;
	if (flush && !walker_cond_flush(w, offset, false))
		return false;
	return held_commit(w, 0);
}

/* Packets that are one element, and hold no more than a value. */
static bool plain(const struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	bool m = w->config.profile == CSF_PROFILE_M;

	e->value = pkt->val;
	e->count = pkt->n;
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ON:
		e->type = ELEM_ON;
		return true;
	case CSF_PKT_TM_START:
		e->type = ELEM_TM_START;
		e->p0 = w->trans_p0;
		return true;
	case CSF_PKT_TM_COMMIT:
		e->type = ELEM_TM_COMMIT;
		return true;
	case CSF_PKT_RETURN:
		e->type = ELEM_RETURN;
		e->p0 = true;
		return true;
	case CSF_PKT_ERET:
		e->type = ELEM_ERET;
		e->p0 = m;
		return true;
	case CSF_PKT_EVENT:
		e->type = ELEM_EVENT;
		return true;
	case CSF_PKT_MARKER:
		e->type = ELEM_MARKER;
		return true;
	case CSF_PKT_ITE:
		e->type = ELEM_ITE;
		return true;
	default:
		return false;
	}
}

static bool is_source(const struct csf_packet *pkt)
{
	return pkt->type == CSF_PKT_SRC_MATCH || pkt->type == CSF_PKT_SRC_SHORT ||
	       pkt->type == CSF_PKT_SRC32 || pkt->type == CSF_PKT_SRC64;
}

/* Elements with an address or a context, and those of plain(); else there is none. */
static bool other(struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	if (is_address(pkt)) {
		e->type = ELEM_ADDRESS;
		read_target(w, pkt, e);
	} else if (is_source(pkt)) {
		e->type = ELEM_SOURCE;
		e->p0 = true;
		read_address(w, pkt, e);
	} else if (pkt->type == CSF_PKT_CONTEXT) {
		e->type = pkt->flags & CSF_PKT_CTXT ? ELEM_CONTEXT : ELEM_SAME;
		read_context(w, pkt, e);
	} else if (!plain(w, pkt, e)) {
		return true;
	}
	return held_put(w, e);
}

/* Returns false if it commits or cancels what is not there. */
static bool element(struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ATOM:
		return held_atoms(w, pkt->val, pkt->n, e->offset);
	case CSF_PKT_COMMIT:
		return w->max_spec ? held_commit(w, pkt->count) :
				     not_speculative(w, e->offset);
	case CSF_PKT_CANCEL1:
	case CSF_PKT_CANCEL2:
	case CSF_PKT_CANCEL3:
	case CSF_PKT_MISPREDICT:
		return cancel(w, pkt, e->offset);
	case CSF_PKT_COND_FLUSH:
		return walker_cond_flush(w, e->offset, false);
	case CSF_PKT_EXCEPTION:
		walker_cond_flush(w, e->offset, false);
		return read_exception(w, pkt, e);
	case CSF_PKT_Q:
		return read_q(w, pkt, e);
	case CSF_PKT_TIME:
		return read_time(w, pkt, e);
	case CSF_PKT_CC1:
	case CSF_PKT_CC2:
	case CSF_PKT_CC3:
		return read_cycles(w, pkt, e);
	case CSF_PKT_INFO:
		read_info(w, pkt);
		e->type = ELEM_INFO;
		return walker_cond_flush(w, e->offset, true) && held_put(w, e);
	default:
		return walker_cond_packet(w, pkt, e->offset) && other(w, pkt, e);
	}
}

/* ---------------------------------------------------------------- synchronisation */

void walker_lose_sync(struct walker *w, enum csf_gap reason, uint64_t here, uint64_t bytes)
{
	uint64_t lost = held_drop(w) + w->is_half;

	walker_cond_flush(w, here, true);
	w->here = here;
	if (w->in_transaction && (reason == CSF_GAP_OVERFLOW || reason == CSF_GAP_DISCARD))
		walker_transaction(w, CSF_TRANS_FAIL);
	walker_gap(w, reason, lost, bytes);
	start(w);
	w->gap = reason;
}

void walker_skip(struct walker *w, uint64_t from, uint64_t n)
{
	if (!w->skipped)
		w->skipped_from = from;
	w->skipped += n;
}

void walker_say_skipped(struct walker *w)
{
	uint64_t here = w->here;

	if (!w->skipped)
		return;
	if (w->gap >= 0) {
		w->more_bytes += w->skipped;
	} else {
		w->here = w->skipped_from;
		walker_gap(w, CSF_GAP_START, 0, w->skipped);
		w->gap = CSF_GAP_START;
		w->here = here;
	}
	w->skipped = 0;
}

/* The Trace Info with which decoding starts. */
static void join(struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	walker_say_skipped(w);
	w->sync = SYNC_DECODE;
	read_info(w, pkt);
	e->type = ELEM_INFO;
	e->value = pkt->val & 0x40;
	e->has_count = true;
	w->unseen = w->max_spec ? pkt->commit : 0;
	held_put(w, e);
}

/* A Cancel of nothing is wrong, but it does no other harm. */
static bool is_no_cancel(const struct csf_packet *pkt)
{
	return pkt->type == CSF_PKT_BAD && pkt->n == CSF_BAD_SEQUENCE &&
	       pkt->info == CSF_PKT_CANCEL1;
}

static void packet_unsynced(struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_INFO:
		join(w, pkt, e);
		return;
	case CSF_PKT_EVENT:
		e->type = ELEM_EVENT;
		e->value = pkt->val;
		walker_elem(w, e);
		return;
	case CSF_PKT_IGNORE:
		return;
	default:
		walker_skip(w, e->offset, pkt->size);
		if (pkt->type == CSF_PKT_BAD && !is_no_cancel(pkt))
			w->sync = SYNC_SEARCH;
	}
}

/* An exception, or a Q, whose address is unknown; @pkt is in the place of its address. */
static bool lose_half(struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	w->is_half = false;
	w->here = e->offset;
	walker_gap(w, CSF_GAP_PACKET, 1, 0);
	w->pc_known = false;
	w->pending = false;
	w->is_saved = false;
	w->gap = CSF_GAP_PACKET;
	return is_no_cancel(pkt) ? not_speculative(w, e->offset) : element(w, pkt, e);
}

static void packet_synced(struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	bool ok = true;

	if (is_no_cancel(pkt) && !(w->is_half && w->max_spec))
		ok = w->is_half ? lose_half(w, pkt, e) : not_speculative(w, e->offset);
	else if (pkt->type == CSF_PKT_BAD)
		walker_lose_sync(w, pkt->n == CSF_BAD_CUT ? CSF_GAP_CUT : CSF_GAP_PACKET,
				 e->offset, pkt->size);
	else if (pkt->type == CSF_PKT_OVERFLOW)
		walker_lose_sync(w, CSF_GAP_OVERFLOW, e->offset, 0);
	else if (pkt->type == CSF_PKT_DISCARD)
		walker_lose_sync(w, CSF_GAP_DISCARD, e->offset, 0);
	else if (w->is_half && !is_half_packet(pkt) && w->max_spec)
		walker_lose_sync(w, CSF_GAP_PACKET, e->offset, 0);
	else if (w->is_half && !is_half_packet(pkt))
		ok = lose_half(w, pkt, e);
	else
		ok = w->is_half ? second_half(w, pkt) : element(w, pkt, e);
	if (!ok)
		walker_lose_sync(w, CSF_GAP_SPECULATION, e->offset, 0);
}

/* Bytes between two A-syncs, or before the first, or after the last. */
static void segment(struct walker *w, const uint8_t *p, size_t n)
{
	size_t i = 0;

	while (i < n && w->sync != SYNC_SEARCH) {
		struct elem e = { .offset = w->offset + i };
		struct csf_packet pkt = { 0 };
		int size = csf_packet_read(&w->config, p + i, n - i, &pkt);

		if (size <= 0)
			abort();
		w->here = e.offset;
		if (w->sync == SYNC_DECODE)
			packet_synced(w, &pkt, &e);
		else
			packet_unsynced(w, &pkt, &e);
		i += size;
	}
	if (n > i)
		walker_skip(w, w->offset + i, n - i);
}

static size_t find_async(const uint8_t *p, size_t n)
{
	size_t zeros = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == 0x80 && zeros >= ASYNC_SIZE - 1)
			return i - (ASYNC_SIZE - 1);
		zeros = p[i] ? 0 : zeros + 1;
	}
	return n;
}

/* A packet without its address cannot span an A-sync either. */
static void async(struct walker *w)
{
	if (w->is_half)
		walker_lose_sync(w, CSF_GAP_CUT, w->offset, 0);
	if (w->sync == SYNC_SEARCH)
		w->sync = SYNC_INFO;
}

static void finish(struct walker *w, bool broken_off)
{
	struct csf_run end = { .end = CSF_END_TRACE };

	if (w->is_half)
		walker_lose_sync(w, CSF_GAP_CUT, w->offset, 0);
	else if (w->depth)
		walker_lose_sync(w, CSF_GAP_SPECULATION, w->offset, 0);
	w->unseen = 0;
	held_commit(w, 0);
	w->here = w->offset;
	walker_say_skipped(w);
	walker_cond_flush(w, w->offset, true);
	if (broken_off)
		walker_gap(w, CSF_GAP_BREAK, 0, 0);
	else
		walker_end(w, &end);
	start(w);
}

void walker_piece(struct walker *w, const uint8_t *trace, size_t n, bool broken_off)
{
	size_t at = 0;

	if (w->config.protocol == CSF_PROTOCOL_PTM) {
		walker_ptm_piece(w, trace, n);
		finish(w, broken_off);
		return;
	}
	if (w->config.protocol == CSF_PROTOCOL_ETM3) {
		walker_etm3_piece(w, trace, n);
		finish(w, broken_off);
		return;
	}
	if (w->config.protocol == CSF_PROTOCOL_MTB) {
		walker_mtb_piece(w, trace, n);
		finish(w, broken_off);
		return;
	}
	for (;;) {
		size_t next = at + find_async(trace + at, n - at);
		bool last = next == n;

		segment(w, trace + at, next - at);
		w->offset += next - at;
		w->here = w->offset;
		if (last)
			break;
		async(w);
		w->offset += ASYNC_SIZE;
		at = next + ASYNC_SIZE;
	}
	finish(w, broken_off);
}
