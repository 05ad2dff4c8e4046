// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "packet-text.h"
#include "parts.h"
#include "stream.h"

const struct protocol etm4_protocol = {
	.read_config = etm4_read_config,
	.sync_zeros = ETM4_SYNC_ZEROS,
	.reset = etm4_reset,
	.next = etm4_next,
	.next_time = etm4_next_time,
	.read_packets = etm4_read_packets,
	.read_committed = etm4_read_committed,
	.read_packet = packet_read_within,
	.write_packet = packet_write,
	.print_packet = packet_print,
	.parse_packet = packet_parse,
	.exception_kind = etm4_exception_kind,
	.find_segment = etm4_find_segment,
	.take_state = etm4_take_state,
	.same_state = etm4_same_state,
};
