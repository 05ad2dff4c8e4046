// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Packets to elements: adds what packets leave out because it did not change. */
#include "parts.h"

#define HELD_MAX	4096	/* with more elements in the queue than this, none waits any more */

void classic_commit(struct csf_decoder *d)
{
	d->queue.commit = d->queue.depth;
	d->queue.unseen = 0;
}

void classic_add(struct csf_decoder *d, const struct element *el)
{
	const bool waits = d->config.max_spec && d->queue.n <= HELD_MAX;

	if (element_n_p0(el) || !waits)
		classic_commit(d);
	if (!queue_push(&d->queue, el))
		d->flow.err = CSF_ERR_MEMORY;
	if (!d->config.max_spec)
		classic_commit(d);
}

void classic_add_plain(struct csf_decoder *d, uint64_t offset, enum element_type type)
{
	const struct element el = { .type = type, .offset = offset };

	classic_add(d, &el);
}

void classic_add_cycles(struct csf_decoder *d, uint64_t offset, uint32_t count, bool known)
{
	const struct element el = {
		.type = EL_CYCLES, .offset = offset, .count = count,
		.flags = EL_LATER | (known ? EL_COUNT : 0),
	};

	if (d->config.marks & CSF_MARK_CYCLES)
		classic_add(d, &el);
}

void classic_place_cycles(struct csf_decoder *d)
{
	d->el.at = flow_now(d);
	d->el.flags &= ~EL_LATER;
}

void classic_add_atoms(struct csf_decoder *d, uint64_t offset, uint64_t val, uint8_t n)
{
	const struct element el = {
		.type = EL_ATOMS, .offset = offset, .val = val, .init = val, .n = n,
	};

	d->stats.atoms += n;
	d->stats.p0 += n;
	if (!n)
		return;
	classic_add(d, &el);
	if (d->config.max_spec)
		d->queue.commit += n - 1;
}

void classic_take_address(struct classic *s, uint64_t val, uint8_t n, enum classic_isa isa)
{
	if (n == 32) {
		s->isa = isa;
		s->addr = val;
		return;
	}
	s->addr = (s->addr & ~low_bits(n + 2 - s->isa)) | val << (2 - s->isa);
}

void classic_add_address(struct csf_decoder *d, struct element *el)
{
	const struct element lost = {
		.type = EL_GAP, .exception = CSF_GAP_ADDRESS, .offset = el->offset,
		.flags = EL_IN_SYNC,
	};

	el->type = EL_ADDRESS;
	el->addr = d->classic.addr;
	el->is1 = d->classic.isa == CLASSIC_T32;
	el->ctx = d->classic.ctx;
	classic_add(d, el);
	if (!classic_follows(&d->classic))
		classic_add(d, &lost);
}

/* EL0 and EL1 look the same, and so does everything when secure. */
bool classic_take_state(struct classic *s, uint8_t info, bool hyp)
{
	const struct csf_context was = s->ctx;

	s->ctx.known = true;
	s->ctx.el = hyp ? 2 : 1;
	s->ctx.no_el = !hyp;
	s->ctx.security = info & CLASSIC_INFO_NS ? CSF_NONSECURE : CSF_SECURE;
	s->alt = info & CLASSIC_INFO_ALT;
	return was.el != s->ctx.el || was.security != s->ctx.security;
}

bool classic_take_cid(struct csf_decoder *d, uint32_t contextid)
{
	struct csf_context *ctx = &d->classic.ctx;
	const bool other = !ctx->has_contextid || ctx->contextid != contextid;

	if (!d->config.classic.cid_size)
		return false;
	ctx->has_contextid = true;
	ctx->contextid = contextid;
	return other;
}

static bool take_vmid(struct csf_decoder *d, uint32_t vmid)
{
	struct csf_context *ctx = &d->classic.ctx;
	const bool other = !ctx->has_vmid || ctx->vmid != vmid;

	ctx->has_vmid = true;
	ctx->vmid = vmid;
	return other;
}

void classic_add_context(struct csf_decoder *d, uint64_t offset)
{
	const struct element el = { .type = EL_CONTEXT, .offset = offset, .ctx = d->classic.ctx };

	if (d->classic.known)
		classic_add(d, &el);
}

static uint64_t from_gray(uint64_t v)
{
	for (unsigned int shift = 32; shift; shift /= 2)
		v ^= v >> shift;
	return v;
}

uint64_t classic_time(const struct config *c, uint64_t *last, const struct csf_packet *pkt)
{
	*last = (*last & ~low_bits(pkt->n)) | pkt->val;
	return c->classic.ts_gray ? from_gray(*last) : *last;
}

static void expand_time(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const struct element el = {
		.type = EL_TIME, .offset = offset, .count = pkt->count,
		.val = classic_time(&d->config, &d->classic.time, pkt),
		.flags = pkt->flags & CSF_PKT_COUNT ? EL_COUNT : 0,
	};

	if (d->classic.clock == CLASSIC_CLOCK_NONE)
		d->classic.clock = pkt->n == d->config.classic.ts_bits ? CLASSIC_CLOCK_WHOLE :
									 CLASSIC_CLOCK_PART;
	classic_add(d, &el);
}

void classic_expand(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const struct element trigger = { .type = EL_EVENT, .offset = offset, .val = 1 };

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_TIME:
		expand_time(d, pkt, offset);
		break;
	case CSF_PKT_CTXTID:
		if (classic_take_cid(d, pkt->contextid))
			classic_add_context(d, offset);
		break;
	case CSF_PKT_VMID:
		if (take_vmid(d, pkt->vmid))
			classic_add_context(d, offset);
		break;
	case CSF_PKT_TRIGGER:
		classic_add(d, &trigger);
		break;
	default:		/* what only aligns */
		break;
	}
}
