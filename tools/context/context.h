/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls: a tree of functions, each under its caller, from the trace's own branches.
 *
 *	struct contexts contexts = { 0 };
 *	struct context_fill *fill;
 *
 *	err = context_fill_new(&fill, &contexts, replay);
 *	while ((err = perf_replay_next(replay, &run)) > 0)
 *		err = context_fill_run(fill, &run, true);
 *	err = context_fill_fold(fill);
 *	context_fill_free(fill);
 *	for (size_t i = 1; i < contexts.n; i++)
 *		print(&contexts.node[i]);
 *	contexts_fini(&contexts);
 *
 * Several recordings may go into one tree.  The full tree needs none of them: functions have
 * names, and places are offsets in files, as in the count table.
 *
 * Stacks are those that an unwinder would see: if a function ends by jumping to another one, that
 * one takes its place, with the same caller.  A call pushes, a return pops down to the function
 * that is returned to: longjmp() that returns, C++ exceptions and calls that never return cost
 * nothing.  Jumps into the middle of another function are treated so, too: back to where setjmp()
 * was called, or to the innermost call of that function.
 *
 * If trace stops because it was turned off (system calls, other exceptions) or its code is
 * missing, the stack stays.  The next code goes on at the same place, or returns to a caller, or is
 * the first instruction of a function: a signal's handler, or one that the missing code called.
 * After a loss the callers are unknown, and none are invented: a new stack begins.
 *
 * Time: one load and one addition a block; more only for calls, returns and other ways out of a
 * function.  Memory: 64 bytes a node, at most CONTEXT_MAX nodes; CALL_STACK_MAX frames of 40 bytes
 * a thread.
 */
#ifndef CSF_CONTEXT_H
#define CSF_CONTEXT_H

#include "../../perf-plugin/hash.h"
#include "../../perf-plugin/perf-replay.h"
#include "../count/count.h"
#include "context-shares.h"

/* The most nodes, and the depth: deeper calls count as their caller's. */
#define CONTEXT_MAX		(1u << 20)
#define CONTEXT_DEPTH_MAX	1024

/**
 * enum context_kind - the origin of a node
 * @CONTEXT_ROOT: node 0
 * @CONTEXT_THREAD: a thread, under the root: site is process << 32 | number, function is
 *                  its name
 * @CONTEXT_BEGIN: a function with an unknown caller; under a thread
 * @CONTEXT_CALL: called by the instruction at site
 * @CONTEXT_ASYNC: run by an exception or a signal before the instruction at site; or called by
 *                 missing code, with an unknown site
 * @CONTEXT_INLINED: inlined in its parent; only contexts_inline() makes these
 */
enum context_kind {
	CONTEXT_ROOT,
	CONTEXT_THREAD,
	CONTEXT_BEGIN,
	CONTEXT_CALL,
	CONTEXT_ASYNC,
	CONTEXT_INLINED,
};

/* No file: code that is in no file, or unknown. */
#define CONTEXT_NOWHERE	UINT32_MAX

/**
 * struct context_node - a function under its caller
 * @parent: node of its caller; 0: the root
 * @function: index of the function
 * @depth: nodes above it
 * @kind: enum context_kind
 * @dso, @site: file and offset of the call, see @kind.  A function that calls itself has one
 *              node for all these calls, with @site 0
 * @inlined: the inlined function that has the call, a number of contexts.chain; 0: none
 * @calls: how often it was called
 * @blocks, @insns: executed in it, without its callees
 */
struct context_node {
	uint32_t parent, function;
	uint32_t dso;
	uint16_t depth;
	uint8_t kind;
	uint32_t inlined;
	uint64_t site;
	uint64_t calls, blocks, insns;
};

/**
 * struct context_function - a function
 * @dso, @start: file and offset of its first instruction; without a symbol, of that at which it was
 *               entered; of an inlined function, the id of struct elf_function
 * @name: demangled; owned; NULL: there is no symbol.  That of an inlined function is marked
 */
struct context_function {
	uint64_t start;
	char *name;
	uint32_t dso;
	uint8_t role;		/* private */
};

/**
 * struct context_count - how often a block ran in a node
 * @dso: number of its file
 */
struct context_count {
	uint32_t node, dso;
	struct count_block block;
};

/**
 * struct context_chain - an inlined function, and those that it is inlined in
 * @outer: the chain around it; 0: it is inlined in the function of a node
 */
struct context_chain {
	uint32_t outer, function;
};

/**
 * struct context_part - the part of a node that an inlined function has
 * @chain: number of the function
 * @insns: of the node's instructions; @calls: how often its first instruction began it
 */
struct context_part {
	uint32_t node, chain;
	uint64_t insns, calls;
};

/* The most separate counts; further ones count as node 0's. */
#define CONTEXT_COUNTS_MAX	(1u << 22)

/**
 * struct contexts - the tree; zero is an empty one
 * @counts: set it to count blocks by node, which costs a hash look-up for each
 * @shares: instructions by node, CPU and time, if that is wanted
 * @inlines: set it to count inlined functions, which costs that for blocks that have some
 * @node: @n of them, parents before their callees; 0: none; node 0 is the root
 * @function: @n_function of them; number 0 is none
 * @files: the files, by number: name, kind, build-id; no counts
 * @count: @n_count counts; a block in a node may have several
 * @chain: @n_chain inlined functions; number 0 is none; for contexts_inline(), as is @part
 * @folded: calls without their own node: deeper than CONTEXT_DEPTH_MAX, or above
 *          CONTEXT_MAX nodes
 */
struct contexts {
	struct context_node *node;
	size_t n;
	struct context_function *function;
	size_t n_function;
	struct count_table files;
	struct context_count *count;
	size_t n_count;
	struct context_chain *chain;
	size_t n_chain;
	struct context_part *part;
	size_t n_part;
	uint64_t folded;
	bool counts, inlines;
	struct context_shares shares;
	/* private */
	size_t size, size_function, size_count, size_chain, size_part;
	struct hash_table by_key, by_start, by_chain;	/* nodes; functions; chains */
};

struct context_fill;

void contexts_fini(struct contexts *contexts);

struct loop_rounds;

/* For one recording; @contexts must outlive it.  Return: 0 or -ENOMEM. */
int context_fill_new(struct context_fill **fill, struct contexts *contexts,
		     struct perf_replay *replay);
void context_fill_free(struct context_fill *fill);

/* Passes all that runs to @rounds, borrowed; call it before the first run. */
void context_fill_watch(struct context_fill *fill, struct loop_rounds *rounds);

/*
 * @counted: count what the run executed; if not, it only leads to the callers of what follows.
 * Return: 0 or -ENOMEM.
 */
int context_fill_run(struct context_fill *fill, const struct perf_run *run, bool counted);

/* After the last run: adds the counts of blocks.  Return: 0 or -ENOMEM. */
int context_fill_fold(struct context_fill *fill);

/*
 * After the last recording: makes nodes of inlined functions, below the function that they are in.
 * Their instructions move there, and so do the calls that they make.  Return: 0 or -ENOMEM.
 */
int contexts_inline(struct contexts *contexts);

#endif /* CSF_CONTEXT_H */
