/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From runs of a decoder to the count table.
 *
 *	count_fill_init(&fill, replay);
 *	while ((err = perf_replay_next(replay, &run)) > 0)
 *		err = count_fill_run(&fill, &run);
 *	err = count_fill_fold(&fill, &table);
 *
 * While decoding, counters are in an array by step: a block and whether it was taken.  If that
 * does not tell where a branch went, an edge of a hash does.  The two halves of each stream are
 * counted separately, to see how much they differ.
 */
#ifndef CSF_COUNT_FILL_H
#define CSF_COUNT_FILL_H

#include "../../perf-plugin/hash.h"
#include "../../perf-plugin/perf-replay.h"
#include "count.h"

/* Where a block begins. */
struct fill_place {
	int64_t offset;
	uint32_t section;
};

/**
 * struct fill_batch - runs that wait to be counted
 * @block: @n_block new ones
 * @paths: number of the last path before them
 * @run: @n_run of them; @step: their @n_step steps
 * @err: result of counting them
 */
struct fill_batch {
	struct csf_work work;
	struct count_fill *fill;
	struct fill_block *block;
	struct fill_run *run;
	uint32_t *step;
	size_t n_block, size_block, n_run, size_run, n_step, size_step;
	uint32_t paths;
	int err;
};

/**
 * struct count_fill - zero it, then count_fill_init(); private except @weight, @half and @stat
 * @replay: NULL: runs are of none; @half is the half of each run, and @stat the statistics
 * @weight: how often each run happened
 * @ran: times of each step in the first and in the second half
 * @look: for each step, whether its edge is in the hash: enum fill_look
 * @last: for each block, its last edge: index + 1
 * @place: where each block is
 * @path: @n_path of them; @turn: FILL_TURNS ways to them
 * @edge: @n_edge of them, room for @size_edge; @by_key finds them: index + 1
 * @state: one for each stream
 * @lost: files, and what was lost because each was missing
 * @threads: count batches; NULL: runs are counted at once
 * @batch: number @at is filled while the other one is counted
 * @stream: one for each; @n_seen: blocks that were looked at
 * @partly: only some runs are counted: the code that selects them counts trace and losses, too
 */
struct count_fill {
	struct perf_replay *replay;
	struct perf_code *code;
	uint64_t weight;
	uint8_t half;
	uint64_t *ran[2];
	uint8_t *look;
	uint32_t *last;
	struct fill_place *place;
	size_t n_block, size_block;
	struct fill_path *path;
	struct fill_turn *turn;
	size_t n_path, size_path;
	struct fill_edge *edge;
	struct hash_table by_key;
	size_t n_edge, size_edge;
	struct fill_state *state;
	size_t n_state;
	uint64_t stat[COUNT_STAT_NR];
	struct count_table lost;
	bool partly;
	struct csf_threads *threads;
	struct fill_batch batch[2];
	int at;
	struct fill_stream *stream;
	size_t n_stream, n_seen;
};

void count_fill_init(struct count_fill *fill, struct perf_replay *replay);

/* For code that is executed once more, see quick-count.h. */
void count_fill_init_code(struct count_fill *fill, struct perf_code *code);
void count_fill_fini(struct count_fill *fill);

/* Before the first run: lets the replay's decoder threads count.  NULL: no change. */
void count_fill_threads(struct count_fill *fill, struct csf_threads *threads);

/* Return: 0 or -ENOMEM; with threads perhaps for an earlier run. */
int count_fill_run(struct count_fill *fill, const struct perf_run *run);

/* The last branch of @stream led to @addr of @space, and no run tells it.  Return: likewise. */
int count_fill_next(struct count_fill *fill, const struct perf_stream *stream, int space,
		    uint64_t addr);

/* Adds what was counted, and statistics of the replay, to @table.  Return: 0 or -ENOMEM. */
int count_fill_fold(struct count_fill *fill, struct count_table *table);

#endif /* CSF_COUNT_FILL_H */
