// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "hierarchy.h"

/* ---------------------------------------------------------------- the tree */

/* Is @node the thread's, or below it? */
static bool in_thread(const struct hierarchy *h, uint32_t node)
{
	while (node && !h->tree.node[node].thread)
		node = h->tree.node[node].parent;
	return h->tree.node[node].thread == h->thread;
}

/* Does a node above have the same function?  Its instructions are counted there. */
static bool is_recursive(const struct call_tree *t, uint32_t node)
{
	uint32_t above = t->node[node].parent;

	while (above && (t->node[above].thread ||
			 t->node[above].function != t->node[node].function))
		above = t->node[above].parent;
	return above;
}

/* A function's caller; 0: it is not known. */
static uint32_t caller_of(const struct call_tree *t, uint32_t node)
{
	const uint32_t parent = t->node[node].parent;

	return t->node[parent].thread ? 0 : parent;
}

static uint32_t dso_of(const struct call_tree *t, uint32_t node)
{
	const uint32_t function = t->node[node].function;

	return function ? t->contexts->function[function].dso : CONTEXT_NOWHERE;
}

/* ---------------------------------------------------------------- rows of one kind */

/**
 * struct batch - nodes of which rows are made, one for each function
 * @recursive: by place: its instructions are in another's already
 */
struct batch {
	struct hierarchy_place *place;
	size_t n, size;
	struct hierarchy_row *row;
	size_t n_row;
};

static int add(struct batch *b, uint32_t node, uint64_t total)
{
	if (!array_room(&b->place, b->n, &b->size, sizeof(*b->place)))
		return -ENOMEM;
	b->place[b->n++] = (struct hierarchy_place){ node, total };
	return 0;
}

/* For qsort(), which has no argument of its own. */
static const struct hierarchy *sorted;

static uint32_t function_of(const struct hierarchy_place *p)
{
	return sorted->tree.node[p->node].function;
}

static int by_function(const void *a, const void *b)
{
	const struct hierarchy_place *x = a, *y = b;
	const uint32_t f = function_of(x), g = function_of(y);

	/* the root has no function, and is not an unknown one */
	if (!x->node != !y->node)
		return x->node ? 1 : -1;
	if (f != g)
		return f < g ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static int by_share(const void *a, const void *b)
{
	const struct hierarchy_row *x = a, *y = b;
	const bool self = sorted->by_self && x->kind == HIERARCHY_FUNCTION;
	const uint64_t m = self ? x->self : x->total, n = self ? y->self : y->total;
	int order;

	if (m != n)
		return m > n ? -1 : 1;
	order = strcmp(hierarchy_name(sorted, x), hierarchy_name(sorted, y));
	return order ? order : x->function < y->function ? -1 : x->function > y->function;
}

/* Sums of a row. */
static void sum_up(const struct hierarchy *h, struct hierarchy_row *row)
{
	const struct call_tree *t = &h->tree;
	const bool caller = row->kind == HIERARCHY_CALLER;

	for (size_t i = 0; i < row->n_place; i++) {
		const struct call_node *n = &t->node[row->place[i].node];

		row->total = count_sum(row->total, row->place[i].total);
		if (caller)
			continue;
		row->self = count_sum(row->self, n->self);
		row->calls = count_sum(row->calls, n->calls);
	}
}

/* Does nothing lead to the caller, or does the callee call nothing? */
static bool is_leaf(const struct hierarchy *h, const struct hierarchy_row *row)
{
	if (row->kind == HIERARCHY_CALLER)
		return !row->node;
	for (size_t i = 0; i < row->n_place && row->kind == HIERARCHY_CALLEE; i++)
		if (h->tree.node[row->place[i].node].child)
			return false;
	return row->kind == HIERARCHY_CALLEE;
}

static int make_row(const struct hierarchy *h, struct batch *b, size_t first, size_t end,
		    const struct hierarchy_row *like)
{
	struct hierarchy_row row = *like;

	row.n_place = end - first;
	row.place = malloc(row.n_place * sizeof(*row.place));
	if (!row.place)
		return -ENOMEM;
	memcpy(row.place, b->place + first, row.n_place * sizeof(*row.place));
	row.node = row.place[0].node;
	row.function = h->tree.node[row.node].function;
	sum_up(h, &row);
	row.leaf = is_leaf(h, &row);
	b->row[b->n_row++] = row;
	return 0;
}

/* One row for each function of @b's places, each like @like, sorted. */
static int make_rows(const struct hierarchy *h, struct batch *b, const struct hierarchy_row *like)
{
	size_t first = 0;
	int err = 0;

	b->row = calloc(b->n + 1, sizeof(*b->row));
	if (!b->row)
		return -ENOMEM;
	sorted = h;
	if (b->n)
		qsort(b->place, b->n, sizeof(*b->place), by_function);
	for (size_t i = 1; i <= b->n && !err; i++) {
		if (i < b->n && function_of(&b->place[i]) == function_of(&b->place[first]) &&
		    !b->place[i].node == !b->place[first].node)
			continue;
		err = make_row(h, b, first, i, like);
		first = i;
	}
	if (b->n_row)
		qsort(b->row, b->n_row, sizeof(*b->row), by_share);
	return err;
}

static void fini_rows(struct hierarchy_row *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(row[i].place);
}

/* Puts the rows of @b into the list at @at, and takes them over. */
static int insert(struct hierarchy *h, size_t at, struct batch *b)
{
	if (!b->n_row)
		return 0;
	while (h->n + b->n_row > h->size)
		if (!array_room(&h->row, h->size, &h->size, sizeof(*h->row)))
			return -ENOMEM;
	memmove(h->row + at + b->n_row, h->row + at, (h->n - at) * sizeof(*h->row));
	memcpy(h->row + at, b->row, b->n_row * sizeof(*h->row));
	h->n += b->n_row;
	b->n_row = 0;
	return 0;
}

static void fini_batch(struct batch *b)
{
	if (b->row)
		fini_rows(b->row, b->n_row);
	free(b->row);
	free(b->place);
}

/* ---------------------------------------------------------------- functions */

/* Is there anything of the function in what was chosen? */
static bool is_chosen(const struct hierarchy *h, uint32_t node)
{
	return !h->tree.node[node].thread &&
	       (h->dso == CONTEXT_NOWHERE || dso_of(&h->tree, node) == h->dso) &&
	       (!h->wants || h->wants(h->ctx, h->tree.node[node].function)) &&
	       (!h->thread || in_thread(h, node));
}

int hierarchy_again(struct hierarchy *h)
{
	const struct hierarchy_row like = { .kind = HIERARCHY_FUNCTION };
	struct batch b = { 0 };
	int err = 0;

	fini_rows(h->row, h->n);
	h->n = 0;
	h->all = h->thread ? 0 : h->tree.n ? h->tree.node[0].total : 0;
	for (size_t i = 1; i < h->tree.n && !err; i++) {
		const struct call_node *n = &h->tree.node[i];

		if (h->thread && n->thread == h->thread)
			h->all = n->total;
		if (is_chosen(h, i))
			err = add(&b, i, is_recursive(&h->tree, i) ? 0 : n->total);
	}
	if (!err)
		err = make_rows(h, &b, &like);
	if (!err)
		err = insert(h, 0, &b);
	fini_batch(&b);
	return err;
}

int hierarchy_new(struct hierarchy *h, const struct contexts *contexts)
{
	int err;

	*h = (struct hierarchy){ .dso = CONTEXT_NOWHERE };
	err = call_tree_read(&h->tree, contexts, true);
	return err ? err : hierarchy_again(h);
}

void hierarchy_fini(struct hierarchy *h)
{
	fini_rows(h->row, h->n);
	free(h->row);
	call_tree_fini(&h->tree);
}

/* ---------------------------------------------------------------- open and close */

static int add_callers(const struct hierarchy *h, const struct hierarchy_row *row, struct batch *b)
{
	int err = 0;

	for (size_t i = 0; i < row->n_place && !err; i++)
		if (row->place[i].total)
			err = add(b, caller_of(&h->tree, row->place[i].node), row->place[i].total);
	return err;
}

static int add_callees(const struct hierarchy *h, const struct hierarchy_row *row, struct batch *b)
{
	const struct call_node *node = h->tree.node;
	int err = 0;

	for (size_t i = 0; i < row->n_place; i++)
		for (uint32_t c = node[row->place[i].node].child; c && !err; c = node[c].next)
			err = add(b, c, node[c].total);
	return err;
}

/* The two headings below a function, which are open. */
static int open_function(struct hierarchy *h, size_t i)
{
	static const enum hierarchy_kind kinds[] = { HIERARCHY_CALLEES, HIERARCHY_CALLERS };
	int err = 0;

	for (size_t k = 0; k < 2 && !err; k++) {
		const struct hierarchy_row *row = &h->row[i];
		struct hierarchy_row heading = {
			.kind = kinds[k], .depth = row->depth + 1, .node = row->node,
			.function = row->function, .total = row->total, .n_place = row->n_place,
		};
		struct batch b = { .n_row = 1, .row = &heading };

		heading.place = malloc(row->n_place * sizeof(*row->place));
		if (!heading.place)
			return -ENOMEM;
		memcpy(heading.place, row->place, row->n_place * sizeof(*row->place));
		err = insert(h, i + 1, &b);
		if (err)
			free(heading.place);
		else
			err = hierarchy_toggle(h, i + 1);
	}
	return err;
}

static int open_row(struct hierarchy *h, size_t i)
{
	const struct hierarchy_row row = h->row[i];
	const bool up = row.kind == HIERARCHY_CALLERS || row.kind == HIERARCHY_CALLER;
	const struct hierarchy_row like = {
		.kind = up ? HIERARCHY_CALLER : HIERARCHY_CALLEE, .depth = row.depth + 1,
	};
	struct batch b = { 0 };
	int err = up ? add_callers(h, &row, &b) : add_callees(h, &row, &b);

	if (!err)
		err = make_rows(h, &b, &like);
	if (!err) {
		h->row[i].leaf = !b.n_row;
		err = insert(h, i + 1, &b);
	}
	fini_batch(&b);
	return err;
}

static void close_row(struct hierarchy *h, size_t i)
{
	size_t end = i + 1;

	while (end < h->n && h->row[end].depth > h->row[i].depth)
		end++;
	fini_rows(h->row + i + 1, end - i - 1);
	memmove(h->row + i + 1, h->row + end, (h->n - end) * sizeof(*h->row));
	h->n -= end - i - 1;
}

int hierarchy_toggle(struct hierarchy *h, size_t i)
{
	struct hierarchy_row *row = &h->row[i];

	if (row->leaf)
		return 0;
	row->open = !row->open;
	if (!row->open)
		close_row(h, i);
	else
		return row->kind == HIERARCHY_FUNCTION ? open_function(h, i) : open_row(h, i);
	return 0;
}

int hierarchy_open_below(struct hierarchy *h, size_t i)
{
	const uint16_t depth = h->row[i].depth;
	const size_t before = h->n;
	int err = 0;

	for (size_t at = i; !err && at < h->n && (at == i || h->row[at].depth > depth); at++) {
		if (h->n - before >= HIERARCHY_ROWS)
			return 1;
		if (!h->row[at].open)
			err = hierarchy_toggle(h, at);
	}
	return err;
}

size_t hierarchy_above(const struct hierarchy *h, size_t i)
{
	size_t at = i;

	while (at && h->row[at].depth >= h->row[i].depth)
		at--;
	return h->row[at].depth < h->row[i].depth ? at : i;
}

/* ---------------------------------------------------------------- words */

const char *hierarchy_name(const struct hierarchy *h, const struct hierarchy_row *row)
{
	if (row->kind == HIERARCHY_CALLERS)
		return "called by";
	if (row->kind == HIERARCHY_CALLEES)
		return "calls";
	return row->node ? call_tree_name(&h->tree, row->node) : "no known caller";
}

uint32_t hierarchy_dso(const struct hierarchy *h, const struct hierarchy_row *row)
{
	return row->function ? h->tree.contexts->function[row->function].dso : CONTEXT_NOWHERE;
}

static int by_total(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct call_node *node = sorted->tree.node;

	if (node[x].total != node[y].total)
		return node[x].total > node[y].total ? -1 : 1;
	return node[x].thread < node[y].thread ? -1 : node[x].thread > node[y].thread;
}

long hierarchy_threads(const struct hierarchy *h, uint32_t **node)
{
	size_t n = 0;

	*node = malloc((h->tree.n + 1) * sizeof(**node));
	if (!*node)
		return -ENOMEM;
	for (size_t i = 1; i < h->tree.n; i++)
		if (h->tree.node[i].thread)
			(*node)[n++] = i;
	sorted = h;
	if (n)
		qsort(*node, n, sizeof(**node), by_total);
	return n;
}
