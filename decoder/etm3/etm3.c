// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../classic/segment.h"
#include "../etm4/etm4.h"
#include "parts.h"

/* Accesses depend on more than an I-sync tells. */
static size_t find_segment(const struct config *c, const uint8_t *bytes, size_t n, size_t *at)
{
	if (c->data && c->marks & CSF_MARK_DATA)
		return 0;
	return classic_find_segment(c, bytes, n, at, etm3_read);
}

static void take_state(struct state *s, const struct csf_decoder *d)
{
	classic_take_packets(s, d);
	s->unique |= d->etm3.half || d->etm3.has_after;
}

const struct protocol etm3_protocol = {
	.read_config = etm3_read_config,
	.sync_zeros = CLASSIC_SYNC_ZEROS,
	.reset = etm3_reset,
	.next = etm3_next,
	.next_time = etm3_next_time,
	.read_packets = etm3_read_packets,
	.read_packet = etm3_read_packet,
	.write_packet = etm3_write_packet,
	.print_packet = etm3_print_packet,
	.parse_packet = etm3_parse_packet,
	.find_segment = find_segment,
	.take_state = take_state,
	.same_state = classic_same_state,
	.exception_kind = etm4_exception_kind,
};
