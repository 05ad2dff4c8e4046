// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Packets to elements: adds what packets leave out because it did not change.
 *
 * A waypoint is an instruction that takes an atom.  A branch packet without an exception is an E
 * atom and the address after it.
 */
#include "parts.h"

void ptm_add(struct csf_decoder *d, const struct element *el)
{
	d->ptm.todo[d->ptm.n++] = *el;
}

/* Completes the address of a packet, and takes over its instruction set. */
static void take_address(struct ptm *p, const struct csf_packet *pkt)
{
	uint64_t known;

	if (pkt->n == 32) {
		p->isa = pkt->info & PTM_INFO_JAZELLE ? PTM_JAZELLE :
			 pkt->flags & CSF_PKT_IS1 ? PTM_T32 : PTM_A32;
		p->addr = pkt->val;
		return;
	}
	known = low_bits(pkt->n + 2 - p->isa);
	p->addr = (p->addr & ~known) | pkt->val << (2 - p->isa);
}

/*
 * Execution goes on at the last address, in the last context; @other: that may be another one than
 * before.  Jazelle's instructions cannot be followed: execution is lost until another state.
 */
static void add_address(struct csf_decoder *d, uint64_t offset, bool other)
{
	struct ptm *p = &d->ptm;
	struct element el = {
		.type = EL_ADDRESS, .offset = offset, .addr = p->addr, .is1 = p->isa == PTM_T32,
		.flags = other || !p->known ? EL_CTX : 0, .ctx = p->ctx,
	};
	const struct element lost = {
		.type = EL_GAP, .exception = CSF_GAP_ADDRESS, .offset = offset,
		.flags = EL_IN_SYNC,
	};

	p->known = true;
	ptm_add(d, &el);
	if (p->isa == PTM_JAZELLE)
		ptm_add(d, &lost);
}

static void add_plain(struct csf_decoder *d, uint64_t offset, enum element_type type)
{
	const struct element el = { .type = type, .offset = offset };

	ptm_add(d, &el);
}

static void add_atoms(struct csf_decoder *d, uint64_t offset, uint64_t val, uint8_t n)
{
	const struct element el = {
		.type = EL_ATOMS, .offset = offset, .val = val, .init = val, .n = n,
	};

	d->stats.atoms += n;
	d->stats.p0 += n;
	ptm_add(d, &el);
}

static void add_cycles(struct csf_decoder *d, uint64_t offset, const struct csf_packet *pkt)
{
	const struct element el = {
		.type = EL_CYCLES, .offset = offset, .count = pkt->count, .flags = EL_COUNT,
	};

	if (pkt->flags & CSF_PKT_COUNT)
		ptm_add(d, &el);
}

/* Returns true if the state that a packet names is another one than before. */
static bool take_state(struct ptm *p, const struct csf_packet *pkt)
{
	const struct csf_context was = p->ctx;

	/* EL0 and EL1 look the same, and so does everything when secure */
	p->ctx.known = true;
	p->ctx.el = pkt->info & PTM_INFO_HYP ? 2 : 1;
	p->ctx.security = pkt->info & PTM_INFO_NS ? CSF_NONSECURE : CSF_SECURE;
	return was.el != p->ctx.el || was.security != p->ctx.security;
}

static bool take_cid(struct csf_decoder *d, uint32_t contextid)
{
	struct csf_context *ctx = &d->ptm.ctx;
	const bool other = !ctx->has_contextid || ctx->contextid != contextid;

	if (!d->config.ptm.cid_size)
		return false;
	ctx->has_contextid = true;
	ctx->contextid = contextid;
	return other;
}

static bool take_vmid(struct ptm *p, uint32_t vmid)
{
	const bool other = !p->ctx.has_vmid || p->ctx.vmid != vmid;

	p->ctx.has_vmid = true;
	p->ctx.vmid = vmid;
	return other;
}

/*
 * A periodic I-sync names the place where execution is by then; any other begins anew there.  The
 * unit's return stack is empty after each.
 */
static void expand_isync(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const enum ptm_reason reason = PTM_INFO_REASON(pkt->info);
	struct ptm *p = &d->ptm;
	const struct element overflow = {
		.type = EL_GAP, .exception = CSF_GAP_OVERFLOW, .offset = offset,
	};
	const struct element reach = {
		.type = PTM_EL_REACH, .offset = offset, .addr = pkt->val,
		.is1 = pkt->flags & CSF_PKT_IS1,
	};
	bool other;

	if (reason == PTM_OVERFLOW) {
		p->known = false;
		ptm_add(d, &overflow);
	} else if (reason != PTM_PERIODIC) {
		add_plain(d, offset, EL_ON);
	} else if (p->sync == PTM_SYNC_FULL) {
		ptm_add(d, &reach);
	}
	p->sync = PTM_SYNC_FULL;
	other = take_state(p, pkt);
	other |= take_cid(d, pkt->contextid);
	take_address(p, pkt);
	add_plain(d, offset, EL_INFO);
	add_cycles(d, offset, pkt);
	add_address(d, offset, other);
}

/* Exception 0 is none: only the state changes. */
static void expand_branch(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const struct element exception = {
		.type = EL_EXCEPTION, .offset = offset, .exception = pkt->exception,
		.flags = EL_P0,
	};
	bool other = false;

	if (pkt->exception) {
		d->stats.p0++;
		ptm_add(d, &exception);
	} else {
		add_atoms(d, offset, 1, 1);
	}
	add_cycles(d, offset, pkt);
	if (pkt->flags & CSF_PKT_CTXT)
		other = take_state(&d->ptm, pkt);
	take_address(&d->ptm, pkt);
	add_address(d, offset, other);
}

static void expand_waypoint(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	struct element el = { .type = PTM_EL_REACH, .offset = offset, .count = 1 };

	take_address(&d->ptm, pkt);
	el.addr = d->ptm.addr;
	el.is1 = d->ptm.isa == PTM_T32;
	ptm_add(d, &el);
}

static uint64_t from_gray(uint64_t v)
{
	for (unsigned int shift = 32; shift; shift /= 2)
		v ^= v >> shift;
	return v;
}

uint64_t ptm_time(const struct config *c, uint64_t *last, const struct csf_packet *pkt)
{
	*last = (*last & ~low_bits(pkt->n)) | pkt->val;
	return c->ptm.ts_gray ? from_gray(*last) : *last;
}

static void expand_time(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const struct element el = {
		.type = EL_TIME, .offset = offset, .count = pkt->count,
		.val = ptm_time(&d->config, &d->ptm.time, pkt),
		.flags = pkt->flags & CSF_PKT_COUNT ? EL_COUNT : 0,
	};

	ptm_add(d, &el);
}

/* Before an I-sync no context is known. */
static void add_context(struct csf_decoder *d, uint64_t offset, bool other)
{
	const struct element el = { .type = EL_CONTEXT, .offset = offset, .ctx = d->ptm.ctx };

	if (other && d->ptm.known)
		ptm_add(d, &el);
}

void ptm_expand(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const struct element trigger = { .type = EL_EVENT, .offset = offset, .val = 1 };

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ISYNC:
		expand_isync(d, pkt, offset);
		break;
	case CSF_PKT_BRANCH:
		expand_branch(d, pkt, offset);
		break;
	case CSF_PKT_WAYPOINT:
		expand_waypoint(d, pkt, offset);
		break;
	case CSF_PKT_ATOM:
		add_atoms(d, offset, pkt->val, pkt->n);
		add_cycles(d, offset, pkt);
		break;
	case CSF_PKT_TIME:
		expand_time(d, pkt, offset);
		break;
	case CSF_PKT_CTXTID:
		add_context(d, offset, take_cid(d, pkt->contextid));
		break;
	case CSF_PKT_VMID:
		add_context(d, offset, take_vmid(&d->ptm, pkt->vmid));
		break;
	case CSF_PKT_TRIGGER:
		ptm_add(d, &trigger);
		break;
	case CSF_PKT_ERET:
		add_plain(d, offset, EL_ERET);
		break;
	default:
		break;
	}
}
