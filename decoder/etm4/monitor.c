// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the available packets, good or bad. */
#include "parts.h"
#include "stream.h"

static __always_inline const uint8_t *quick(const struct config *c, const uint8_t *p,
					    struct csf_packet *out)
{
	if (unlikely(*p < 0xc0))
		return packet_read_address(p, out);
	*out = packet_of_atom[*p & 0x3f];
	return p + 1;
}

static const struct monitor_rules rules = {
	.quick = quick, .read = packet_read_payload, .read_window = etm4_read,
	.loses_sync = packet_loses_sync,
};

size_t etm4_read_packets(struct csf_monitor *mon, struct csf_packet *packets, size_t max)
{
	return monitor_read(mon, packets, max, &rules);
}
