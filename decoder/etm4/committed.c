// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes packets of committed elements: those of a unit that never speculates, each with everything
 * that packets may leave out.
 */
#include "parts.h"
#include "stream.h"

/* Info byte: C V NS SF NSE 0 EL EL */
static void put_context(struct csf_packet *p, const struct csf_context *ctx)
{
	const bool ns = ctx->security == CSF_NONSECURE || ctx->security == CSF_REALM;
	const bool nse = ctx->security == CSF_ROOT || ctx->security == CSF_REALM;

	p->flags |= CSF_PKT_CTXT;
	p->info = ctx->has_contextid << 7 | ctx->has_vmid << 6 | ns << 5 | ctx->bits64 << 4 |
		  nse << 3 | ctx->el;
	p->contextid = ctx->contextid;
	p->vmid = ctx->vmid;
}

static void put_address(struct csf_packet *p, const struct element *el)
{
	p->type = CSF_PKT_ADDR64;
	p->val = el->addr;
	p->n = 64;
	p->flags = el->is1 ? CSF_PKT_IS1 : 0;
}

static void put_target(struct csf_packet *p, const struct element *el, uint16_t has_context)
{
	put_address(p, el);
	if (!(el->flags & has_context))
		return;
	p->type = CSF_PKT_ADDR_CTXT64;
	put_context(p, &el->ctx);
}

static void put_count(struct csf_packet *p, const struct element *el)
{
	if (!(el->flags & EL_COUNT))
		return;
	p->flags |= CSF_PKT_COUNT;
	p->count = el->count;
}

/* Return: number of packets, 1 or 2. */
static size_t put_exception(struct csf_packet *p, const struct element *el)
{
	p->type = CSF_PKT_EXCEPTION;
	p->exception = el->exception;
	p->n = el->flags & EL_TARGET ? 2 : 1;
	p->info = el->flags & EL_FAULT ? 0x20 : 0;
	if (!(el->flags & EL_ADDR)) {
		p->flags = CSF_PKT_UNKNOWN;
		return 1;
	}
	put_target(p + 1, el, EL_CTX);
	return 2;
}

static size_t put_q(struct csf_packet *p, const struct element *el)
{
	p->type = CSF_PKT_Q;
	put_count(p, el);
	put_target(p + 1, el, EL_CTX_AFTER);
	return 2;
}

/* An element that is impossible, but without a loss, becomes a Cancel of nothing. */
static void put_gap(struct csf_packet *p, const struct element *el)
{
	p->type = CSF_PKT_BAD;
	if (el->flags & EL_HARMLESS) {
		p->n = CSF_BAD_SEQUENCE;
		p->info = CSF_PKT_CANCEL1;
		return;
	}
	p->n = CSF_BAD_LOST;
	p->info = el->exception;
	p->count = el->val;
	p->val = el->at;
}

static void put_plain(struct csf_packet *p, const struct element *el, enum csf_packet_type type)
{
	p->type = type;
	p->val = el->val;
	p->n = el->count;
}

/* Long because it is a flat switch over the types.  @p: zero.  Return: number of packets, 0..2. */
static size_t put(struct csf_packet *p, const struct element *el)
{
	switch ((enum element_type)el->type) {
	case EL_ATOMS:
		put_plain(p, el, CSF_PKT_ATOM);
		p->n = el->n;
		p->val &= low_bits(el->n);
		return 1;
	case EL_EXCEPTION:
	case EL_TM_FAIL:
		return put_exception(p, el);
	case EL_Q:
		return put_q(p, el);
	case EL_SOURCE:
		put_address(p, el);
		p->type = CSF_PKT_SRC64;
		return 1;
	case EL_ADDRESS:
		put_target(p, el, EL_CTX);
		return 1;
	case EL_CONTEXT:
		put_context(p, &el->ctx);
		p->type = CSF_PKT_CONTEXT;
		return 1;
	case EL_TIME:
		put_plain(p, el, CSF_PKT_TIME);
		p->n = 64;
		put_count(p, el);
		return 1;
	case EL_CYCLES:
		p->type = CSF_PKT_CC1;
		put_count(p, el);
		return 1;
	case EL_INFO:
		p->type = CSF_PKT_INFO;
		p->val = el->flags & EL_TRANS ? 0x40 : 0;
		p->info = p->val != 0;
		return 1;
	case EL_GAP:
		put_gap(p, el);
		return 1;
	case EL_SAME:
		p->type = CSF_PKT_CONTEXT;
		return 1;
	case EL_ON:
		p->type = CSF_PKT_ON;
		return 1;
	case EL_RETURN:
		p->type = CSF_PKT_RETURN;
		return 1;
	case EL_ERET:
		p->type = CSF_PKT_ERET;
		return 1;
	case EL_TM_START:
		p->type = CSF_PKT_TM_START;
		return 1;
	case EL_TM_COMMIT:
		p->type = CSF_PKT_TM_COMMIT;
		return 1;
	case EL_EVENT:
		put_plain(p, el, CSF_PKT_EVENT);
		return 1;
	case EL_MARKER:
		put_plain(p, el, CSF_PKT_MARKER);
		return 1;
	case EL_ITE:
		put_plain(p, el, CSF_PKT_ITE);
		return 1;
	case EL_DATA:			/* not of this protocol's queue */
	case EL_DATA_REST:
	case EL_COND:			/* not wanted, so not there */
	case EL_COND_RESULT:
	case EL_COND_FLUSH:
	case EL_END:
	case EL_NR:
		break;
	}
	return 0;
}

size_t etm4_read_committed(struct csf_decoder *d, struct csf_packet *packets, uint64_t *offsets,
			   size_t max)
{
	size_t n = 0;

	while (n + 2 <= max && etm4_next_element(d)) {
		struct csf_packet *p = packets + n;
		size_t more;

		memset(p, 0, 2 * sizeof(*p));
		more = put(p, &d->el);
		d->el_ready = false;
		for (; more--; n++)
			offsets[n] = d->el.offset;
	}
	return n;
}
