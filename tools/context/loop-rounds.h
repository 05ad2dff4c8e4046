/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often loops go round each time that execution comes into them.
 *
 *	loop_rounds_init(&rounds, &loops, &table);
 *	context_fill_new(&fill, &contexts, session);
 *	context_fill_watch(fill, &rounds);
 *	while ((err = perf_session_next(session, &run)) > 0)
 *		err = context_fill_run(fill, &run);
 *	err = context_fill_fold(fill);
 *	loop_rounds_fini(&rounds);
 *
 * Which loops there are is only known when all has run, so the trace is decoded a second time.
 *
 * A visit is what lies between coming into a loop and leaving it: for something else in the same
 * call of its function, or because that call ends.  Each time that a way in runs is a round.  What
 * it calls, signals' handlers and other threads are in between, and calls of its own function are
 * visits of their own.  Where trace begins in a loop, or ends there, or it is not known what ran,
 * the visit is cut.
 */
#ifndef CSF_LOOP_ROUNDS_H
#define CSF_LOOP_ROUNDS_H

#include "../../perf-plugin/call-stack.h"
#include "context-parts.h"
#include "../count/loops.h"

/* Most visits that a thread is in at once: of more the outermost are cut. */
#define LOOP_VISITS_MAX	(4 * CALL_STACK_MAX)

/**
 * struct loop_place - what of a block is in one loop
 * @loop: index + 1; 0: none
 * @is_in: it is a way in
 */
struct loop_place {
	uint32_t loop;
	bool is_in;
};

/**
 * struct loop_rounds - of a recording; all private
 * @place: of all blocks, those of block i from @first[i] on
 * @file: of each file of a struct contexts, its number in the table + 1; 0: not asked yet
 */
struct loop_rounds {
	struct loops *loops;
	const struct count_table *table;
	struct loop_place *place;
	size_t n_place, size_place;
	size_t *first;
	size_t n_block, size_block;
	uint32_t *file;
	size_t n_file;
};

/* @loops, which gets the sums, and @table, whose places it has, are borrowed. */
void loop_rounds_init(struct loop_rounds *r, struct loops *loops, const struct count_table *table);
void loop_rounds_fini(struct loop_rounds *r);

/* Steps up to @end of the innermost frame.  Return: 0 or -ENOMEM. */
int loop_rounds_add(struct loop_rounds *r, const struct context_code *code,
		    struct context_thread *t, const uint32_t *step, const uint32_t *end);

/* There is no more of a thread. */
void loop_rounds_end(struct loop_rounds *r, struct context_thread *t);

#endif /* CSF_LOOP_ROUNDS_H */
