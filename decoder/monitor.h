/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CSF_MONITOR_H
#define CSF_MONITOR_H

#include "protocol.h"
#include "window.h"

/**
 * struct csf_monitor - a stream of packets
 * @win: the bytes
 * @config: what they mean
 * @protocol: of @config
 * @committing: it has the bytes, and makes elements of them that are sure; owned; NULL: all packets
 *              are wanted
 * @synced: the next packet starts at @win.pos; else an A-sync must be found
 */
struct csf_monitor {
	struct window win;
	struct config config;
	const struct protocol *protocol;
	struct csf_decoder *committing;
	bool synced;
};

#endif /* CSF_MONITOR_H */
