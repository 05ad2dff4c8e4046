/* SPDX-License-Identifier: GPL-2.0-only */
/* One trace ID of a listing in OpenCSD's manner: for list-opencsd*.c only. */
#ifndef CSF_LIST_OPENCSD_ID_H
#define CSF_LIST_OPENCSD_ID_H

#include "../../perf-plugin/opencsd/element.h"
#include "../../perf-plugin/opencsd/packet.h"
#include "list-opencsd.h"
#include "list-opencsd-older.h"
#include "../input/stream.h"

enum ocsd_state { OCSD_NO_SYNC, OCSD_WAIT_SYNC, OCSD_WAIT_INFO, OCSD_DECODE };

/* A packet that may still have elements: its offset in the stream, and its printed index. */
struct ocsd_index {
	uint64_t pos, idx;
};

/* P0 elements of one packet, not committed yet. */
struct ocsd_p0 {
	uint64_t pos;
	uint32_t n;
};

/**
 * struct ocsd_id - state of one trace ID
 * @slot: the ID in packet lines: 0 for raw trace
 * @older: owned: lists ETMv3 or PTM, for which the other fields are not used; NULL: it is neither
 * @reason: the reason of the next NO_SYNC element
 * @last_idx: index of the last packet that the decoder got
 * @group: an exception or Q without address waits for its address packet; @group_idx: its index
 * @overflowed: the next TRACE_ON is because of an overflow
 * @index: those from @index_head on may still be needed
 * @p0: from @p0_head on; @depth: P0 elements in them
 * @taken: atoms of the oldest packet in @p0 whose elements are already printed
 * @hole: no code at @hole_addr, an address of the packet at @hole_pos; no address since
 */
struct ocsd_id {
	const struct ocsd_options *options;
	struct out *out;
	struct csf_config config;
	uint8_t id, slot;
	struct ocsd_older *older;
	bool ete;
	struct ocsd_reader reader;
	struct ocsd_history history;
	struct ocsd_sticky sticky;
	struct stream stream;

	enum ocsd_state state;
	enum abi_unsync reason;
	uint64_t last_idx;
	uint64_t group_idx;
	bool group, overflowed, first_chunk;

	struct ocsd_index *index;
	size_t index_head, n_index;
	struct ocsd_p0 *p0;
	size_t p0_head, n_p0;
	uint64_t depth;
	uint32_t taken;
	int error;

	bool hole;
	uint64_t hole_addr, hole_pos;
};

/* For the decoder of a struct ocsd_id: prints a packet, then the elements that it releases. */
void ocsd_found(void *owner, const struct ocsd_found *f);
void ocsd_found_end(struct ocsd_id *s);

#endif /* CSF_LIST_OPENCSD_ID_H */
