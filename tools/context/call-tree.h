/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls as a tree of functions, joined for all call sites, with sums: of struct contexts. */
#ifndef CSF_CALL_TREE_H
#define CSF_CALL_TREE_H

#include "context.h"

/**
 * struct call_node - a function under its caller
 * @parent: its caller's node; 0, the root, for threads and functions without a known caller
 * @function: as in struct context_node; 0: none
 * @thread: process << 32 | number, if threads are told apart and this is one; else 0
 * @child: its first callee, the one with most instructions; 0: none
 * @next: the next node under @parent; 0: none
 * @self: instructions; @total: with those of all nodes below
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
 * struct call_sum - a function, with all its callers
 * @calls: how often
 * @total: instructions in it and its callees; recursive calls count once
 */
struct call_sum {
	uint64_t calls, total;
};

/* Borrows @contexts.  Return: 0 or -ENOMEM; call call_tree_fini() in any case. */
int call_tree_read(struct call_tree *tree, const struct contexts *contexts, bool by_thread);
void call_tree_fini(struct call_tree *tree);

/* Sums by number of the function; the caller frees them.  NULL: no memory. */
struct call_sum *call_tree_sums(const struct call_tree *tree);

/* The name of a node; for a function without a symbol, that of its file. */
const char *call_tree_name(const struct call_tree *tree, uint32_t node);

#endif /* CSF_CALL_TREE_H */
