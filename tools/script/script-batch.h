/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branches that were printed before become text in whichever thread is free, a batch of them at a
 * time.  The caller hands batches over and writes their text in order; a batch stops where a branch
 * comes that is not known, and he goes on with it himself.
 */
#ifndef CSF_SCRIPT_BATCH_H
#define CSF_SCRIPT_BATCH_H

#include "../../decoder/csflow.h"
#include "script-edge.h"

#define BATCHES		16
/* Branches or steps of a batch: as many as fill the buffer for its text, within these bounds. */
#define BATCH_EDGES	4096
#define BATCH_STEPS	(4 * BATCH_EDGES - 1)
#define BATCH_MIN	512
#define BATCH_PARTS	16
#define BATCH_OWN	(16u << 10)

/**
 * struct batch_part - branches of one run
 * @first: of the batch's branches, or steps, up to that of the next part; of steps the last one is
 *         only where the one before leads to
 * @steps: not those at hand; @steps.info is NULL: it is of branches
 * @own, @n_own: what the caller printed in front of them, from batch.own[@own] on
 * @who, @n_who: what is in front of each but for the time; @world: which names addresses have
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
 * struct batch - some branches
 * @edge: branches, or @step: @n of them, of @n_part parts
 * @own: text of @n_own bytes that the caller printed
 * @done: so many of these are text, and @n_done_part whole parts; @begun: so is what is in front of
 *        the branches of the next one
 * @out, @text: it; of @n_text bytes in @text, which come first, @size are allocated
 * @shown: lines
 * @failed: no memory
 * @ended: nobody is at work on it; atomic
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
 * @batch: where what is handed over, or filled, can be
 * @order: of these: @n are handed over, oldest first, of which those from @n_ended on may be at
 *         work; the one behind is filled; then those that are free, last used first
 * @room: so many branches, or steps, are one
 * @learns: the caller prints what was not known
 * @fresh: what is added next is of another run than what was added last
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

/* Behind out_flush() of what the caller prints to. */
void script_batches_fini(struct script_batches *b);

/* Branches that come next are of another run. */
static inline void script_batches_run(struct script_batches *b)
{
	b->fresh = true;
}

/* Room for *@n branches of the run at hand, at least 1. */
struct cs_edge *script_batches_room(struct script_batches *b, size_t *n);

/* There are @n in it now, 1 or more; before that nothing else is printed. */
void script_batches_add(struct script_batches *b, size_t n);

/* Or steps of that run, no more than that. */
void script_batches_add_steps(struct script_batches *b, const struct cs_steps *steps);

#endif /* CSF_SCRIPT_BATCH_H */
