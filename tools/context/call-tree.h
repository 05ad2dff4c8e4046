/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls as a tree of functions, wherever from they were called, with sums: of struct contexts. */
#ifndef CSF_CALL_TREE_H
#define CSF_CALL_TREE_H

#include "context.h"

/**
 * struct call_node - a function under what called it
 * @parent: of functions that nobody is known to have called, and of threads: 0, the root
 * @function: as struct context_node has it; 0: none
 * @thread: process << 32 | number, if threads are told apart and this is one; else 0
 * @child: the first of those below it, the one with most; 0: none
 * @next: the next one under @parent; 0: none
 * @self: instructions; @total: with those of all below
 */
struct call_node {
	uint32_t parent, function;
	uint64_t thread;
	uint32_t child, next;
	uint64_t calls, self, total;
};

/* @node: @n of them, parents before their children; node 0 is the root. */
struct call_tree {
	const struct contexts *contexts;
	struct call_node *node;
	size_t n;
};

/**
 * struct call_sum - a function, wherever it was called
 * @calls: how often
 * @total: instructions in it and in what it called; where it calls itself they count once
 */
struct call_sum {
	uint64_t calls, total;
};

/* Borrows @contexts.  Return: 0 or -ENOMEM; in any case call_tree_fini() is to be called. */
int call_tree_read(struct call_tree *tree, const struct contexts *contexts, bool by_thread);
void call_tree_fini(struct call_tree *tree);

/* By number of the function, for the caller to free; NULL: no memory. */
struct call_sum *call_tree_sums(const struct call_tree *tree);

/* The name of a node; of a function without a symbol, its file's. */
const char *call_tree_name(const struct call_tree *tree, uint32_t node);

#endif /* CSF_CALL_TREE_H */
