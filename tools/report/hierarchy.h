/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions as rows that open: below each are its callers, with theirs below them, and its callees.
 *
 *	err = hierarchy_new(&h, &contexts);
 *	while (!err && (i = choose(h.row, h.n)) >= 0)
 *		err = hierarchy_toggle(&h, i);
 *	hierarchy_fini(&h);
 */
#ifndef CSF_HIERARCHY_H
#define CSF_HIERARCHY_H

#include "../context/call-tree.h"

/* The most rows that hierarchy_open_below() makes. */
#define HIERARCHY_ROWS	10000

enum hierarchy_kind {
	HIERARCHY_FUNCTION,
	HIERARCHY_CALLERS,	/* headings below a function */
	HIERARCHY_CALLEES,
	HIERARCHY_CALLER,
	HIERARCHY_CALLEE,
};

/**
 * struct hierarchy_place - a node of the tree, and the instructions that it stands for
 * @node: for a caller: the ancestor that is this caller
 * @total: for a caller: of the node that was called
 */
struct hierarchy_place {
	uint32_t node;
	uint64_t total;
};

/**
 * struct hierarchy_row - a row
 * @depth: rows that it is below
 * @open: what is below it follows
 * @leaf: there is nothing below it
 * @node: one of its nodes, for its name; 0: no caller is known
 * @function: number in the contexts; 0: none
 * @total: instructions with callees; for a caller, those of the function that it leads to
 * @self, @calls: for functions and callees
 * @place: @n_place nodes of it
 */
struct hierarchy_row {
	enum hierarchy_kind kind;
	uint16_t depth;
	bool open, leaf;
	uint32_t node, function;
	uint64_t total, self, calls;
	struct hierarchy_place *place;
	size_t n_place;
};

/**
 * struct hierarchy - the rows that are in sight, from the first to the last
 * @tree: threads are apart
 * @by_self: functions with most instructions of their own are first, not those with most in all
 * @dso: only functions of this file; CONTEXT_NOWHERE: all
 * @thread: only this thread's; 0: all
 * @all: instructions of the thread, or of all
 * @wants: shall the function have a row?  NULL: all; @ctx is for it
 */
struct hierarchy {
	struct call_tree tree;
	struct hierarchy_row *row;
	size_t n, size;
	bool by_self;
	uint32_t dso;
	uint64_t thread, all;
	bool (*wants)(void *ctx, uint32_t function);
	void *ctx;
};

/*
 * All functions, closed.  Borrows @contexts.  Return: 0 or -ENOMEM; call hierarchy_fini() in any
 * case.
 */
int hierarchy_new(struct hierarchy *h, const struct contexts *contexts);
void hierarchy_fini(struct hierarchy *h);

/*
 * The functions again, closed, after @by_self, @dso, @thread or @wants was set.
 * Return: 0; -ENOMEM.
 */
int hierarchy_again(struct hierarchy *h);

/* Opens or closes row @i.  Return: 0, -ENOMEM. */
int hierarchy_toggle(struct hierarchy *h, size_t i);

/* Opens all below row @i.  Return: 0; 1: more than HIERARCHY_ROWS would be there; -ENOMEM. */
int hierarchy_open_below(struct hierarchy *h, size_t i);

/* The row that @i is below; @i: none. */
size_t hierarchy_above(const struct hierarchy *h, size_t i);

/* The text of the row: a name, a heading. */
const char *hierarchy_name(const struct hierarchy *h, const struct hierarchy_row *row);

/* The file of its function; CONTEXT_NOWHERE: none. */
uint32_t hierarchy_dso(const struct hierarchy *h, const struct hierarchy_row *row);

/**
 * hierarchy_threads() - the threads, the one with most instructions first
 * @node: receives the numbers of their nodes; the caller frees it
 *
 * Return: how many, or -ENOMEM.
 */
long hierarchy_threads(const struct hierarchy *h, uint32_t **node);

#endif /* CSF_HIERARCHY_H */
