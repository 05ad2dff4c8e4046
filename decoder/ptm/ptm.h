/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* PTM (PFT 1.0 and 1.1): the packet state of a decoder. */
#ifndef CSF_PTM_H
#define CSF_PTM_H

#include "../element.h"

enum ptm_sync {
	PTM_SYNC_NONE,	/* looking for an A-sync */
	PTM_SYNC_ISYNC,	/* looking for an I-sync */
	PTM_SYNC_FULL,
};

/*
 * An element of this room alone: execution went on to @addr, up to and including the instruction
 * there if @count is 1, up to but not including it if @count is 0; and it met no waypoint.
 */
#define PTM_EL_REACH	EL_NR

#define PTM_TODO_MAX	8	/* maximum elements of one packet */

/**
 * struct ptm - part of struct csf_decoder
 * @time: last timestamp; in Gray code, if the unit sends that
 * @addr: last address of a packet, from which short addresses continue
 * @isa: its instruction set: enum ptm_isa
 * @sync: enum ptm_sync
 * @known: the flow has @ctx, or will have it with an element in @todo
 * @ctx: last context
 * @todo: elements after the current one, from @done to @n
 */
struct ptm {
	uint64_t time;
	uint32_t addr;
	uint8_t isa;
	uint8_t sync;
	bool known;
	struct csf_context ctx;
	uint8_t done, n;
	struct element todo[PTM_TODO_MAX];
};

/* The number of the lowest bit that an address can have is 2 minus this. */
enum ptm_isa { PTM_A32, PTM_T32, PTM_JAZELLE };

extern const struct protocol ptm_protocol __hidden;

#endif /* CSF_PTM_H */
