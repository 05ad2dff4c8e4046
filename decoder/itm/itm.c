// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "parts.h"

const struct protocol itm_protocol = {
	.read_config = itm_read_config,
	.sync_zeros = ITM_SYNC_ZEROS,
	.read_messages = itm_read_messages,
	.reset_messages = itm_reset_messages,
	.read_packets = itm_read_packets,
	.read_packet = itm_read_within,
	.write_packet = itm_write,
	.print_packet = itm_print,
	.parse_packet = itm_parse,
};
