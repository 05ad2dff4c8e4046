/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branches that were printed before become text in any free thread, a batch at a time.  The caller
 * hands batches over and writes their text in order; a batch stops at an unknown branch, from which
 * the caller goes on itself.
 */
#ifndef CSF_SCRIPT_BATCH_H
#define CSF_SCRIPT_BATCH_H

#include "../../decoder/csflow.h"
#include "script-edge.h"

#define BATCHES		16
/* Branches or steps of a batch: as many as fill the buffer for its text, within these limits. */
#define BATCH_EDGES	4096
#define BATCH_STEPS	(4 * BATCH_EDGES - 1)
#define BATCH_MIN	512
#define BATCH_PARTS	16
#define BATCH_OWN	(16u << 10)

/**
 * struct batch_part - branches of one run
 * @first: first branch, or step, in the batch; the part ends at that of the next part; the last
 *         step is only the target of the one before
 * @steps: not the current ones; @steps.info is NULL: the part has branches
 * @own, @n_own: text that the caller printed before them, from batch.own[@own] on
 * @who, @n_who: text before each, without the time; @world: decides the names of addresses
 * @input: of @run, which has no steps
 */
struct batch_part {
	uint32_t first, own, n_own, n_who, world;
	struct cs_steps steps;
	char who[FRONT_WHO_MAX];
	struct cs_samples_input input;
	struct csf_run run;
};

/**
 * struct batch - a batch of branches
 * @edge: branches, or @step: @n of them, of @n_part parts
 * @own: text of @n_own bytes that the caller printed
 * @done: how many are text, and @n_done_part whole parts; @begun: so is the text before
 *        the branches of the next one
 * @out, @text: the text; @text has its first @n_text bytes, with @size allocated
 * @shown: lines
 * @failed: no memory
 * @ended: no thread works on it; atomic
 */
struct batch {
	struct csf_work work;
	struct script_batches *batches;
	union {
		struct cs_edge edge[BATCH_EDGES];
		uint32_t step[BATCH_STEPS + 1];
	};
	struct batch_part part[BATCH_PARTS];
	char own[BATCH_OWN];
	uint32_t n, n_part, n_own;
	uint32_t done, n_done_part;
	bool begun;
	struct script_front front;
	struct out out;
	char *text;
	size_t n_text, size;
	uint64_t shown;
	bool failed, ended;
};

/**
 * struct script_batches - zero it
 * @batch: the slots for batches that are handed over, or filled
 * @order: indexes of batches: @n are handed over, oldest first; those from @n_ended on may be in
 *         work; the next one is filled; then come the free ones, the last used first
 * @room: how many branches, or steps, make a batch
 * @learns: the caller prints unknown branches
 * @fresh: the next branch is of another run than the last one
 * @shown: lines
 * @failed: no memory for some
 */
struct script_batches {
	struct csf_threads *threads;
	struct script_edges *edges;
	struct batch *batch;
	uint8_t order[BATCHES];
	uint32_t n, n_ended, room;
	bool fresh, learns;
	uint64_t shown;
	bool failed;
};

/* Return: 0; -1: no memory. */
int script_batches_init(struct script_batches *b, struct csf_threads *threads,
			struct script_edges *edges);

/* Call this after out_flush() of the caller's output. */
void script_batches_fini(struct script_batches *b);

/* The next branches are of another run. */
static inline void script_batches_run(struct script_batches *b)
{
	b->fresh = true;
}

/* Returns room for *@n branches of the current run, at least 1. */
struct cs_edge *script_batches_room(struct script_batches *b, size_t *n);

/* Adds @n branches that were put there, 1 or more; nothing else is printed before. */
void script_batches_add(struct script_batches *b, size_t n);

/* Adds steps of that run instead, no more than there is room for. */
void script_batches_add_steps(struct script_batches *b, const struct cs_steps *steps);

#endif /* CSF_SCRIPT_BATCH_H */
