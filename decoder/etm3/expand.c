// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Packets to elements: adds what packets leave out because it did not change.
 *
 * The youngest P0 element waits in the queue for the next one, as the next exception may cancel it.
 */
#include "parts.h"

#define HELD_MAX	4096	/* with more elements in the queue than this, none waits any more */

void etm3_commit(struct csf_decoder *d)
{
	d->queue.commit = d->queue.depth;
	d->queue.unseen = 0;
}

void etm3_add(struct csf_decoder *d, const struct element *el)
{
	if (element_n_p0(el) || d->queue.n > HELD_MAX)
		etm3_commit(d);
	if (!queue_push(&d->queue, el))
		d->flow.err = CSF_ERR_MEMORY;
}

static void add_plain(struct csf_decoder *d, uint64_t offset, enum element_type type)
{
	const struct element el = { .type = type, .offset = offset };

	etm3_add(d, &el);
}

static void add_cycles(struct csf_decoder *d, uint64_t offset, uint32_t count, bool known)
{
	const struct element el = {
		.type = EL_CYCLES, .offset = offset, .count = count, .flags = known ? EL_COUNT : 0,
	};

	etm3_add(d, &el);
}

/* The last of @n atoms waits, the others are sure. */
static void add_atoms(struct csf_decoder *d, uint64_t offset, uint64_t val, uint8_t n)
{
	const struct element el = {
		.type = EL_ATOMS, .offset = offset, .val = val, .init = val, .n = n,
	};

	d->stats.atoms += n;
	d->stats.p0 += n;
	if (!n)
		return;
	etm3_add(d, &el);
	d->queue.commit += n - 1;
}

/* Cycles up to an instruction, and the instruction: the mark comes after the step. */
static void expand_atoms(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const bool single = d->config.etm3.cycles || d->config.etm3.halves;
	uint32_t left = pkt->count;

	if (!single) {
		add_atoms(d, offset, pkt->val, pkt->n);
		return;
	}
	for (unsigned int i = 0; i < pkt->n; i++) {
		const uint32_t count = pkt->n == 1 ? left : left > 0;

		left -= count;
		add_atoms(d, offset, pkt->val >> i & 1, 1);
		if (d->config.etm3.cycles)
			add_cycles(d, offset, count, true);
	}
	if (!pkt->n)
		add_cycles(d, offset, left, true);
}

/* Completes an address, and takes over its instruction set. */
static void take_address(struct etm3 *e, uint64_t val, uint8_t n, enum etm3_isa isa)
{
	if (n == 32) {
		e->isa = isa;
		e->addr = val;
		return;
	}
	e->addr = (e->addr & ~low_bits(n + 2 - e->isa)) | val << (2 - e->isa);
}

/*
 * Execution goes on at the last address, in the last context.  @how: ETM3_EXPECTED: it should be
 * there already.  Jazelle's instructions cannot be followed: execution is lost until another state.
 */
static void add_address(struct csf_decoder *d, uint64_t offset, uint64_t how)
{
	const struct etm3 *e = &d->etm3;
	const struct element el = {
		.type = EL_ADDRESS, .offset = offset, .addr = e->addr, .is1 = e->isa == ETM3_T32,
		.flags = EL_CTX, .ctx = e->ctx, .val = how,
	};
	const struct element lost = {
		.type = EL_GAP, .exception = CSF_GAP_ADDRESS, .offset = offset,
		.flags = EL_IN_SYNC,
	};

	etm3_add(d, &el);
	if (e->isa == ETM3_JAZELLE)
		etm3_add(d, &lost);
}

/* EL0 and EL1 look the same, and so does everything when secure. */
static void take_state(struct etm3 *e, bool ns, bool hyp)
{
	e->ctx.known = true;
	e->ctx.el = hyp ? 2 : 1;
	e->ctx.security = ns ? CSF_NONSECURE : CSF_SECURE;
}

static bool take_cid(struct csf_decoder *d, uint32_t contextid)
{
	struct csf_context *ctx = &d->etm3.ctx;
	const bool other = !ctx->has_contextid || ctx->contextid != contextid;

	if (!d->config.etm3.cid_size)
		return false;
	ctx->has_contextid = true;
	ctx->contextid = contextid;
	return other;
}

static bool take_vmid(struct etm3 *e, uint32_t vmid)
{
	const bool other = !e->ctx.has_vmid || e->ctx.vmid != vmid;

	e->ctx.has_vmid = true;
	e->ctx.vmid = vmid;
	return other;
}

/* Before an I-sync no context is known. */
static void add_context(struct csf_decoder *d, uint64_t offset, bool other)
{
	const struct element el = { .type = EL_CONTEXT, .offset = offset, .ctx = d->etm3.ctx };

	if (other && d->etm3.known)
		etm3_add(d, &el);
}

/* Trace begins or goes on here, after a time without. */
static void begin_anew(struct csf_decoder *d, enum etm3_reason reason, uint64_t offset)
{
	const struct element overflow = {
		.type = EL_GAP, .exception = CSF_GAP_OVERFLOW, .offset = offset,
	};

	etm3_commit(d);
	if (reason == ETM3_OVERFLOW)
		etm3_add(d, &overflow);
	else
		add_plain(d, offset, EL_ON);
}

/*
 * With a load or store multiple in progress the second address is that of the instruction that is
 * next; the first instruction was traced when it began.
 */
static void expand_isync(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const enum etm3_reason reason = ETM3_INFO_REASON(pkt->info);
	const bool periodic = reason == ETM3_PERIODIC && d->etm3.known;
	struct etm3 *e = &d->etm3;

	if (reason != ETM3_PERIODIC)
		begin_anew(d, reason, offset);
	e->sync = ETM3_SYNC_FULL;
	e->known = true;
	take_state(e, pkt->info & ETM3_INFO_NS, pkt->info & ETM3_INFO_HYP);
	take_cid(d, pkt->contextid);
	if (pkt->flags & CSF_PKT_COUNT)
		add_cycles(d, offset, pkt->count, pkt->count);
	if (d->config.etm3.no_insn) {
		add_context(d, offset, true);
		return;
	}
	take_address(e, pkt->val, 32, etm3_isa(pkt));
	if (pkt->commit)
		take_address(e, pkt->val2, pkt->commit, e->isa);
	add_address(d, offset, periodic ? ETM3_EXPECTED : ETM3_ISYNCED);
}

/* The numbers that ETMv4 has for the same exceptions, which all consumers know. */
static const uint8_t as_etm4[16] = {
	[1] = 0x01,				/* debug halt */
	[2] = 0x02,				/* SMC: call */
	[3] = 0x03,				/* entry to Hyp mode: trap */
	[4] = 0x04,				/* asynchronous abort: system error */
	[5] = 0x03, [6] = 0x03, [7] = 0x03,	/* ThumbEE check, or reserved: trap */
	[8] = 0x00,				/* reset */
	[9] = 0x03,				/* undefined instruction: trap */
	[10] = 0x02,				/* SVC: call */
	[11] = 0x0b, [12] = 0x0c,		/* prefetch abort; data abort */
	[13] = 0x03,				/* generic: trap */
	[14] = 0x0e, [15] = 0x0f,		/* IRQ, FIQ */
};

/* Of M profile: 8 is IRQ0, 1 to 7 are IRQ1 to IRQ7, from 24 on IRQ8 to IRQ495. */
static const uint8_t as_etm4_m[24] = {
	[1] = 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, [8] = 0x10,
	[9] = 0x06, [10] = 0x02, [11] = 0x0b, [12] = 0x0c, [13] = 0x04, [14] = 0x0e, [15] = 0x0f,
	[17] = 0x01, [19] = 0x03, [21] = 0x05,
};

/* The older form, in the fifth byte of an address. */
static const uint8_t old_as_etm4[8] = {
	[0] = 0x00, [1] = 0x0e, [2] = 0x03, [3] = 0x03, [4] = 0x03, [5] = 0x0f, [6] = 0x04,
	[7] = 0x01,
};

static uint16_t exception_of(const struct config *c, const struct csf_packet *pkt)
{
	if (pkt->info & ETM3_BRANCH_OLD)
		return old_as_etm4[pkt->exception & 7];
	if (c->profile != CSF_PROFILE_M)
		return pkt->exception < ARRAY_SIZE(as_etm4) ? as_etm4[pkt->exception] : 0x03;
	if (pkt->exception >= ARRAY_SIZE(as_etm4_m))
		return 0x200 + pkt->exception - 16;
	return as_etm4_m[pkt->exception];
}

/* The exception is taken after the last instruction, or instead of it. */
static void add_exception(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const struct element el = {
		.type = EL_EXCEPTION, .offset = offset, .exception = exception_of(&d->config, pkt),
	};

	d->stats.p0++;
	etm3_add(d, &el);
}

/* Without the byte that says so, Hyp mode is as it was. */
static bool hyp_after(const struct csf_decoder *d, const struct csf_packet *pkt)
{
	if (!(pkt->info & ETM3_BRANCH_LONG))
		return d->config.etm3.hyp && d->etm3.ctx.el == 2;
	return pkt->info & ETM3_INFO_HYP;
}

/* Exception 0 is none, unless it is of the older form: only the state changes. */
static void expand_branch(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	struct etm3 *e = &d->etm3;

	if (pkt->info & ETM3_BRANCH_CANCEL)
		queue_cancel(&d->queue, 1);
	if (pkt->exception || pkt->info & (ETM3_BRANCH_OLD | ETM3_BRANCH_CANCEL))
		etm3_commit(d);
	if (pkt->exception || pkt->info & ETM3_BRANCH_OLD)
		add_exception(d, pkt, offset);
	if (pkt->flags & CSF_PKT_CTXT)
		take_state(e, pkt->info & ETM3_INFO_NS, hyp_after(d, pkt));
	take_address(e, pkt->val, pkt->n, etm3_isa(pkt));
	add_address(d, offset, ETM3_BRANCHED);
}

static uint64_t from_gray(uint64_t v)
{
	for (unsigned int shift = 32; shift; shift /= 2)
		v ^= v >> shift;
	return v;
}

uint64_t etm3_time(const struct config *c, uint64_t *last, const struct csf_packet *pkt)
{
	*last = (*last & ~low_bits(pkt->n)) | pkt->val;
	return c->etm3.ts_gray ? from_gray(*last) : *last;
}

static void expand_time(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const struct element el = {
		.type = EL_TIME, .offset = offset,
		.val = etm3_time(&d->config, &d->etm3.time, pkt),
	};

	etm3_add(d, &el);
}

/* In M profile an exception may cancel the return alone, as it is chained to it. */
static void expand_eret(struct csf_decoder *d, uint64_t offset)
{
	const struct element el = {
		.type = EL_ERET, .offset = offset,
		.flags = d->config.profile == CSF_PROFILE_M ? EL_P0 : 0,
	};

	etm3_add(d, &el);
}

void etm3_expand(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const struct element trigger = { .type = EL_EVENT, .offset = offset, .val = 1 };

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ISYNC:
		expand_isync(d, pkt, offset);
		break;
	case CSF_PKT_BRANCH:
		expand_branch(d, pkt, offset);
		break;
	case CSF_PKT_ATOM:
		expand_atoms(d, pkt, offset);
		break;
	case CSF_PKT_CYCLES:
		add_cycles(d, offset, pkt->count, pkt->count);
		break;
	case CSF_PKT_TIME:
		expand_time(d, pkt, offset);
		break;
	case CSF_PKT_CTXTID:
		add_context(d, offset, take_cid(d, pkt->contextid));
		break;
	case CSF_PKT_VMID:
		add_context(d, offset, take_vmid(&d->etm3, pkt->vmid));
		break;
	case CSF_PKT_TRIGGER:
		etm3_add(d, &trigger);
		break;
	case CSF_PKT_ERET:
		expand_eret(d, offset);
		break;
	default:		/* data, and what only aligns */
		break;
	}
}
