// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where a segment can begin, and the state that packets take over there. */
#include "parts.h"
#include "segment.h"

#define LOOK_MAX	1024	/* maximum bytes from the A-sync to the end of the I-sync */

/*
 * Bytes from the A-sync at @p to the I-sync; 0: there is none nearby.  Real units send atoms and
 * branches between the two, of what was executed before the I-sync.
 */
static size_t find_own(const struct config *c, const uint8_t *p, size_t left, classic_reader *read)
{
	uint8_t look[LOOK_MAX + CSF_PACKET_MAX] = { 0 };
	size_t n = left < LOOK_MAX ? left : LOOK_MAX, at = CLASSIC_SYNC_SIZE;
	struct csf_packet pkt;

	memcpy(look, p, n);
	while (at < n) {
		const size_t size = read(c, look + at, &pkt);

		if (at + size > n)
			return 0;
		if (pkt.type == CSF_PKT_ISYNC)
			return pkt.n ? at : 0;
		if (pkt.type == CSF_PKT_BAD || pkt.type == CSF_PKT_ASYNC)
			return 0;
		at += size;
	}
	return 0;
}

size_t classic_find_segment(const struct config *c, const uint8_t *bytes, size_t n,
			    size_t *at, classic_reader read)
{
	for (; *at < n; *at += CLASSIC_SYNC_SIZE) {
		size_t own;

		*at += sync_find(bytes + *at, n - *at, CLASSIC_SYNC_ZEROS);
		if (*at >= n)
			break;
		own = find_own(c, bytes + *at, n - *at, read);
		if (own)
			return *at + own;
	}
	return 0;
}

void classic_take_packets(struct state *s, const struct csf_decoder *d)
{
	s->classic = d->classic;
	s->settled = d->classic.clock == CLASSIC_CLOCK_WHOLE;
}

/* Is the time the same, or does @b go on with a timestamp that has all bits? */
static bool same_time(const struct state *a, const struct state *b)
{
	return a->classic.time == b->classic.time ||
	       (b->classic.clock == CLASSIC_CLOCK_NONE && b->settled);
}

bool classic_same_state(const struct state *a, const struct state *b)
{
	const struct classic *x = &a->classic, *y = &b->classic;

	return same_time(a, b) && x->addr == y->addr && x->isa == y->isa &&
	       x->sync == y->sync && x->known == y->known && x->alt == y->alt &&
	       state_same_context(&x->ctx, &y->ctx);
}
