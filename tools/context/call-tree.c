// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "call-tree.h"
#include "context-parts.h"

/* The same tree without places of calls; without threads, all threads are the root. */
static int flatten(const struct contexts *c, struct contexts *flat, bool by_thread)
{
	uint32_t *to = calloc(c->n + 1, sizeof(*to));
	int err = to ? 0 : -ENOMEM;

	/* node 1 always exists, and is the root here */
	if (!err) {
		to[0] = context_node(flat, &(struct context_node){ .kind = CONTEXT_THREAD });
		err = to[0] ? 0 : -ENOMEM;
	}
	for (size_t i = 1; i < c->n && !err; i++) {
		const struct context_node *n = &c->node[i];
		bool thread = n->kind == CONTEXT_THREAD;
		struct context_node key = { .parent = to[n->parent], .function = n->function };

		if (thread)
			key.site = n->site;
		to[i] = thread && !by_thread ? to[0] : context_node(flat, &key);
		if (!to[i]) {
			err = -ENOMEM;
			break;
		}
		flat->node[to[i]].insns = count_sum(flat->node[to[i]].insns, n->insns);
		if (!thread)
			flat->node[to[i]].calls = count_sum(flat->node[to[i]].calls, n->calls);
	}
	free(to);
	return err;
}

static const struct call_tree *sorted;

static int by_total(const void *a, const void *b)
{
	const struct call_node *x = &sorted->node[*(const uint32_t *)a];
	const struct call_node *y = &sorted->node[*(const uint32_t *)b];

	if (x->total != y->total)
		return x->total < y->total ? -1 : 1;
	return x > y ? -1 : x < y;
}

/* Nodes are put in front, so the last one, with most, is the first of its parent's. */
static int link_children(struct call_tree *t)
{
	uint32_t *order = malloc(t->n * sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		order[i] = i;
	sorted = t;
	qsort(order + 1, t->n - 1, sizeof(*order), by_total);
	for (size_t i = 1; i < t->n; i++) {
		struct call_node *n = &t->node[order[i]];

		n->next = t->node[n->parent].child;
		t->node[n->parent].child = order[i];
	}
	free(order);
	return 0;
}

int call_tree_read(struct call_tree *tree, const struct contexts *contexts, bool by_thread)
{
	struct contexts flat = { 0 };
	int err = flatten(contexts, &flat, by_thread);

	*tree = (struct call_tree){ .contexts = contexts };
	if (!err) {
		tree->n = flat.n - 1;
		tree->node = calloc(tree->n, sizeof(*tree->node));
		err = tree->node ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < tree->n && !err; i++) {
		const struct context_node *from = &flat.node[i + 1];

		tree->node[i] = (struct call_node){
			.parent = i ? from->parent - 1 : 0, .function = from->function,
			.thread = from->site, .calls = from->calls, .self = from->insns,
			.total = from->insns,
		};
	}
	contexts_fini(&flat);
	if (err)
		return err;
	for (size_t i = tree->n - 1; i > 0; i--) {
		struct call_node *parent = &tree->node[tree->node[i].parent];

		parent->total = count_sum(parent->total, tree->node[i].total);
	}
	return link_children(tree);
}

void call_tree_fini(struct call_tree *tree)
{
	free(tree->node);
	*tree = (struct call_tree){ 0 };
}

struct call_sum *call_tree_sums(const struct call_tree *tree)
{
	struct call_sum *sum = calloc(tree->contexts->n_function + 1, sizeof(*sum));

	for (size_t i = 1; sum && i < tree->n; i++) {
		const struct call_node *n = &tree->node[i];
		uint32_t above = n->parent;

		if (n->thread)
			continue;
		sum[n->function].calls = count_sum(sum[n->function].calls, n->calls);
		while (above && tree->node[above].function != n->function)
			above = tree->node[above].parent;
		if (!above)
			sum[n->function].total = count_sum(sum[n->function].total, n->total);
	}
	return sum;
}

const char *call_tree_name(const struct call_tree *tree, uint32_t node)
{
	const struct contexts *c = tree->contexts;
	const struct context_function *f;
	const char *file, *slash;

	if (!node)
		return "all";
	if (!tree->node[node].function)
		return "[unknown]";
	f = &c->function[tree->node[node].function];
	if (f->name)
		return f->name;
	if (f->dso >= c->files.n)
		return "[unknown]";
	file = c->files.dso[f->dso].name;
	slash = strrchr(file, '/');
	return slash && slash[1] ? slash + 1 : file;
}
