// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "element.h"
#include "packet.h"

/* Source: ARM IHI 0064 "Cancel element", "Mispredict element", "Discard element". */
const uint8_t element_rule[EL_NR] = {
	[EL_ADDRESS]	= EL_DROPS_MISPREDICT,
	[EL_CONTEXT]	= EL_DROPS_MISPREDICT,
	[EL_SAME]	= EL_DROPS_MISPREDICT,
	[EL_INFO]	= EL_SURVIVES_CANCEL,
	[EL_TM_COMMIT]	= EL_SURVIVES_CANCEL,
	[EL_TIME]	= EL_SURVIVES_CANCEL | EL_SURVIVES_DISCARD,
	[EL_CYCLES]	= EL_SURVIVES_CANCEL | EL_SURVIVES_DISCARD,
	[EL_EVENT]	= EL_SURVIVES_CANCEL | EL_SURVIVES_DISCARD,
	[EL_MARKER]	= EL_SURVIVES_CANCEL | EL_SURVIVES_DISCARD,
	[EL_ITE]	= EL_SURVIVES_CANCEL | EL_SURVIVES_DISCARD,
};

unsigned int element_n_p0(const struct config *c, const struct element *el)
{
	switch ((enum element_type)el->type) {
	case EL_ATOMS:
		return el->n;
	case EL_EXCEPTION:
	case EL_Q:
	case EL_SOURCE:
		return 1;
	case EL_TM_START:
		return c->trans_p0;
	case EL_ERET:	/* until there were function returns, v6-M and v7-M had it as one */
		return c->profile == CSF_PROFILE_M && c->version < ETM42;
	case EL_RETURN:
		return 1;
	default:
		return 0;
	}
}

/* Trace Info: what packets may leave out starts afresh; EL, security and width stay. */
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

/* Info byte: C V NS SF NSE 0 EL EL.  An ID of no bytes is no ID. */
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
	if (pkt->info & 0x40 && c->vmid_size) {
		ctx->has_vmid = true;
		ctx->vmid = pkt->vmid;
	}
	if (pkt->info & 0x80 && c->cid_size) {
		ctx->has_contextid = true;
		ctx->contextid = pkt->contextid;
	}
	el->ctx = *ctx;
}

/*
 * An address, and the context there if the packet has one.  An address of AArch32
 * has 32 bits: no unit sends more with such a context, and if damage did, the
 * 32-bit packets behind it shall not go on from there.
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
	case CSF_PKT_BAD:	/* with sync all is lost that waits */
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

/* An exception, or a Q, waits for its address; a context may come first. */
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
		return EXPAND_BAD;	/* and still waiting: what was half there is lost */
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
	if (config_is_ete(c) && pkt->exception == TYPE_TRANSACTION_FAILURE)
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

/* The elements that one packet type makes, and nothing else is to be said of. */
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

enum expanded expand_packet(struct expand *x, const struct config *c, const struct csf_packet *pkt,
			    uint64_t offset, struct element *el)
{
	*el = (struct element){ .offset = offset };
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

static struct element *at(const struct element_queue *q, uint32_t i)
{
	return &q->ring[(q->oldest + i) & (q->size - 1)];
}

void queue_fini(struct element_queue *q)
{
	free(q->ring);
}

static bool grow(struct element_queue *q)
{
	uint32_t size = q->size ? 2 * q->size : QUEUE_MIN;
	struct element *ring;

	if (size > QUEUE_MAX)
		return false;
	ring = malloc(size * sizeof(*ring));
	if (!ring)
		return false;
	for (uint32_t i = 0; i < q->n; i++)
		ring[i] = *at(q, i);
	free(q->ring);
	q->ring = ring;
	q->size = size;
	q->oldest = 0;
	return true;
}

bool queue_push(struct element_queue *q, const struct config *c, const struct element *el)
{
	if (q->n == q->size && !grow(q))
		return false;
	*at(q, q->n++) = *el;
	q->depth += element_n_p0(c, el);
	return true;
}

/* Of the elements from the @from-th on, keeps those whose rule has (or has not) a bit of @rule. */
static void keep(struct element_queue *q, uint32_t from, uint8_t rule, bool has)
{
	uint32_t n = from;

	for (uint32_t i = from; i < q->n; i++)
		if (!!(element_rule[at(q, i)->type] & rule) == has)
			*at(q, n++) = *at(q, i);
	q->n = n;
}

bool queue_cancel(struct element_queue *q, const struct config *c, uint32_t n)
{
	uint32_t i = q->n, p0 = 0;

	if (n > q->depth && n - q->depth > q->unseen)
		return false;
	while (n && i) {
		p0 = element_n_p0(c, at(q, i - 1));
		if (p0 > n)
			break;
		n -= p0;
		q->depth -= p0;
		i--;
	}
	if (n && i) {		/* some atoms of a packet stay */
		at(q, i - 1)->n -= n;
		q->depth -= n;
		n = 0;
	}
	q->unseen -= n;
	keep(q, i, EL_SURVIVES_CANCEL, true);
	return true;
}

bool queue_mispredict(struct element_queue *q, const struct config *c)
{
	uint32_t i = q->n;

	while (i && at(q, i - 1)->type != EL_ATOMS)
		i--;
	if (!i) {		/* it is one from before, and so are addresses behind it */
		keep(q, 0, EL_DROPS_MISPREDICT, false);
		return q->unseen;
	}
	at(q, i - 1)->val ^= 1ull << (at(q, i - 1)->n - 1);
	keep(q, i, EL_DROPS_MISPREDICT, false);
	return true;
}

bool queue_pop(struct element_queue *q, const struct config *c, uint32_t *n, struct element *el)
{
	struct element *oldest;
	uint32_t p0;

	if (!q->n)
		return false;
	oldest = at(q, 0);
	p0 = element_n_p0(c, oldest);
	if (p0 ? !*n : q->unseen)
		return false;

	*el = *oldest;
	if (p0 > *n) {		/* atoms: the others stay */
		p0 = *n;
		el->n = p0;
		oldest->n -= p0;
		oldest->val >>= p0;
		oldest->init >>= p0;
	} else {
		q->oldest++;
		q->n--;
	}
	*n -= p0;
	q->depth -= p0;
	return true;
}

uint32_t queue_discard(struct element_queue *q, const struct config *c)
{
	uint32_t lost = q->depth, sure = 0;

	/* what is below all P0 elements is uncommitted no more: a Cancel took what it waited for */
	while (!q->unseen && sure < q->n && !element_n_p0(c, at(q, sure)))
		sure++;
	keep(q, sure, EL_SURVIVES_DISCARD, true);
	q->depth = 0;
	q->unseen = 0;
	return lost;
}
