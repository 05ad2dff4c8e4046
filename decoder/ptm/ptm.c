// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../classic/segment.h"
#include "parts.h"

static size_t find_segment(const struct config *c, const uint8_t *bytes, size_t n, size_t *at)
{
	return classic_find_segment(c, bytes, n, at, ptm_read);
}

const struct protocol ptm_protocol = {
	.read_config = ptm_read_config,
	.sync_zeros = CLASSIC_SYNC_ZEROS,
	.reset = classic_reset,
	.next = ptm_next,
	.next_time = ptm_next_time,
	.read_packets = ptm_read_packets,
	.read_packet = ptm_read_packet,
	.write_packet = ptm_write_packet,
	.print_packet = ptm_print_packet,
	.parse_packet = ptm_parse_packet,
	.find_segment = find_segment,
	.take_state = classic_take_packets,
	.same_state = classic_same_state,
	.exception_kind = ptm_exception_kind,
};
