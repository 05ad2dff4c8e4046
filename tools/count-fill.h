/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From runs of a decoder to the count table.
 *
 *	count_fill_init(&fill, session);
 *	while ((err = perf_session_next(session, &run)) > 0)
 *		err = count_fill_run(&fill, &run);
 *	err = count_fill_fold(&fill, &table);
 *
 * While decoding, counters lie in an array by step: a block and whether it was taken.  Where that
 * does not say where a branch went, an edge of a hash does.
 */
#ifndef CSF_COUNT_FILL_H
#define CSF_COUNT_FILL_H

#include "../perf-plugin/perf-session.h"
#include "count.h"

/**
 * struct count_fill - zero it, then count_fill_init(); all private
 * @ran: times of each step, n_step of them
 * @look: of each step: its edge is one of the hash
 * @last: of each block, its edge that was last seen: index + 1
 * @place: where each block is
 * @edge: @n_edge of them; @hash finds them, and has room for @size_edge, a power of two
 * @state: of each stream
 * @lost: files, and what was lost for want of each
 */
struct count_fill {
	struct perf_session *session;
	uint64_t *ran;
	uint8_t *look;
	uint32_t *last;
	struct fill_place *place;
	size_t n_block, size_block;
	struct fill_edge *edge;
	uint32_t *hash;
	size_t n_edge, size_edge;
	struct fill_state *state;
	size_t n_state;
	uint64_t stat[COUNT_STAT_NR];
	struct count_table lost;
};

void count_fill_init(struct count_fill *fill, struct perf_session *session);
void count_fill_fini(struct count_fill *fill);

/* Return: 0 or -ENOMEM. */
int count_fill_run(struct count_fill *fill, const struct perf_run *run);

/* Adds what was counted, and statistics of the session, to @table.  Return: 0 or -ENOMEM. */
int count_fill_fold(struct count_fill *fill, struct count_table *table);

#endif /* CSF_COUNT_FILL_H */
