// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../etm4/etm4.h"
#include "parts.h"

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
	.exception_kind = etm4_exception_kind,
};
