/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts of one file by context, as compilers take them: calls within the file whose place in the
 * source is known, and no calls of a function by itself.
 *
 *	struct context_profile cs;
 *
 *	err = context_profile_open(&cs, profile, true);
 *	while (!err && (node = context_profile_next(&cs)) > 0)
 *		... cs.s has the lines of cs.tree.node[node]
 *	context_profile_close(&cs);
 */
#ifndef CSF_CONTEXT_PROFILE_H
#define CSF_CONTEXT_PROFILE_H

#include "line-profile.h"

/* Calls from node @node of the tree, by the branch at @from, to @callee, which begins at @to. */
struct profile_call {
	uint32_t node, callee;
	uint64_t from, to, count;
	bool told;		/* private */
};

/**
 * struct context_profile - zero it, then context_profile_open()
 * @contexts: those of the profile
 * @tree: of the file's functions: node 1 stands for unknown callers; @site: of the call, 0 under
 *        node 1
 * @s, @table: lines, and blocks, of the node that was last returned
 * @call: @n_call calls within the file, by node and place
 */
struct context_profile {
	const struct profile *p;
	const struct contexts *contexts;
	struct contexts tree;
	struct line_profile s;
	struct count_table table;
	struct profile_call *call;
	size_t n_call;
	/* private */
	bool lines;
	uint32_t *to;
	bool *mine;
	struct context_count *row;
	size_t n_row, at, size_call;
	struct profile one;
};

/*
 * @lines: with lines; without, calls may be at places that have none.  Return: 0; errors as
 * line_profile_read().  Call context_profile_close() in any case.
 */
int context_profile_open(struct context_profile *cs, const struct profile *p, bool lines);
void context_profile_close(struct context_profile *cs);

/* Return: the number of the next node that has lines, > 0; 0: the end; -ENOMEM. */
long context_profile_next(struct context_profile *cs);
/* The same without lines: its blocks are in @cs->table. */
long context_profile_next_table(struct context_profile *cs);

#endif /* CSF_CONTEXT_PROFILE_H */
