/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who called whom: a tree of functions, each under what called it, from the trace's own branches.
 *
 *	struct contexts contexts = { 0 };
 *	struct context_fill *fill;
 *
 *	err = context_fill_new(&fill, &contexts, session);
 *	while ((err = perf_session_next(session, &run)) > 0)
 *		err = context_fill_run(fill, &run);
 *	err = context_fill_fold(fill);
 *	context_fill_free(fill);
 *	for (size_t i = 1; i < contexts.n; i++)
 *		print(&contexts.node[i]);
 *	contexts_fini(&contexts);
 *
 * Several recordings may go into one tree.  It needs none of them when it is full: functions have
 * names and places are offsets in files, as in the count table.
 *
 * Stacks are those that an unwinder would see: where a function ends by jumping to another one,
 * that one stands in its place, and was called from where it was.  A call pushes, a return pops
 * down to whoever is returned to: longjmp() that returns, C++ exceptions and calls that never
 * return cost nothing.  Jumps into the midst of another function are such, too: back to where
 * setjmp() was called, or to the innermost call of that function.
 *
 * Where trace breaks off because it was turned off (system calls, other exceptions) or its code is
 * missing, the stack stays.  What comes next goes on where it was, or returns to somebody, or is a
 * function's first instruction: a signal's handler, or what the missing code called.  Behind a
 * loss, nothing is known of callers, and none are made up: a new stack begins.
 *
 * Time: one load and one addition a block, more only at calls, returns and what leaves a function.
 * Memory: 64 bytes a node, CONTEXT_MAX of them; CALL_STACK_MAX frames of 40 bytes a thread.
 */
#ifndef CSF_CONTEXT_H
#define CSF_CONTEXT_H

#include "../../perf-plugin/perf-session.h"
#include "../count/count.h"

/* Most nodes, and how deep: what is called beyond counts as its caller's. */
#define CONTEXT_MAX		(1u << 20)
#define CONTEXT_DEPTH_MAX	1024

/**
 * enum context_kind - how a node came about
 * @CONTEXT_ROOT: node 0
 * @CONTEXT_THREAD: a thread, under the root: site is its process << 32 | its number, its function
 *                  is its name
 * @CONTEXT_BEGIN: a function, of which it is not known who called it; under a thread
 * @CONTEXT_CALL: it was called by the instruction at site
 * @CONTEXT_ASYNC: it ran because of an exception or a signal, before the instruction at site; or
 *                 code that is missing called it, and site is not known
 */
enum context_kind {
	CONTEXT_ROOT,
	CONTEXT_THREAD,
	CONTEXT_BEGIN,
	CONTEXT_CALL,
	CONTEXT_ASYNC,
};

/* No file: code that is in none, or nothing is known. */
#define CONTEXT_NOWHERE	UINT32_MAX

/**
 * struct context_node - a function under what called it
 * @parent: who called it; 0: the root
 * @function: index of it
 * @depth: nodes above it
 * @kind: enum context_kind
 * @dso, @site: file and offset of what called it, see @kind.  A function that calls itself has one
 *              node for all places from which it does: 0
 * @calls: how often it was called
 * @blocks, @insns: that ran in it, what it called not included
 */
struct context_node {
	uint32_t parent, function;
	uint32_t dso;
	uint16_t depth;
	uint8_t kind;
	uint64_t site;
	uint64_t calls, blocks, insns;
	uint32_t next;		/* of the same hash; private */
};

/**
 * struct context_function - a function
 * @dso, @start: file and offset of its first instruction; without a symbol, of that where it was
 *               entered
 * @name: of C++ in plain words; owned; NULL: there is no symbol
 */
struct context_function {
	uint64_t start;
	char *name;
	uint32_t dso;
	uint8_t role;		/* private */
	uint32_t next;		/* private */
};

/**
 * struct context_count - how often a block ran in a node
 * @dso: number of its file
 */
struct context_count {
	uint32_t node, dso;
	struct count_block block;
};

/* Most of these that are counted apart, before what is new counts as node 0's. */
#define CONTEXT_COUNTS_MAX	(1u << 22)

/**
 * struct contexts - the tree; zero is an empty one
 * @counts: set it, and blocks are counted by node; that costs a look into a hash for each
 * @node: @n of them, parents before what they called; 0: none; node 0 is the root
 * @function: @n_function of them; number 0 is none
 * @files: which files there are, by number: name, kind, build-id; no counts
 * @count: these counts, @n_count of them; of a block in a node there may be several
 * @folded: calls that had no node of their own: deeper than CONTEXT_DEPTH_MAX, or there were
 *          CONTEXT_MAX
 */
struct contexts {
	struct context_node *node;
	size_t n;
	struct context_function *function;
	size_t n_function;
	struct count_table files;
	struct context_count *count;
	size_t n_count;
	uint64_t folded;
	bool counts;
	/* private */
	size_t size, size_function, size_count;
	uint32_t *hash, *hash_function;
};

struct context_fill;

void contexts_fini(struct contexts *contexts);

struct loop_rounds;

/* Of a recording; @contexts must outlive it.  Return: 0 or -ENOMEM. */
int context_fill_new(struct context_fill **fill, struct contexts *contexts,
		     struct perf_session *session);
void context_fill_free(struct context_fill *fill);

/* @rounds, borrowed, sees all that runs; before the first run. */
void context_fill_watch(struct context_fill *fill, struct loop_rounds *rounds);

/* Return: 0 or -ENOMEM. */
int context_fill_run(struct context_fill *fill, const struct perf_run *run);

/* Behind the last run: adds the counts of blocks.  Return: 0 or -ENOMEM. */
int context_fill_fold(struct context_fill *fill);

#endif /* CSF_CONTEXT_H */
