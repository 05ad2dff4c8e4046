/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state that determines all that a decoder makes of the bytes to come: two decoders with the
 * same state go on alike.
 */
#ifndef CSF_STATE_H
#define CSF_STATE_H

#include "flow.h"

/* The state of ETMv4 and ETE packets: as in struct expand and struct etm4. */
struct etm4_state {
	uint64_t addr[3], time;
	uint32_t threshold;
	struct csf_context ctx;
	uint8_t sync, late;
};

/**
 * struct state - the state of a decoder, right after an address with context
 * @offset: offset of the next byte
 * @queue: checksum of the uncommitted elements
 * @unique: there is more state than this; it equals no other state
 * @settled: for the protocol: at the end of the segment that began so, nothing is left of what its
 *	     first packets took over; see state_end()
 * @etm4, @classic: of its packets
 *
 * The other fields are as in struct csf_decoder and its parts.
 */
struct state {
	uint64_t offset, pc, queue;
	uint32_t commit, depth, unseen;
	struct csf_context ctx;
	int space;
	bool is1, known, joined, in_transaction, marker_seen, unique, settled;
	union {
		struct etm4_state etm4;
		struct classic classic;
	};
};

void state_take(struct state *s, const struct csf_decoder *d);

/* @d began as @begin and is at its end now. */
void state_end(struct state *begin, const struct csf_decoder *d);

/* Does a decoder in state @a do the same as the one that began as @b? */
bool state_same(const struct protocol *p, const struct state *a, const struct state *b);

/* Compares all fields one by one, as there are holes between them. */
bool state_same_context(const struct csf_context *a, const struct csf_context *b);

#endif /* CSF_STATE_H */
