/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loops: code that was executed repeatedly.
 *
 * The graph is that of a function as it was executed.  A node is the code from one branch target up
 * to the next target or branch.  Edges are taken branches, and the ways past branches that were not
 * taken; after a call comes the place that it returns to.  Calls and returns themselves are not
 * edges, so a function that calls itself is not a loop.
 *
 * A loop is a strongly connected component of that graph: each of its nodes leads to every other.
 * The place where execution enters it from elsewhere is its header; of several, the first one is
 * used.  Without these ways in, the rest may have components again: the inner loops.
 */
#ifndef CSF_LOOPS_H
#define CSF_LOOPS_H

#include "hot-lines.h"

/**
 * struct loop - a loop
 * @header: offset of its beginning, the first of @ways_in; usually there is one
 * @end: the end of its last branch back to a way in
 * @entries: how often execution entered it
 * @trips: how often its ways in ran; divided by @entries, the mean number of rounds
 * @insns: executed in it, including inner loops, without called functions
 * @depth: the number of loops around it; @parent: the innermost of them, index + 1; 0: none
 * @whole: complete visits; @cut: incomplete ones: see loop-rounds.h
 * @rounds: of complete visits; @least, @most: of a single one
 */
struct loop {
	size_t dso;
	uint64_t header, end;
	uint64_t entries, trips, insns;
	uint32_t depth, ways_in, parent;
	uint64_t whole, cut, rounds, least, most;
};

/**
 * struct loop_node - instructions of a loop, one after another, from @start to @end
 * @loop: the innermost loop around them, index + 1
 * @is_in: they are a way into that loop
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
 * @node: the @n_node nodes of all loops, by offset if pieces are added in that order
 */
struct loops {
	struct loop *loop;
	size_t n, size;
	struct loop_node *node;
	size_t n_node, size_node;
};

/* Adds the loops of the code from @start to @end.  Return: 0 or -ENOMEM. */
int loops_add(struct loops *loops, const struct hot_edges *edges, uint64_t start, uint64_t end);
void loops_fini(struct loops *loops);

#endif /* CSF_LOOPS_H */
