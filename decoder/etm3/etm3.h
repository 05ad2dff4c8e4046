/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ETMv3: the packet state of a decoder. */
#ifndef CSF_ETM3_H
#define CSF_ETM3_H

#include "../element.h"

enum etm3_sync {
	ETM3_SYNC_NONE,		/* looking for an A-sync */
	ETM3_SYNC_ISYNC,	/* looking for an I-sync */
	ETM3_SYNC_FULL,
};

/**
 * struct etm3 - part of struct csf_decoder
 * @time: last timestamp; in Gray code, if the unit sends that
 * @addr: last address of a packet, from which short addresses continue
 * @isa: its instruction set: enum etm3_isa
 * @sync: enum etm3_sync
 * @half: the first half of the BL or BLX where execution is has taken its atom
 * @known: there was an I-sync: @ctx is known
 * @ctx: last context
 * @after: element that comes after the current one, if @has_after
 *
 * Elements wait in decoder.queue until it is sure that no exception cancels the instruction before
 * them: the youngest P0 element is not committed before the next one comes.
 */
struct etm3 {
	uint64_t time;
	uint32_t addr;
	uint8_t isa;
	uint8_t sync;
	bool half;
	bool known;
	bool has_after;
	struct csf_context ctx;
	struct element after;
};

extern const struct protocol etm3_protocol __hidden;

#endif /* CSF_ETM3_H */
