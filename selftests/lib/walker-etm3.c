// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walker for ETMv3: bytes to packets to elements, of which each instruction has an atom.
 *
 * The youngest instruction is held until it is sure that the next exception does not cancel it.
 */
#include <stdlib.h>
#include <string.h>

#include "walker-parts.h"

#define ZEROS		5	/* of an A-sync, before 0x80 */

#define CR_DATA		(7u << 1)
#define CR_CYCLES	(1u << 12)
#define CR_CID		(3u << 14)
#define CR_DATA_ONLY	(1u << 20)
#define CCER_HYP	(1u << 26)
#define CCER_BINARY	(1u << 28)
#define IDR_WHOLE_BL	(1u << 18)

/* struct csf_packet.info of I-syncs and branches */
#define HYP		0x02
#define NS		0x08
#define JAZELLE		0x10
#define ALT		0x04
#define HAS_HYP		0x01	/* branches only, and the next two */
#define CANCEL		0x20
#define OLD		0x80

/* ---------------------------------------------------------------- what depends on the place */

/* Is it the first half of a BL or BLX, whose halves have an atom each? */
static bool is_first_half(struct walker *w)
{
	struct csf_insn insn;

	if (w->config.etmidr & IDR_WHOLE_BL || w->first_half || !w->pc_known || !w->ctx.known ||
	    !code_fetch(w, w->pc, w->is1, &insn))
		return false;
	return w->is1 && insn.kind == CSF_INSN_BRANCH && insn.flags & CSF_FLAG_LINK &&
	       insn.size == 4;
}

static bool same_context(const struct csf_context *a, const struct csf_context *b)
{
	return a->known == b->known && a->el == b->el && a->security == b->security &&
	       a->has_contextid == b->has_contextid && a->contextid == b->contextid &&
	       a->has_vmid == b->has_vmid && a->vmid == b->vmid;
}

bool walker_etm3_place(struct walker *w, struct elem *e)
{
	const bool known = w->pc_known && !w->pending && w->ctx.known;

	if (e->type >= ELEM_ACCESS) {
		walker_data_place(w, e);
		return false;
	}
	switch (e->type) {
	case ELEM_ATOM:
		w->first_half = is_first_half(w);
		if (!w->first_half)
			walker_data_place(w, e);
		return !w->first_half;
	case ELEM_CYCLES:
		e->at = w->seq;
		return true;
	case ELEM_EXCEPTION:
		w->first_half = false;
		walker_data_place(w, e);
		e->has_addr = known;
		e->addr = code_wrap(w, w->pc);
		return true;
	case ELEM_ADDRESS:
		w->first_half = false;
		if (e->count)			/* an I-sync */
			break;
		e->has_ctx = !same_context(&e->ctx, &w->ctx);
		return true;
	case ELEM_ON:
	case ELEM_OVERFLOW:
	case ELEM_LOST:
		walker_data_place(w, e);
		return true;
	default:
		return true;
	}
	if (e->count < 2 || !known || code_wrap(w, w->pc) == e->addr)
		return true;
	walker_data_place(w, &(struct elem){ .type = ELEM_LOST });
	walker_gap_here(w, CSF_GAP_WALK, code_wrap(w, w->pc), e->addr);
	return true;
}

/* ---------------------------------------------------------------- packets to elements */

void walker_etm3_configure(struct walker *w)
{
	w->rule = CSF_RULE_EACH | (w->config.profile == CSF_PROFILE_M ? CSF_RULE_M : 0);
	w->max_spec = 1;
	if (!(w->config.etmcr & CR_DATA))
		w->marks &= ~CSF_MARK_DATA;
}

/* What waited for a cancel was executed. */
static void commit_all(struct walker *w)
{
	held_commit(w, (int64_t)w->depth + w->unseen);
}

static void put(struct walker *w, struct elem *e)
{
	if (e->p0)
		commit_all(w);
	held_put(w, e);
}

void walker_etm3_put(struct walker *w, struct elem *e)
{
	put(w, e);
}

static void put_plain(struct walker *w, enum elem_type type, uint64_t offset)
{
	struct elem e = { .type = type, .offset = offset };

	put(w, &e);
}

static void put_cycles(struct walker *w, uint64_t offset, uint32_t count, bool known)
{
	struct elem e = {
		.type = ELEM_CYCLES, .offset = offset, .value = count, .has_count = known,
	};

	put(w, &e);
}

static void atoms(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	const bool cycles = w->config.etmcr & CR_CYCLES;

	if (!cycles && w->config.etmidr & IDR_WHOLE_BL) {
		commit_all(w);
		held_atoms(w, pkt->val, pkt->n, offset);
		return;
	}
	for (unsigned int i = 0; i < pkt->n; i++) {
		commit_all(w);
		held_atoms(w, pkt->val >> i & 1, 1, offset);
		if (!cycles)
			continue;
		if (pkt->n == 1)
			put_cycles(w, offset, pkt->count, true);
		else if (pkt->count == pkt->n)
			put_cycles(w, offset, 1, true);
		else
			put_cycles(w, offset, !i, true);
	}
	if (!pkt->n)
		put_cycles(w, offset, pkt->count, true);
}

/* A short address has its lowest bit where an instruction set can have one. */
static void take_address(struct walker *w, const struct csf_packet *pkt, uint64_t bits,
			 unsigned int n)
{
	struct walker_addr *last = &w->hist[0];
	unsigned int unit = w->jazelle ? 0 : last->is1 ? 1 : 2;
	uint64_t mask = (1ull << (n + unit)) - 1;

	if (n == 32) {
		w->jazelle = pkt->info & JAZELLE;
		*last = (struct walker_addr){ bits, pkt->flags & CSF_PKT_IS1 };
		return;
	}
	last->addr = (uint32_t)((last->addr & ~mask) | bits << unit);
}

/* @isync: 1: an I-sync; 2: and execution should be there already. */
static void address(struct walker *w, uint64_t offset, unsigned int isync)
{
	struct elem e = {
		.type = ELEM_ADDRESS, .offset = offset, .addr = w->hist[0].addr,
		.is1 = w->hist[0].is1,
		.has_ctx = true, .ctx = w->last_ctx, .count = isync,
	};

	put(w, &e);
	if (w->jazelle || (w->alt && w->hist[0].is1))
		put_plain(w, ELEM_LOST, offset);
}

static void state(struct walker *w, const struct csf_packet *pkt, bool hyp)
{
	w->alt = pkt->info & ALT;
	w->last_ctx.known = true;
	w->last_ctx.el = hyp ? 2 : 1;
	w->last_ctx.security = pkt->info & NS ? CSF_NONSECURE : CSF_SECURE;
}

static void isync(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	const unsigned int reason = pkt->info >> 5 & 3;
	struct elem e = { .type = ELEM_CONTEXT, .offset = offset };
	const bool joined = w->sync == SYNC_DECODE;

	if (reason) {
		commit_all(w);
		walker_data_begin(w);
		if (reason == 2)
			walker_data_drop(w, offset);
		put_plain(w, reason == 2 ? ELEM_OVERFLOW : ELEM_ON, offset);
	}
	w->sync = SYNC_DECODE;
	state(w, pkt, pkt->info & HYP);
	if (w->config.etmcr & CR_CID) {
		w->last_ctx.has_contextid = true;
		w->last_ctx.contextid = pkt->contextid;
	}
	if (pkt->flags & CSF_PKT_COUNT)
		put_cycles(w, offset, pkt->count, pkt->count);
	e.ctx = w->last_ctx;
	if (w->config.etmcr & CR_DATA_ONLY) {
		put(w, &e);
		return;
	}
	take_address(w, pkt, pkt->val, 32);
	if (pkt->commit)
		take_address(w, pkt, pkt->val2, pkt->commit);
	address(w, offset, reason || !joined ? 1 : 2);
}

static unsigned int number_m(unsigned int n)
{
	switch (n) {
	case 8:
		return 0x10;
	case 9:
		return 6;
	case 10:
		return 2;
	case 11:
		return 11;
	case 12:
		return 12;
	case 13:
		return 4;
	case 14:
		return 14;
	case 15:
		return 15;
	case 17:
		return 1;
	case 19:
		return 3;
	case 21:
		return 5;
	default:
		return n < 8 ? 0x10 + n : n < 24 ? 0 : 0x200 + n - 16;
	}
}

/* As ETMv4 counts exceptions. */
static unsigned int number(const struct walker *w, const struct csf_packet *pkt)
{
	static const unsigned int old[8] = { 0, 14, 3, 3, 3, 15, 4, 1 };
	const unsigned int n = pkt->exception;

	if (pkt->info & OLD)
		return old[n];
	if (w->config.profile == CSF_PROFILE_M)
		return number_m(n);
	switch (n) {
	case 2:
	case 10:
		return 2;
	case 1:
	case 4:
	case 11:
	case 12:
	case 14:
	case 15:
		return n;
	case 8:
		return 0;
	default:
		return 3;
	}
}

static void branch(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	struct elem e = { .type = ELEM_EXCEPTION, .offset = offset, .value = number(w, pkt) };
	bool hyp = w->config.etmccer & CCER_HYP && w->last_ctx.el == 2;

	if (pkt->info & CANCEL)
		held_cancel(w, 1);
	if (pkt->exception || pkt->info & (OLD | CANCEL))
		commit_all(w);
	if (pkt->exception || pkt->info & OLD)
		put(w, &e);
	if (pkt->info & HAS_HYP)
		hyp = pkt->info & HYP;
	if (pkt->flags & CSF_PKT_CTXT)
		state(w, pkt, hyp);
	take_address(w, pkt, pkt->val, pkt->n);
	address(w, offset, 0);
}

static void timestamp(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	const uint64_t mask = pkt->n < 64 ? (1ull << pkt->n) - 1 : UINT64_MAX;
	struct elem e = { .type = ELEM_TIME, .offset = offset };

	w->last_time = (w->last_time & ~mask) | pkt->val;
	e.value = w->last_time;
	if (!(w->config.etmccer & CCER_BINARY))
		for (uint64_t bits = w->last_time >> 1; bits; bits >>= 1)
			e.value ^= bits;
	put(w, &e);
}

static void context(struct walker *w, uint64_t offset, bool changed)
{
	struct elem e = { .type = ELEM_CONTEXT, .offset = offset, .ctx = w->last_ctx };

	if (changed && w->sync == SYNC_DECODE)
		put(w, &e);
}

static void context_id(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	struct csf_context *ctx = &w->last_ctx;
	bool changed = !ctx->has_contextid || ctx->contextid != pkt->contextid;

	if (!(w->config.etmcr & CR_CID))
		return;
	ctx->has_contextid = true;
	ctx->contextid = pkt->contextid;
	context(w, offset, changed);
}

static void vmid(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	struct csf_context *ctx = &w->last_ctx;
	bool changed = !ctx->has_vmid || ctx->vmid != pkt->vmid;

	ctx->has_vmid = true;
	ctx->vmid = pkt->vmid;
	context(w, offset, changed);
}

static void element(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	struct elem e = { .offset = offset };

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ATOM:
		atoms(w, pkt, offset);
		break;
	case CSF_PKT_BRANCH:
		branch(w, pkt, offset);
		break;
	case CSF_PKT_ISYNC:
		isync(w, pkt, offset);
		break;
	case CSF_PKT_CYCLES:
		put_cycles(w, offset, pkt->count, pkt->count);
		break;
	case CSF_PKT_TIME:
		timestamp(w, pkt, offset);
		break;
	case CSF_PKT_CTXTID:
		context_id(w, pkt, offset);
		break;
	case CSF_PKT_VMID:
		vmid(w, pkt, offset);
		break;
	case CSF_PKT_TRIGGER:
		e.type = ELEM_EVENT;
		e.value = 1;
		put(w, &e);
		break;
	case CSF_PKT_ERET:
		e.type = ELEM_ERET;
		e.p0 = w->config.profile == CSF_PROFILE_M;
		put(w, &e);
		break;
	default:
		walker_data_packet(w, pkt, offset);
		break;
	}
}

/* ---------------------------------------------------------------- synchronisation */

static void lose_sync(struct walker *w, enum csf_gap reason, uint64_t here, uint64_t bytes)
{
	commit_all(w);
	walker_data_drop(w, here);
	walker_data_begin(w);
	walker_data_place(w, &(struct elem){ .type = ELEM_LOST });
	w->last_time = 0;
	memset(w->hist, 0, sizeof(w->hist));
	w->jazelle = false;
	w->alt = false;
	w->first_half = false;
	walker_lose_sync(w, reason, here, bytes);
}

/* Between an A-sync and its I-sync only times and cycles mean something. */
static void early(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	const bool tells = pkt->type == CSF_PKT_ISYNC || pkt->type == CSF_PKT_TIME ||
			   pkt->type == CSF_PKT_CYCLES || pkt->type == CSF_PKT_TRIGGER ||
			   (pkt->type == CSF_PKT_ATOM && !pkt->n);

	if (tells)
		walker_say_skipped(w);
	if (tells || pkt->type == CSF_PKT_CTXTID || pkt->type == CSF_PKT_VMID) {
		element(w, pkt, offset);
	} else if (pkt->type != CSF_PKT_IGNORE) {
		walker_skip(w, offset, pkt->size);
		if (pkt->type == CSF_PKT_BAD)
			w->sync = SYNC_SEARCH;
	}
}

static bool all_zeros(const uint8_t *p, size_t n)
{
	while (n && !p[n - 1])
		n--;
	return !n;
}

/* Bytes between two A-syncs, or before the first, or after the last. */
static void segment(struct walker *w, const uint8_t *p, size_t n, bool last)
{
	size_t i = 0;

	while (i < n && w->sync != SYNC_SEARCH) {
		const uint64_t offset = w->offset + i;
		struct csf_packet pkt = { 0 };
		int size;

		if (!last && all_zeros(p + i, n - i))	/* more zeros than needed */
			return;
		size = csf_packet_read(&w->config, p + i, n - i, &pkt);
		if (size <= 0)
			abort();
		w->here = offset;
		if (w->sync != SYNC_DECODE)
			early(w, &pkt, offset);
		else if (pkt.type == CSF_PKT_BAD)
			lose_sync(w, pkt.n == CSF_BAD_CUT ? CSF_GAP_CUT : CSF_GAP_PACKET, offset,
				  size);
		else
			element(w, &pkt, offset);
		i += size;
	}
	if (n > i)
		walker_skip(w, w->offset + i, n - i);
}

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

void walker_etm3_piece(struct walker *w, const uint8_t *trace, size_t n)
{
	size_t at = 0;

	for (;;) {
		size_t next = at + find_async(trace + at, n - at);

		segment(w, trace + at, next - at, next == n);
		w->offset += next - at;
		if (next == n)
			break;
		if (w->sync == SYNC_SEARCH)
			w->sync = SYNC_INFO;
		w->offset += ZEROS + 1;
		at = next + ZEROS + 1;
	}
	commit_all(w);
	walker_data_drop(w, w->offset);
	walker_data_begin(w);
	w->last_time = 0;
	memset(w->hist, 0, sizeof(w->hist));
	w->jazelle = false;
	w->alt = false;
	w->first_half = false;
}
