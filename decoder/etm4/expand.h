/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets to elements: adds what packets leave out because it did not change (address history,
 * timestamp, context, threshold).
 */
#ifndef CSF_ETM4_EXPAND_H
#define CSF_ETM4_EXPAND_H

#include "../element.h"
#include "packet.h"

/**
 * struct expand - the state that a packet takes over from those before it
 * @addr: last three addresses, newest first; bit 0 of each is its instruction set bit
 * @time: last timestamp
 * @threshold: cycle count threshold
 * @ctx: last context
 * @half: an EXCEPTION or Q whose address packet is still to come; @waiting: there is such an
 *        element
 */
struct expand {
	uint64_t addr[3];
	uint64_t time;
	uint32_t threshold;
	struct csf_context ctx;
	struct element half;
	bool waiting;
};

enum expanded {
	EXPAND_NONE,	/* no element, or not yet */
	EXPAND_ELEMENT,	/* *el is an element */
	EXPAND_BAD,	/* the packet must not come here */
};

void expand_reset(struct expand *x);

/* Makes an element of the packet at @offset.  Atoms, Commit, Cancel and the like are not for it. */
enum expanded expand_packet(struct expand *x, const struct config *c, const struct csf_packet *pkt,
			    uint64_t offset, struct element *el);

/* Does an element wait for its address, while @pkt is neither that nor allowed before it? */
bool expand_lacks(const struct expand *x, const struct csf_packet *pkt);

/* h[2] = h[1], h[1] = h[0], h[0] = the new one, with its instruction set bit. */
static inline void expand_push(struct expand *x, uint64_t addr)
{
	x->addr[2] = x->addr[1];
	x->addr[1] = x->addr[0];
	x->addr[0] = addr;
}

/* Adds the address of an address packet, or of another packet, to the history. */
static inline void expand_address(struct expand *x, const struct csf_packet *pkt)
{
	if (pkt->type == CSF_PKT_ADDR_MATCH || pkt->type == CSF_PKT_SRC_MATCH ||
	    pkt->flags & CSF_PKT_MATCH)
		expand_push(x, x->addr[pkt->val]);
	else
		expand_push(x, (x->addr[0] & ~low_bits(pkt->n)) | pkt->val |
			       !!(pkt->flags & CSF_PKT_IS1));
}

#endif /* CSF_ETM4_EXPAND_H */
