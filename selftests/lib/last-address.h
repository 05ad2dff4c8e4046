/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of packets, with those before them, for tests that look at packets only. */
#ifndef SELFTESTS_LAST_ADDRESS_H
#define SELFTESTS_LAST_ADDRESS_H

#include <string.h>

#include "csflow-packet.h"

struct last_address {
	uint64_t at[3];
};

/* Call it for every packet.  Return: it is an address, which is now @last->at[0]. */
static inline bool last_address(struct last_address *last, const struct csf_packet *pkt)
{
	uint64_t at = pkt->val;

	if (pkt->type == CSF_PKT_INFO)
		memset(last, 0, sizeof(*last));
	if (pkt->type < CSF_PKT_ADDR_CTXT32 || pkt->type > CSF_PKT_ADDR64 ||
	    pkt->type == CSF_PKT_MARKER)
		return false;
	if (pkt->type == CSF_PKT_ADDR_MATCH)
		at = last->at[pkt->val];
	else if (pkt->n < 64)
		at |= last->at[0] >> pkt->n << pkt->n;
	memmove(last->at + 1, last->at, 2 * sizeof(at));
	last->at[0] = at;
	return true;
}

#endif /* SELFTESTS_LAST_ADDRESS_H */
