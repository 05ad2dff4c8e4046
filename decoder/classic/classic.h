/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ETMv3 and PTM: the packet state of a decoder, as far as it is the same. */
#ifndef CSF_CLASSIC_H
#define CSF_CLASSIC_H

#include "../element.h"

enum classic_sync {
	CLASSIC_SYNC_NONE,	/* looking for an A-sync */
	CLASSIC_SYNC_ISYNC,	/* looking for an I-sync */
	CLASSIC_SYNC_FULL,
};

/* Where struct classic.time comes from, since the decoder was reset or lost sync. */
enum classic_clock {
	CLASSIC_CLOCK_NONE,	/* there was no timestamp */
	CLASSIC_CLOCK_WHOLE,	/* the first one had all bits */
	CLASSIC_CLOCK_PART,	/* it had not */
};

/**
 * struct classic - part of struct csf_decoder
 * @time: last timestamp; in Gray code, if the unit sends that
 * @clock: enum classic_clock
 * @addr: last address of a packet, from which short addresses continue
 * @isa: its instruction set: enum classic_isa
 * @sync: enum classic_sync
 * @known: there was an I-sync: @ctx is known
 * @alt: AltISA of the last state: T32 is ThumbEE
 * @ctx: last context
 *
 * The elements of a packet wait in decoder.queue.  If an exception may cancel the instruction
 * before it, the youngest P0 element stays there until the next one comes.
 */
struct classic {
	uint64_t time;
	uint32_t addr;
	uint8_t isa;
	uint8_t sync;
	uint8_t clock;
	bool known;
	bool alt;
	struct csf_context ctx;
};

#endif /* CSF_CLASSIC_H */
