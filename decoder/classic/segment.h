/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Segments of ETMv3 and PTM: they begin at an A-sync, and own the trace from the I-sync after it
 * on, which tells address and context.
 */
#ifndef CSF_CLASSIC_SEGMENT_H
#define CSF_CLASSIC_SEGMENT_H

#include "../state.h"
#include "packet.h"

/* For struct protocol. */
size_t classic_find_segment(const struct config *c, const uint8_t *bytes, size_t n,
			    size_t *at, classic_reader read);
void classic_take_packets(struct state *s, const struct csf_decoder *d);
bool classic_same_state(const struct state *a, const struct state *b);

#endif /* CSF_CLASSIC_SEGMENT_H */
