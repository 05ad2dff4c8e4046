/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Linker names of the functions whose calls without_test.c counts: a call of flow_fast() becomes a
 * call of __wrap_flow_fast().
 */
#ifndef SELFTESTS_WITHOUT_H
#define SELFTESTS_WITHOUT_H

#include "../../decoder/read-ahead.h"
#include "../../decoder/frames.h"

void __real_flow_fast(struct csf_decoder *d);
void __real_flow_fast_spec(struct csf_decoder *d);
void __real_flow_fast_drain(struct csf_decoder *d);
void __real_flow_fast_paths(struct csf_decoder *d);
void __real_flow_fast_prefetch(struct csf_decoder *d);
void __real_segment_decode(struct segment *segment, struct address_cache *address_cache);
void __real_read_ahead_next_feed(struct csf_decoder *d, const uint8_t *bytes, size_t n);
size_t __real_frame_run(struct frame_demux *demux, const uint8_t *p, size_t n, uint64_t at,
			bool port);

void __wrap_flow_fast(struct csf_decoder *d);
void __wrap_flow_fast_spec(struct csf_decoder *d);
void __wrap_flow_fast_drain(struct csf_decoder *d);
void __wrap_flow_fast_paths(struct csf_decoder *d);
void __wrap_flow_fast_prefetch(struct csf_decoder *d);
void __wrap_segment_decode(struct segment *segment, struct address_cache *address_cache);
void __wrap_read_ahead_next_feed(struct csf_decoder *d, const uint8_t *bytes, size_t n);
size_t __wrap_frame_run(struct frame_demux *demux, const uint8_t *p, size_t n, uint64_t at,
			bool port);

#endif /* SELFTESTS_WITHOUT_H */
