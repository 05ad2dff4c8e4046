// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "expand.h"

/* Trace Info resets the state that packets may leave out; EL, security and width stay. */
void expand_reset(struct expand *x)
{
	struct csf_context ctx = x->ctx;

	memset(x, 0, sizeof(*x));
	ctx.has_contextid = false;
	ctx.has_vmid = false;
	ctx.contextid = 0;
	ctx.vmid = 0;
	x->ctx = ctx;
}

static void put_address(struct expand *x, const struct csf_packet *pkt, struct element *el)
{
	expand_address(x, pkt);
	el->addr = x->addr[0] & ~1ull;
	el->is1 = x->addr[0] & 1;
}

/* Info byte: C V NS SF NSE 0 EL EL.  An ID of 0 bytes is absent. */
static void put_context(struct expand *x, const struct config *c, const struct csf_packet *pkt,
			struct element *el)
{
	/* NSE:NS */
	static const uint8_t security[4] = {
		CSF_SECURE, CSF_NONSECURE, CSF_ROOT, CSF_REALM,
	};
	struct csf_context *ctx = &x->ctx;

	ctx->known = true;
	ctx->el = pkt->info & 3;
	ctx->security = security[(pkt->info >> 5 & 1) | (pkt->info >> 2 & 2)];
	ctx->bits64 = pkt->info >> 4 & 1;
	if (pkt->info & 0x40 && c->etm4.vmid_size) {
		ctx->has_vmid = true;
		ctx->vmid = pkt->vmid;
	}
	if (pkt->info & 0x80 && c->etm4.cid_size) {
		ctx->has_contextid = true;
		ctx->contextid = pkt->contextid;
	}
	el->ctx = *ctx;
}

/*
 * An address, and the context there if the packet has one.  An AArch32 address has 32 bits: no unit
 * sends more with such a context.  If damage did, later 32-bit packets must not continue from
 * there.
 */
static void put_target(struct expand *x, const struct config *c, const struct csf_packet *pkt,
		       struct element *el)
{
	put_address(x, pkt, el);
	if (!(pkt->flags & CSF_PKT_CTXT))
		return;
	put_context(x, c, pkt, el);
	if (!x->ctx.bits64)
		x->addr[0] = (uint32_t)x->addr[0];
	el->addr = x->addr[0] & ~1ull;
}

bool expand_lacks(const struct expand *x, const struct csf_packet *pkt)
{
	if (!x->waiting)
		return false;
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_BAD:	/* what waits is lost with sync */
		return !packet_loses_sync(pkt);
	case CSF_PKT_ASYNC:
	case CSF_PKT_DISCARD:
	case CSF_PKT_OVERFLOW:
	case CSF_PKT_IGNORE:
	case CSF_PKT_CONTEXT:
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_ADDR_CTXT64:
	case CSF_PKT_ADDR_MATCH:
	case CSF_PKT_ADDR_SHORT:
	case CSF_PKT_ADDR32:
	case CSF_PKT_ADDR64:
		return false;
	default:
		return true;
	}
}

/* An exception or Q waits for its address; a context may come first. */
static enum expanded expand_half(struct expand *x, const struct config *c,
				 const struct csf_packet *pkt, struct element *el)
{
	uint8_t ctx_flag = x->half.type == EL_Q ? EL_CTX_AFTER : EL_CTX;

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_IGNORE:
		return EXPAND_NONE;
	case CSF_PKT_CONTEXT:
		if (pkt->flags & CSF_PKT_CTXT) {
			put_context(x, c, pkt, &x->half);
			x->half.flags |= ctx_flag;
		}
		return EXPAND_NONE;
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_ADDR_CTXT64:
	case CSF_PKT_ADDR_MATCH:
	case CSF_PKT_ADDR_SHORT:
	case CSF_PKT_ADDR32:
	case CSF_PKT_ADDR64:
		put_target(x, c, pkt, &x->half);
		if (pkt->flags & CSF_PKT_CTXT)
			x->half.flags |= ctx_flag;
		x->half.flags |= EL_ADDR;
		x->waiting = false;
		*el = x->half;
		return EXPAND_ELEMENT;
	default:
		return EXPAND_BAD;	/* and it still waits: the incomplete element is lost */
	}
}

static enum expanded expand_exception(struct expand *x, const struct config *c,
				      const struct csf_packet *pkt, struct element *el)
{
	el->type = EL_EXCEPTION;
	el->exception = pkt->exception;
	if (pkt->n == 2)
		el->flags |= EL_TARGET;
	if (pkt->info & 0x20)
		el->flags |= EL_FAULT;
	if (etm4_is_ete(&c->etm4) && pkt->exception == TYPE_TRANSACTION_FAILURE)
		el->type = EL_TM_FAIL;
	if (pkt->flags & CSF_PKT_UNKNOWN) {
		expand_push(x, 0);
		return EXPAND_ELEMENT;
	}
	x->half = *el;
	x->waiting = true;
	return EXPAND_NONE;
}

static enum expanded expand_q(struct expand *x, const struct csf_packet *pkt, struct element *el)
{
	el->type = EL_Q;
	if (pkt->flags & CSF_PKT_COUNT) {
		el->count = pkt->count;
		el->flags |= EL_COUNT;
	}
	if (pkt->flags & CSF_PKT_ADDR) {
		put_address(x, pkt, el);
		el->flags |= EL_ADDR;
		return EXPAND_ELEMENT;
	}
	x->half = *el;
	x->waiting = true;
	return EXPAND_NONE;
}

static void expand_time(struct expand *x, const struct csf_packet *pkt, struct element *el)
{
	x->time = (x->time & ~low_bits(pkt->n)) | pkt->val;
	el->type = EL_TIME;
	el->val = x->time;
	if (pkt->flags & CSF_PKT_COUNT) {
		el->count = pkt->count;
		el->flags |= EL_COUNT;
	}
}

static void expand_cycles(const struct expand *x, const struct csf_packet *pkt, struct element *el)
{
	el->type = EL_CYCLES;
	if (pkt->type == CSF_PKT_CC1 && !(pkt->flags & CSF_PKT_COUNT))
		return;
	el->flags |= EL_COUNT;
	el->count = x->threshold + pkt->count;
}

static void expand_info(struct expand *x, const struct csf_packet *pkt, struct element *el)
{
	expand_reset(x);
	x->threshold = pkt->count;
	el->type = EL_INFO;
	if (pkt->val & 0x40)
		el->flags |= EL_TRANS;
}

/* Element types of packets that need nothing else. */
static const uint8_t plain[CSF_PKT_NR] = {
	[CSF_PKT_ON]		= EL_ON + 1,
	[CSF_PKT_RETURN]	= EL_RETURN + 1,
	[CSF_PKT_ERET]		= EL_ERET + 1,
	[CSF_PKT_TM_START]	= EL_TM_START + 1,
	[CSF_PKT_TM_COMMIT]	= EL_TM_COMMIT + 1,
	[CSF_PKT_EVENT]		= EL_EVENT + 1,
	[CSF_PKT_MARKER]	= EL_MARKER + 1,
	[CSF_PKT_ITE]		= EL_ITE + 1,
};

/* Source: ARM IHI 0064 "P0 elements"; TRCIDR0.COMMTRANS says whether Transaction Start is one. */
static bool is_p0(const struct config *c, const struct element *el)
{
	switch ((enum element_type)el->type) {
	case EL_EXCEPTION:
	case EL_Q:
	case EL_SOURCE:
	case EL_RETURN:
		return true;
	case EL_TM_START:
		return c->etm4.trans_p0;
	case EL_ERET:
		return c->profile == CSF_PROFILE_M;
	default:
		return false;
	}
}

static enum expanded expand(struct expand *x, const struct config *c, const struct csf_packet *pkt,
			    struct element *el)
{
	if (unlikely(x->waiting))
		return expand_half(x, c, pkt, el);

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_INFO:
		expand_info(x, pkt, el);
		return EXPAND_ELEMENT;
	case CSF_PKT_TIME:
		expand_time(x, pkt, el);
		return EXPAND_ELEMENT;
	case CSF_PKT_EXCEPTION:
		return expand_exception(x, c, pkt, el);
	case CSF_PKT_CC1:
	case CSF_PKT_CC2:
	case CSF_PKT_CC3:
		expand_cycles(x, pkt, el);
		return EXPAND_ELEMENT;
	case CSF_PKT_CONTEXT:
		el->type = pkt->flags & CSF_PKT_CTXT ? EL_CONTEXT : EL_SAME;
		if (pkt->flags & CSF_PKT_CTXT)
			put_context(x, c, pkt, el);
		return EXPAND_ELEMENT;
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_ADDR_CTXT64:
	case CSF_PKT_ADDR_MATCH:
	case CSF_PKT_ADDR_SHORT:
	case CSF_PKT_ADDR32:
	case CSF_PKT_ADDR64:
		el->type = EL_ADDRESS;
		put_target(x, c, pkt, el);
		if (pkt->flags & CSF_PKT_CTXT)
			el->flags |= EL_CTX;
		return EXPAND_ELEMENT;
	case CSF_PKT_Q:
		return expand_q(x, pkt, el);
	case CSF_PKT_SRC_MATCH:
	case CSF_PKT_SRC_SHORT:
	case CSF_PKT_SRC32:
	case CSF_PKT_SRC64:
		el->type = EL_SOURCE;
		put_address(x, pkt, el);
		return EXPAND_ELEMENT;
	default:
		if (!plain[pkt->type])
			return EXPAND_NONE;
		el->type = plain[pkt->type] - 1;
		el->val = pkt->val;
		el->count = pkt->n;
		return EXPAND_ELEMENT;
	}
}

enum expanded expand_packet(struct expand *x, const struct config *c, const struct csf_packet *pkt,
			    uint64_t offset, struct element *el)
{
	enum expanded what;

	*el = (struct element){ .offset = offset };
	what = expand(x, c, pkt, el);
	if (what == EXPAND_ELEMENT && is_p0(c, el))
		el->flags |= EL_P0;
	return what;
}
