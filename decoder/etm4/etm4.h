/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ETMv4 and ETE: the packet state of a decoder. */
#ifndef CSF_ETM4_H
#define CSF_ETM4_H

#include "conditional.h"
#include "expand.h"

enum etm4_sync {
	SYNC_NONE,	/* looking for an A-sync */
	SYNC_INFO,	/* looking for Trace Info */
	SYNC_FULL,
};

/* The part of a packet that has to wait until what the packet committed has gone to the flow. */
enum etm4_late { LATE_NONE, LATE_CYCLES, LATE_CANCEL, LATE_MISPREDICT, LATE_GAP };

/**
 * struct etm4 - part of struct csf_decoder
 * @expand: state that packets leave out
 * @conditional: the keys that packets leave out
 * @sync: enum etm4_sync
 * @late: enum etm4_late, for the packet @late_packet at @late_offset, or for @late_gap
 * @at_async: sync was lost at an A-sync, and begins again there
 */
struct etm4 {
	struct expand expand;
	struct conditional conditional;
	uint8_t sync;
	uint8_t late;
	bool at_async;
	struct csf_packet late_packet;
	uint64_t late_offset;
	struct element late_gap;
};

extern const struct protocol etm4_protocol __hidden;

/* csf_exception_kind(), for protocols that give exceptions the same numbers. */
uint8_t etm4_exception_kind(const struct config *c, uint32_t type);

#endif /* CSF_ETM4_H */
