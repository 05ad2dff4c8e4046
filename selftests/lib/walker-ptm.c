// SPDX-License-Identifier: GPL-2.0-only
/* The walker's upper half for PTM: bytes to packets to elements. */
#include <string.h>

#include "walker-parts.h"

#define ZEROS		5		/* of an A-sync, before its 0x80 */

/* struct csf_packet.info */
#define HYP		0x02
#define NS		0x08
#define JAZELLE		0x10
#define ALT		0x04

enum { PERIODIC, ON, OVERFLOW };	/* and debug, which is as on */

void walker_ptm_configure(struct walker *w)
{
	const struct csf_config *c = &w->config;

	w->retstack = c->etmcr >> 29 & 1 && c->etmccer >> 23 & 1;
	w->rule = CSF_RULE_THUMBEE | (c->etmccer >> 24 & 1 ? CSF_RULE_BARRIER : 0);
}

static void lose_sync(struct walker *w, enum csf_gap reason, uint64_t here, uint64_t bytes)
{
	w->last_time = 0;
	memset(w->hist, 0, sizeof(w->hist));
	w->jazelle = false;
	w->alt = false;
	walker_lose_sync(w, reason, here, bytes);
}

/* ---------------------------------------------------------------- addresses and contexts */

/* A short address has its lowest bit where an instruction set can have one. */
static void read_address(struct walker *w, const struct csf_packet *pkt)
{
	struct walker_addr *last = &w->hist[0];
	unsigned int unit = w->jazelle ? 0 : last->is1 ? 1 : 2;
	uint64_t mask = (1ull << (pkt->n + unit)) - 1;

	if (pkt->n == 32) {
		w->jazelle = pkt->info & JAZELLE;
		*last = (struct walker_addr){ pkt->val, pkt->flags & CSF_PKT_IS1 };
		return;
	}
	last->addr = (last->addr & ~mask) | pkt->val << unit;
}

static void go(struct walker *w, uint64_t offset, bool other)
{
	struct elem e = {
		.type = ELEM_ADDRESS, .offset = offset, .addr = (uint32_t)w->hist[0].addr,
		.is1 = w->hist[0].is1, .has_ctx = other || !w->ctx.known, .ctx = w->last_ctx,
	};

	walker_elem(w, &e);
	if (!w->jazelle && !(w->alt && w->hist[0].is1))
		return;
	walker_gap(w, CSF_GAP_ADDRESS, 0, 0);
	w->pc_known = false;
	w->gap = CSF_GAP_ADDRESS;
}

/* Says if the state is another one than before. */
static bool read_state(struct walker *w, const struct csf_packet *pkt)
{
	struct csf_context *ctx = &w->last_ctx, was = *ctx;

	w->alt = pkt->info & ALT;
	ctx->known = true;
	ctx->el = pkt->info & HYP ? 2 : 1;
	ctx->security = pkt->info & NS ? CSF_NONSECURE : CSF_SECURE;
	return ctx->el != was.el || ctx->security != was.security;
}

static bool read_cid(struct walker *w, uint32_t cid)
{
	struct csf_context *ctx = &w->last_ctx, was = *ctx;

	if (!(w->config.etmcr >> 14 & 3))
		return false;
	ctx->has_contextid = true;
	ctx->contextid = cid;
	return !was.has_contextid || was.contextid != cid;
}

static bool read_vmid(struct walker *w, uint32_t vmid)
{
	struct csf_context *ctx = &w->last_ctx, was = *ctx;

	ctx->has_vmid = true;
	ctx->vmid = vmid;
	return !was.has_vmid || was.vmid != vmid;
}

/* ---------------------------------------------------------------- packets */

static void plain(struct walker *w, uint64_t offset, enum elem_type type, uint64_t value)
{
	struct elem e = { .type = type, .offset = offset, .value = value };

	walker_elem(w, &e);
}

static void cycles(struct walker *w, uint64_t offset, const struct csf_packet *pkt)
{
	struct elem e = {
		.type = ELEM_CYCLES, .offset = offset, .value = pkt->count, .has_count = true,
		.at = w->seq,
	};

	if (pkt->flags & CSF_PKT_COUNT)
		walker_elem(w, &e);
}

static void atoms(struct walker *w, uint64_t offset, uint64_t val, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct elem e = {
			.type = ELEM_ATOM, .offset = offset, .p0 = true, .more = i,
			.rest = n - 1 - i, .initial = val >> i & 1, .taken = val >> i & 1,
		};

		walker_elem(w, &e);
	}
}

/* Periodic ones must be where execution is; all others begin anew.  Each tells the context. */
static void isync(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	const unsigned int reason = pkt->info >> 5 & 3;

	if (reason == OVERFLOW) {
		w->here = offset;
		walker_gap(w, CSF_GAP_OVERFLOW, 0, 0);
		walker_forget(w);
		w->gap = CSF_GAP_OVERFLOW;
	} else if (reason != PERIODIC) {
		plain(w, offset, ELEM_ON, 0);
	} else if (w->sync == SYNC_DECODE) {
		walker_reach(w, offset, pkt->val, false);
	}
	w->sync = SYNC_DECODE;
	read_state(w, pkt);
	read_cid(w, pkt->contextid);
	read_address(w, pkt);
	plain(w, offset, ELEM_INFO, 0);
	cycles(w, offset, pkt);
	go(w, offset, true);
}

/* It hit where execution is by then; that of a reset does not matter. */
static void exception(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	struct elem e = {
		.type = ELEM_EXCEPTION, .offset = offset, .value = pkt->exception, .p0 = true,
	};

	walker_return(w);
	e.has_addr = w->pc_known && !w->pending && w->ctx.known && pkt->exception != 8;
	e.addr = (uint32_t)w->pc;
	e.is1 = w->is1;
	walker_elem(w, &e);
}

static void branch(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	if (pkt->exception)
		exception(w, pkt, offset);
	else
		atoms(w, offset, 1, 1);
	cycles(w, offset, pkt);
	if (pkt->exception == 1)	/* nothing is known of a debug halt */
		return;
	read_address(w, pkt);
	go(w, offset, pkt->flags & CSF_PKT_CTXT && read_state(w, pkt));
}

static void timestamp(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	const bool gray = w->version == 0x31 && !(w->config.etmccer >> 28 & 1);
	const uint64_t low = pkt->n < 64 ? (1ull << pkt->n) - 1 : ~0ull;
	struct elem e = {
		.type = ELEM_TIME, .offset = offset, .count = pkt->count,
		.has_count = pkt->flags & CSF_PKT_COUNT,
	};
	bool bit = false;

	w->last_time = (w->last_time & ~low) | pkt->val;
	for (int i = 63; i >= 0; i--) {
		bit = gray ? bit ^ (w->last_time >> i & 1) : w->last_time >> i & 1;
		e.value |= (uint64_t)bit << i;
	}
	walker_elem(w, &e);
}

static void context(struct walker *w, uint64_t offset, bool other)
{
	struct elem e = { .type = ELEM_CONTEXT, .offset = offset, .ctx = w->last_ctx };

	if (other && w->sync == SYNC_DECODE)
		walker_elem(w, &e);
}

/* The packets that count before an I-sync, too. */
static bool early(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ISYNC:
		walker_say_skipped(w);
		isync(w, pkt, offset);
		return true;
	case CSF_PKT_TIME:
		walker_say_skipped(w);
		timestamp(w, pkt, offset);
		return true;
	case CSF_PKT_TRIGGER:
		walker_say_skipped(w);
		plain(w, offset, ELEM_EVENT, 1);
		return true;
	case CSF_PKT_CTXTID:
		context(w, offset, read_cid(w, pkt->contextid));
		return true;
	case CSF_PKT_VMID:
		context(w, offset, read_vmid(w, pkt->vmid));
		return true;
	case CSF_PKT_IGNORE:
	case CSF_PKT_ASYNC:
		return true;
	default:
		return false;
	}
}

static void synced(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	if (early(w, pkt, offset))
		return;
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_BRANCH:
		branch(w, pkt, offset);
		break;
	case CSF_PKT_ATOM:
		atoms(w, offset, pkt->val, pkt->n);
		cycles(w, offset, pkt);
		break;
	case CSF_PKT_WAYPOINT:
		if (pkt->flags & CSF_PKT_CTXT)
			w->alt = pkt->info & ALT;
		read_address(w, pkt);
		walker_reach(w, offset, (uint32_t)w->hist[0].addr, true);
		break;
	case CSF_PKT_ERET:
		plain(w, offset, ELEM_ERET, 0);
		break;
	default:
		lose_sync(w, pkt->n == CSF_BAD_CUT ? CSF_GAP_CUT : CSF_GAP_PACKET, offset,
			  pkt->size);
	}
}

/* ---------------------------------------------------------------- synchronisation */

/* Bytes up to an A-sync, or to the end.  Zeros right before an A-sync belong to it. */
static void segment(struct walker *w, const uint8_t *p, size_t n, bool last)
{
	size_t i = 0, zeros = 0;

	while (!last && zeros < n && !p[n - 1 - zeros])
		zeros++;
	while (i < n && w->sync != SYNC_SEARCH && (last || i < n - zeros)) {
		const uint64_t offset = w->offset + i;
		struct csf_packet pkt = { 0 };
		int size = csf_packet_read(&w->config, p + i, n - i, &pkt);

		w->here = offset;
		i += size;
		if (w->sync == SYNC_DECODE) {
			synced(w, &pkt, offset);
		} else if (!early(w, &pkt, offset)) {
			walker_skip(w, offset, size);
			if (pkt.type == CSF_PKT_BAD)
				w->sync = SYNC_SEARCH;
		}
	}
	if (w->sync == SYNC_SEARCH && n > i)
		walker_skip(w, w->offset + i, n - i);
}

/* In more zeros than an A-sync has, the last are its own. */
static size_t find_async(const uint8_t *p, size_t n)
{
	size_t zeros = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == 0x80 && zeros >= ZEROS)
			return i - ZEROS;
		zeros = p[i] ? 0 : zeros + 1;
	}
	return n;
}

void walker_ptm_piece(struct walker *w, const uint8_t *trace, size_t n)
{
	size_t at = 0;

	for (;;) {
		const size_t size = find_async(trace + at, n - at);
		const bool last = at + size == n;

		segment(w, trace + at, size, last);
		w->offset += size;
		w->here = w->offset;
		if (last)
			break;
		if (w->sync == SYNC_SEARCH)
			w->sync = SYNC_INFO;
		w->offset += ZEROS + 1;
		at += size + ZEROS + 1;
	}
	w->last_time = 0;
	memset(w->hist, 0, sizeof(w->hist));
	w->jazelle = false;
	w->alt = false;
}
