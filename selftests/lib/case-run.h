/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a trace case: through the naive walker, and through the decoder, fed in any way. */
#ifndef CASE_RUN_H
#define CASE_RUN_H

#include "case.h"

/**
 * struct feeding - how the decoder is given its bytes
 * @chunk: bytes at a time; 0: all of a piece
 * @seed: not 0: pieces of random size up to @chunk
 * @flush: after each piece: 1: what is certain, 2: all whole packets; -1, -2: the same, said at
 *         once
 * @run_max: csf_config.run_max
 * @ask: missing code is asked for, and stays missing
 * @paths: they are asked for, and what counts is what comes when all was decoded twice before
 * @without: csf_config.without
 * @many: as if there were many blocks; likewise, for what is known is looked up ahead
 * @block_maps: likewise, and of the image, for it has block_maps then
 * @offsets: begin each line with the offset of its packet
 * @stats: not NULL: gets the counts at the end
 */
struct feeding {
	size_t chunk;
	uint32_t seed;
	int flush;
	uint32_t run_max;
	bool ask, paths, many, block_maps;
	uint32_t without;
	bool offsets;
	struct csf_stats *stats;
};

/* The flow in words.  Returns < 0 (enum csf_error) if the configuration is refused. */
int case_walk(const struct trace_case *c, bool offsets, struct text *out);
int case_decode(const struct trace_case *c, const struct feeding *how, struct text *out);

/* Is @got what the case expects?  "..." stands for any number of lines. */
bool case_matches(const struct trace_case *c, const struct text *got);

/* Where two texts differ: one line of each, and what is before; to @out. */
void case_differ(const struct text *want, const struct text *got, struct text *out);

#endif /* CASE_RUN_H */
