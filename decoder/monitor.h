/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CSF_MONITOR_H
#define CSF_MONITOR_H

#include "protocol.h"
#include "window.h"

/**
 * struct csf_monitor - a stream of packets
 * @win: the bytes
 * @config: how to read them
 * @protocol: protocol of @config
 * @committing: makes elements of the bytes, for committed packets; owned; NULL: all packets are
 *              read
 * @synced: the next packet starts at @win.pos; otherwise an A-sync must be found first
 */
struct csf_monitor {
	struct window win;
	struct config config;
	const struct protocol *protocol;
	struct csf_decoder *committing;
	bool synced;
};

#endif /* CSF_MONITOR_H */
