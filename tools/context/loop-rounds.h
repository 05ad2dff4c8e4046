/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often a loop repeats each time that execution enters it.
 *
 *	loop_rounds_init(&rounds, &loops, &table);
 *	context_fill_new(&fill, &contexts, replay);
 *	context_fill_watch(fill, &rounds);
 *	while ((err = perf_replay_next(replay, &run)) > 0)
 *		err = context_fill_run(fill, &run);
 *	err = context_fill_fold(fill);
 *	loop_rounds_fini(&rounds);
 *
 * The loops are known only after everything has run, so the trace is decoded a second time.
 *
 * A visit lasts from entering a loop to leaving it, for other code in the same call of its function
 * or because that call ends.  Each execution of a way in is a round.  Functions that the loop
 * calls, signal handlers and other threads are in between; recursive calls of its function have
 * visits of their own.  If trace begins or ends in a loop, or some execution is unknown, the visit
 * is cut.
 */
#ifndef CSF_LOOP_ROUNDS_H
#define CSF_LOOP_ROUNDS_H

#include "../../perf-plugin/call-stack.h"
#include "context-parts.h"
#include "../count/loops.h"

/* The most visits of a thread at one time: if there are more, the outermost are cut. */
#define LOOP_VISITS_MAX	(4 * CALL_STACK_MAX)

/**
 * struct loop_block - a block in one loop
 * @loop: index + 1; 0: none
 * @is_in: it is a way in
 */
struct loop_block {
	uint32_t loop;
	bool is_in;
};

/**
 * struct loop_rounds - for one recording; private
 * @in_loop: for all blocks; those of block i begin at @first[i]
 * @file: for each file of a struct contexts, its number in the table + 1; 0: not yet known
 */
struct loop_rounds {
	struct loops *loops;
	const struct count_table *table;
	struct loop_block *in_loop;
	size_t n_in_loop, size_in_loop;
	size_t *first;
	size_t n_block, size_block;
	uint32_t *file;
	size_t n_file;
};

/* @loops gets the sums and has the loops of @table; both are borrowed. */
void loop_rounds_init(struct loop_rounds *r, struct loops *loops, const struct count_table *table);
void loop_rounds_fini(struct loop_rounds *r);

/* Adds the steps of the innermost frame up to @end.  Return: 0 or -ENOMEM. */
int loop_rounds_add(struct loop_rounds *r, const struct context_code *code,
		    struct context_thread *t, const uint32_t *step, const uint32_t *end);

/* Call this at the end of a thread. */
void loop_rounds_end(struct loop_rounds *r, struct context_thread *t);

#endif /* CSF_LOOP_ROUNDS_H */
