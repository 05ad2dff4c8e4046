// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Packets to elements, where they mean what only PTM has.
 *
 * A waypoint is an instruction that takes an atom.  A branch packet without an exception is an E
 * atom and the address after it.
 */
#include "parts.h"

/*
 * Execution goes on at the last address, in the last context; @other: that may be another one than
 * before.
 */
static void add_address(struct csf_decoder *d, uint64_t offset, bool other)
{
	struct element el = {
		.offset = offset, .flags = other || !d->classic.known ? EL_CTX : 0,
	};

	d->classic.known = true;
	classic_add_address(d, &el);
}

static void add_cycles(struct csf_decoder *d, uint64_t offset, const struct csf_packet *pkt)
{
	if (pkt->flags & CSF_PKT_COUNT)
		classic_add_cycles(d, offset, pkt->count, true);
}

/* Execution came to @addr. */
static void add_reach(struct csf_decoder *d, uint64_t offset, uint32_t addr)
{
	const struct element el = { .type = PTM_EL_REACH, .offset = offset, .addr = addr };

	classic_add(d, &el);
}

/* Execution came to the last address, and over the instruction there. */
static void add_waypoint(struct csf_decoder *d, uint64_t offset)
{
	const struct classic *s = &d->classic;
	const struct element el = {
		.type = PTM_EL_REACH, .offset = offset, .addr = s->addr, .count = 1,
		.is1 = s->isa == CLASSIC_T32, .flags = classic_follows(s) ? EL_ADDR : 0,
	};

	classic_add(d, &el);
}

static bool take_state(struct csf_decoder *d, const struct csf_packet *pkt)
{
	return classic_take_state(&d->classic, pkt->info, pkt->info & CLASSIC_INFO_HYP);
}

/*
 * A periodic I-sync names the place where execution is by then; any other begins anew there.  The
 * unit's return stack is empty after each.  Each tells the context, so a segment can begin there.
 */
static void expand_isync(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const enum classic_reason reason = CLASSIC_INFO_REASON(pkt->info);
	const struct element overflow = {
		.type = EL_GAP, .exception = CSF_GAP_OVERFLOW, .offset = offset,
	};
	struct classic *s = &d->classic;

	if (reason == CLASSIC_OVERFLOW) {
		s->known = false;
		classic_add(d, &overflow);
	} else if (reason != CLASSIC_PERIODIC) {
		classic_add_plain(d, offset, EL_ON);
	} else if (s->sync == CLASSIC_SYNC_FULL) {
		add_reach(d, offset, pkt->val);
	}
	s->sync = CLASSIC_SYNC_FULL;
	take_state(d, pkt);
	classic_take_cid(d, pkt->contextid);
	classic_take_address(s, pkt->val, pkt->n, classic_isa(pkt));
	classic_add_plain(d, offset, EL_INFO);
	add_cycles(d, offset, pkt);
	add_address(d, offset, true);
}

static void add_exception(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const struct element el = {
		.type = EL_EXCEPTION, .offset = offset, .exception = pkt->exception,
		.flags = EL_P0,
	};

	d->stats.p0++;
	classic_add(d, &el);
}

/* Exception 0 is none: only the state changes.  Those of a debug halt mean nothing. */
static void expand_branch(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	bool other = false;

	if (pkt->exception)
		add_exception(d, pkt, offset);
	else
		classic_add_atoms(d, offset, 1, 1);
	add_cycles(d, offset, pkt);
	if (pkt->exception == PTM_EXC_HALT)
		return;
	if (pkt->flags & CSF_PKT_CTXT)
		other = take_state(d, pkt);
	classic_take_address(&d->classic, pkt->val, pkt->n, classic_isa(pkt));
	add_address(d, offset, other);
}

void ptm_expand(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ISYNC:
		expand_isync(d, pkt, offset);
		break;
	case CSF_PKT_BRANCH:
		expand_branch(d, pkt, offset);
		break;
	case CSF_PKT_WAYPOINT:
		if (pkt->flags & CSF_PKT_CTXT)
			d->classic.alt = pkt->info & CLASSIC_INFO_ALT;
		classic_take_address(&d->classic, pkt->val, pkt->n, classic_isa(pkt));
		add_waypoint(d, offset);
		break;
	case CSF_PKT_ATOM:
		classic_add_atoms(d, offset, pkt->val, pkt->n);
		add_cycles(d, offset, pkt);
		break;
	case CSF_PKT_ERET:
		classic_add_plain(d, offset, EL_ERET);
		break;
	default:
		classic_expand(d, pkt, offset);
		break;
	}
}
