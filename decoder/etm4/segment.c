// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where a segment can begin, and the state that packets take over there. */
#include "parts.h"
#include "stream.h"

#define LOOK_MAX	256	/* maximum bytes from the A-sync to the address */

/* May the packet come between the A-sync and the address?  @informed: Trace Info has come. */
static bool passes(const struct csf_packet *pkt, bool informed)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_EVENT:
	case CSF_PKT_IGNORE:
		return true;
	case CSF_PKT_INFO:
		return !informed;
	case CSF_PKT_BAD:
	case CSF_PKT_ASYNC:
	case CSF_PKT_DISCARD:
	case CSF_PKT_OVERFLOW:
	case CSF_PKT_EXCEPTION:
	case CSF_PKT_Q:
		return false;
	default:
		return informed;
	}
}

/* Bytes from the A-sync at @p to the first address with context; 0: there is none nearby. */
static size_t find_own(const struct config *c, const uint8_t *p, size_t left)
{
	uint8_t look[LOOK_MAX + CSF_PACKET_MAX] = { 0 };
	size_t n = left < LOOK_MAX ? left : LOOK_MAX, at = ETM4_SYNC_SIZE;
	bool informed = false;
	struct csf_packet pkt;

	memcpy(look, p, n);
	while (at < n) {
		size_t size = packet_read(c, look + at, &pkt);

		if (at + size > n || !passes(&pkt, informed))
			return 0;
		if (pkt.type == CSF_PKT_ADDR_CTXT32 || pkt.type == CSF_PKT_ADDR_CTXT64)
			return pkt.flags & CSF_PKT_CTXT ? at : 0;
		informed |= pkt.type == CSF_PKT_INFO;
		at += size;
	}
	return 0;
}

size_t etm4_find_segment(const struct config *c, const uint8_t *bytes, size_t n, size_t *at)
{
	for (; *at < n; *at += ETM4_SYNC_SIZE) {
		size_t own;

		*at += sync_find(bytes + *at, n - *at, ETM4_SYNC_ZEROS);
		if (*at >= n)
			break;
		own = find_own(c, bytes + *at, n - *at);
		if (own)
			return *at + own;
	}
	return 0;
}

void etm4_take_state(struct state *s, const struct csf_decoder *d)
{
	const struct etm4 *e = &d->etm4;

	s->unique |= e->late == LATE_GAP || e->at_async || e->expand.waiting || d->conditions;
	s->etm4 = (struct etm4_state){
		.time = e->expand.time, .threshold = e->expand.threshold, .ctx = e->expand.ctx,
		.sync = e->sync, .late = e->late,
	};
	memcpy(s->etm4.addr, e->expand.addr, sizeof(s->etm4.addr));
}

bool etm4_same_state(const struct state *a, const struct state *b)
{
	const struct etm4_state *x = &a->etm4, *y = &b->etm4;

	return !memcmp(x->addr, y->addr, sizeof(x->addr)) && x->time == y->time &&
	       x->threshold == y->threshold && state_same_context(&x->ctx, &y->ctx) &&
	       x->sync == y->sync && x->late == y->late;
}
