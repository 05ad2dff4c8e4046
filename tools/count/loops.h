/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loops: where execution went round.
 *
 * The graph is that of a function as it was executed: what runs from one place that is branched to
 * up to the next, or to a branch, is a node; branches that were taken, and what lies behind those
 * that were not, are edges; behind a call stands what it returns to.  Calls and returns themselves
 * are none, so that a function that calls itself is no loop.
 *
 * A loop is a component of that graph: nodes each of which leads to each other one.  Where
 * execution comes into it from elsewhere is its header; of several the first one stands for all.
 * Without these ways in what is left of it may have components: loops in the loop.
 */
#ifndef CSF_LOOPS_H
#define CSF_LOOPS_H

#include "hot-lines.h"

/**
 * struct loop - one of them
 * @header: offset where it begins, the first one of @ways_in; mostly there is one
 * @end: behind the last of its branches back to a way in
 * @entries: how often execution came into it
 * @trips: how often its ways in ran: over @entries, how many times round on average
 * @insns: executed in it, loops inside it included; not functions that it calls
 * @depth: of loops that it is in, 0: none; @parent: the innermost of these, index + 1; 0: none
 * @whole: visits that were seen whole, and @cut: those that were not: see loop-rounds.h
 * @rounds: of those that were whole; @least, @most: of one of them
 */
struct loop {
	size_t dso;
	uint64_t header, end;
	uint64_t entries, trips, insns;
	uint32_t depth, ways_in, parent;
	uint64_t whole, cut, rounds, least, most;
};

/**
 * struct loop_node - instructions of a loop, one after the other, from @start to @end
 * @loop: the innermost one that they are in, index + 1
 * @is_in: they are a way into that
 */
struct loop_node {
	size_t dso;
	uint64_t start, end;
	uint32_t loop;
	bool is_in;
};

/**
 * struct loops - zero is empty
 * @loop: @n of them
 * @node: what lies in any, @n_node of them, by offset if pieces are added in that order
 */
struct loops {
	struct loop *loop;
	size_t n, size;
	struct loop_node *node;
	size_t n_node, size_node;
};

/* Adds the loops of what lies from @start to @end.  Return: 0 or -ENOMEM. */
int loops_add(struct loops *loops, const struct hot_edges *edges, uint64_t start, uint64_t end);
void loops_fini(struct loops *loops);

#endif /* CSF_LOOPS_H */
