// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Packets to elements, where they mean what only ETMv3 has.
 *
 * The youngest P0 element waits in the queue for the next one, as the next exception may cancel it.
 */
#include "parts.h"

/* Cycles up to an instruction, and the instruction: the mark comes after the step. */
static void expand_atoms(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const bool single = d->config.classic.cycles || d->config.etm3.halves;
	uint32_t left = pkt->count;

	if (!single) {
		classic_add_atoms(d, offset, pkt->val, pkt->n);
		return;
	}
	for (unsigned int i = 0; i < pkt->n; i++) {
		const uint32_t count = pkt->n == 1 ? left : left > 0;

		left -= count;
		classic_add_atoms(d, offset, pkt->val >> i & 1, 1);
		if (d->config.classic.cycles)
			classic_add_cycles(d, offset, count, true);
	}
	if (!pkt->n)
		classic_add_cycles(d, offset, left, true);
}

/*
 * Execution goes on at the last address, in the last context.  @how: ETM3_EXPECTED: it should be
 * there already.
 */
static void add_address(struct csf_decoder *d, uint64_t offset, uint64_t how)
{
	struct element el = { .offset = offset, .flags = EL_CTX, .val = how };

	classic_add_address(d, &el);
}

/* Trace begins or goes on here, after a time without. */
static void begin_anew(struct csf_decoder *d, enum classic_reason reason, uint64_t offset)
{
	const struct element overflow = {
		.type = EL_GAP, .exception = CSF_GAP_OVERFLOW, .offset = offset,
	};

	classic_commit(d);
	if (etm3_data_asked(d)) {
		etm3_data_begin(d);
		if (reason == CLASSIC_OVERFLOW)
			etm3_data_drop(d, offset);
	}
	if (reason == CLASSIC_OVERFLOW)
		classic_add(d, &overflow);
	else
		classic_add_plain(d, offset, EL_ON);
}

/*
 * With a load or store multiple in progress the second address is that of the instruction that is
 * next; the first instruction was traced when it began.
 */
static void expand_isync(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const enum classic_reason reason = CLASSIC_INFO_REASON(pkt->info);
	const bool periodic = reason == CLASSIC_PERIODIC && d->classic.known;
	struct classic *s = &d->classic;

	if (reason != CLASSIC_PERIODIC)
		begin_anew(d, reason, offset);
	else if (d->quiet && !s->known)
		d->queue.unseen = 1;	/* the instruction before the segment may be cancelled */
	s->sync = CLASSIC_SYNC_FULL;
	s->known = true;
	classic_take_state(s, pkt->info, pkt->info & CLASSIC_INFO_HYP);
	classic_take_cid(d, pkt->contextid);
	if (pkt->flags & CSF_PKT_COUNT)
		classic_add_cycles(d, offset, pkt->count, pkt->count);
	if (d->config.etm3.no_insn) {
		classic_add_context(d, offset);
		return;
	}
	classic_take_address(s, pkt->val, 32, classic_isa(pkt));
	if (pkt->commit)
		classic_take_address(s, pkt->val2, pkt->commit, s->isa);
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
	classic_add(d, &el);
}

/* Without the byte that says so, Hyp mode is as it was. */
static bool hyp_after(const struct csf_decoder *d, const struct csf_packet *pkt)
{
	if (!(pkt->info & ETM3_BRANCH_LONG))
		return d->config.etm3.hyp && d->classic.ctx.el == 2;
	return pkt->info & CLASSIC_INFO_HYP;
}

/* Exception 0 is none, unless it is of the older form: only the state changes. */
static void expand_branch(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	struct classic *s = &d->classic;

	if (pkt->info & ETM3_BRANCH_CANCEL) {
		if (etm3_data_asked(d))
			etm3_data_cancel(d);
		queue_cancel(&d->queue, 1);
	}
	if (pkt->exception || pkt->info & (ETM3_BRANCH_OLD | ETM3_BRANCH_CANCEL))
		classic_commit(d);
	if (pkt->exception || pkt->info & ETM3_BRANCH_OLD)
		add_exception(d, pkt, offset);
	if (pkt->flags & CSF_PKT_CTXT)
		classic_take_state(s, pkt->info, hyp_after(d, pkt));
	classic_take_address(s, pkt->val, pkt->n, classic_isa(pkt));
	add_address(d, offset, ETM3_BRANCHED);
}

/* In M profile an exception may cancel the return alone, as it is chained to it. */
static void expand_eret(struct csf_decoder *d, uint64_t offset)
{
	const struct element el = {
		.type = EL_ERET, .offset = offset,
		.flags = d->config.profile == CSF_PROFILE_M ? EL_P0 : 0,
	};

	classic_add(d, &el);
}

void etm3_expand(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
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
		classic_add_cycles(d, offset, pkt->count, pkt->count);
		break;
	case CSF_PKT_ERET:
		expand_eret(d, offset);
		break;
	default:		/* also data */
		if (etm3_data_asked(d))
			etm3_data_expand(d, pkt, offset);
		classic_expand(d, pkt, offset);
		break;
	}
}
