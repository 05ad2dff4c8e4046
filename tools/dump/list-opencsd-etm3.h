/* SPDX-License-Identifier: GPL-2.0-only */
/* One trace ID of ETMv3 in a listing in OpenCSD's manner: for list-opencsd.c only. */
#ifndef CSF_LIST_OPENCSD_ETM3_H
#define CSF_LIST_OPENCSD_ETM3_H

#include "../../perf-plugin/opencsd/element.h"
#include "../../perf-plugin/opencsd/packet.h"
#include "../input/stream.h"
#include "list-opencsd.h"

enum ocsd_etm3_state { OCSD_ETM3_NO_SYNC, OCSD_ETM3_WAIT_ISYNC, OCSD_ETM3_RUN };

/**
 * struct ocsd_etm3 - state of the trace ID; set it to zero, then the first fields
 * @slot: the ID in packet lines: 0 for raw trace
 * @reason: the reason of the next NO_SYNC element; 0: there is none to be said
 * @byte: the @n bytes that are not in a packet yet, at @pos in the stream; @idx: the index of each
 * @synced: the reader is
 * @addr, @isa, @time: what packets leave out; @known: number of bits of @addr
 * @begun: there was an I-sync
 * @held: an element that a cancel may take back, at @held_idx, if @holds
 * @may_hold: none was held by the packet before
 * @hole: no code for an atom, and no address since
 */
struct ocsd_etm3 {
	const struct ocsd_options *options;
	struct out *out;
	struct csf_config config;
	struct stream *stream;
	uint8_t id, slot;
	enum abi_unsync reason;

	uint8_t byte[2 * CSF_PACKET_MAX];
	uint64_t idx[2 * CSF_PACKET_MAX];
	size_t n;
	uint64_t pos;
	bool synced;

	uint32_t addr;
	uint8_t isa, known;
	uint64_t time;

	enum ocsd_etm3_state state;
	bool begun;
	struct ocsd_sticky sticky;
	struct abi_element held;
	uint64_t held_idx, last_idx;
	bool holds, may_hold;
	bool hole;
};

/* Reads a piece of the stream; its first byte has the index @idx. */
void ocsd_etm3_read(struct ocsd_etm3 *s, const uint8_t *p, size_t n, uint64_t idx);
void ocsd_etm3_end(struct ocsd_etm3 *s);

#endif /* CSF_LIST_OPENCSD_ETM3_H */
