// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Packets to elements: adds what packets leave out because it did not change.
 *
 * A waypoint is an instruction that takes an atom.  A branch packet without an exception is an E
 * atom and the address after it.
 */
#include "parts.h"

/* The first one is the current element at once: most packets have no other. */
struct element *ptm_add(struct csf_decoder *d, uint64_t offset, enum element_type type)
{
	struct element *el = d->el_ready ? &d->ptm.todo[d->ptm.n++] : &d->el;

	d->el_ready = true;
	*el = (struct element){ .type = type, .offset = offset };
	return el;
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
	struct element *el = ptm_add(d, offset, EL_ADDRESS);
	struct ptm *p = &d->ptm;

	el->addr = p->addr;
	el->is1 = p->isa == PTM_T32;
	if (other || !p->known) {
		el->flags = EL_CTX;
		el->ctx = p->ctx;
	}
	p->known = true;
	if (p->isa != PTM_JAZELLE)
		return;
	el = ptm_add(d, offset, EL_GAP);
	el->exception = CSF_GAP_ADDRESS;
	el->flags = EL_IN_SYNC;
}

static void add_atoms(struct csf_decoder *d, uint64_t offset, uint64_t val, uint8_t n)
{
	struct element *el = ptm_add(d, offset, EL_ATOMS);

	el->val = val;
	el->init = val;
	el->n = n;
	d->stats.atoms += n;
	d->stats.p0 += n;
}

static void add_cycles(struct csf_decoder *d, uint64_t offset, const struct csf_packet *pkt)
{
	struct element *el;

	if (!(pkt->flags & CSF_PKT_COUNT))
		return;
	el = ptm_add(d, offset, EL_CYCLES);
	el->count = pkt->count;
	el->flags = EL_COUNT;
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

/* Execution came to @addr, @past: and over the instruction there. */
static void add_reach(struct csf_decoder *d, uint64_t offset, uint32_t addr, bool past)
{
	struct element *el = ptm_add(d, offset, PTM_EL_REACH);

	el->addr = addr;
	el->count = past;
}

/*
 * A periodic I-sync names the place where execution is by then; any other begins anew there.  The
 * unit's return stack is empty after each.
 */
static void expand_isync(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const enum ptm_reason reason = PTM_INFO_REASON(pkt->info);
	struct ptm *p = &d->ptm;
	bool other;

	if (reason == PTM_OVERFLOW) {
		p->known = false;
		ptm_add(d, offset, EL_GAP)->exception = CSF_GAP_OVERFLOW;
	} else if (reason != PTM_PERIODIC) {
		ptm_add(d, offset, EL_ON);
	} else if (p->sync == PTM_SYNC_FULL) {
		add_reach(d, offset, pkt->val, false);
	}
	p->sync = PTM_SYNC_FULL;
	other = take_state(p, pkt);
	other |= take_cid(d, pkt->contextid);
	take_address(p, pkt);
	ptm_add(d, offset, EL_INFO);
	add_cycles(d, offset, pkt);
	add_address(d, offset, other);
}

/* Exception 0 is none: only the state changes. */
static void expand_branch(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	struct element *el;
	bool other = false;

	if (pkt->exception) {
		d->stats.p0++;
		el = ptm_add(d, offset, EL_EXCEPTION);
		el->exception = pkt->exception;
		el->flags = EL_P0;
	} else {
		add_atoms(d, offset, 1, 1);
	}
	add_cycles(d, offset, pkt);
	if (pkt->flags & CSF_PKT_CTXT)
		other = take_state(&d->ptm, pkt);
	take_address(&d->ptm, pkt);
	add_address(d, offset, other);
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
	struct element *el = ptm_add(d, offset, EL_TIME);

	el->val = ptm_time(&d->config, &d->ptm.time, pkt);
	el->count = pkt->count;
	el->flags = pkt->flags & CSF_PKT_COUNT ? EL_COUNT : 0;
}

/* Before an I-sync no context is known. */
static void add_context(struct csf_decoder *d, uint64_t offset, bool other)
{
	if (other && d->ptm.known)
		ptm_add(d, offset, EL_CONTEXT)->ctx = d->ptm.ctx;
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
		take_address(&d->ptm, pkt);
		add_reach(d, offset, d->ptm.addr, true);
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
		ptm_add(d, offset, EL_EVENT)->val = 1;
		break;
	case CSF_PKT_ERET:
		ptm_add(d, offset, EL_ERET);
		break;
	default:
		break;
	}
}
