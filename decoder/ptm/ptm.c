// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "parts.h"

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
	.exception_kind = ptm_exception_kind,
};
