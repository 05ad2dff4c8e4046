// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "../../perf-plugin/array.h"
#include "page-tree.h"

/* Nodes that a browser shows at once */
#define NODES_MAX	16000

void page_number(FILE *f, uint64_t n)
{
	const char *quote = n >> 53 ? "\"" : "";

	fprintf(f, "%s%" PRIu64 "%s", quote, n, quote);
}

void page_numbers(FILE *f, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", f);
		page_number(f, v[i]);
	}
}

/* ---------------------------------------------------------------- making it */

static uint64_t hash_of(const struct page_node *k)
{
	return hash_mix(0, (uint64_t)k->parent << 32 | k->frame);
}

/* Return: the node of @frame under @parent; 0: no memory. */
static uint32_t find(struct page_tree *t, uint32_t parent, uint32_t frame)
{
	const struct page_node key = { .parent = parent, .frame = frame };
	uint32_t *slot;

	if (!array_room(&t->node, t->n, &t->size, sizeof(*t->node)) ||
	    !HASH_ROOM(&t->by_key, t->n - 1, 1, i, hash_of(&t->node[i])))
		return 0;
	slot = HASH_SLOT(&t->by_key, hash_of(&key), i,
			 t->node[i].parent == parent && t->node[i].frame == frame);
	if (!*slot) {
		t->node[t->n] = key;
		*slot = t->n++;
	}
	return *slot;
}

/* Adds node @i of @c, whose caller was added before. */
static int add(struct page_tree *t, const struct contexts *c, size_t i, int side)
{
	const struct context_node *from = &c->node[i];
	const bool thread = from->kind == CONTEXT_THREAD || from->kind == CONTEXT_ROOT;
	struct page_node *to;

	t->of[i] = thread ? 0 : find(t, t->of[from->parent], t->frame_of[from->function]);
	if (!thread && !t->of[i])
		return -ENOMEM;
	to = &t->node[t->of[i]];
	to->self[side] = count_sum(to->self[side], from->insns);
	if (!thread)
		to->calls[side] = count_sum(to->calls[side], from->calls);
	return 0;
}

int page_tree_add(struct page_tree *t, const struct contexts *c, int side)
{
	int err = 0;

	free(t->of);
	free(t->frame_of);
	t->frame_of = calloc(c->n_function + 1, sizeof(*t->frame_of));
	t->of = calloc(c->n + 1, sizeof(*t->of));
	if (!t->frame_of || !t->of || !array_room(&t->node, t->n, &t->size, sizeof(*t->node)))
		err = -ENOMEM;
	if (!err && !t->n)
		t->node[t->n++] = (struct page_node){ 0 };
	for (size_t i = 0; i < c->n_function && !err; i++) {
		t->frame_of[i] = page_frame_of_function(t->frames, c, i);
		err = t->frame_of[i] ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < c->n && !err; i++)
		err = add(t, c, i, side);
	return err;
}

void page_tree_fini(struct page_tree *t)
{
	free(t->node);
	free(t->of);
	free(t->frame_of);
	free(t->by_key.slot);
}

/* ---------------------------------------------------------------- order */

/* For sorting: of both sides */
struct weight {
	uint64_t total;
	uint32_t node;
};

static int by_total(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void add_totals(struct page_tree *t)
{
	for (size_t i = 0; i < t->n; i++)
		for (int side = 0; side < 2; side++)
			t->node[i].total[side] = t->node[i].self[side];
	for (size_t i = t->n; i-- > 1;)
		for (int side = 0; side < 2; side++) {
			uint64_t *above = &t->node[t->node[i].parent].total[side];

			*above = count_sum(*above, t->node[i].total[side]);
		}
}

/*
 * Keeps the largest nodes, and links them under their callers.  A caller has at least the total of
 * its callee, and a smaller number, so it is kept, too.
 */
static int arrange(struct page_tree *t)
{
	struct weight *weight = calloc(t->n, sizeof(*weight));

	if (!weight)
		return -ENOMEM;
	add_totals(t);
	for (size_t i = 0; i < t->n; i++)
		weight[i] = (struct weight){
			count_sum(t->node[i].total[0], t->node[i].total[1]), i };
	qsort(weight, t->n, sizeof(*weight), by_total);
	/* the smallest first, each in front of the larger ones */
	for (size_t i = t->n < NODES_MAX ? t->n : NODES_MAX; i-- > 0;) {
		struct page_node *n = &t->node[weight[i].node];

		n->kept = true;
		if (n == t->node)
			continue;
		n->next = t->node[n->parent].child;
		t->node[n->parent].child = weight[i].node;
	}
	free(weight);
	return 0;
}

/* ---------------------------------------------------------------- printing */

/**
 * struct column - lists that are printed one by one
 * @depth, @frame, @self, @calls: by place
 */
struct column {
	uint32_t depth, frame;
	uint64_t self[2], calls[2];
};

struct columns {
	struct column *row;
	size_t n, size;
};

static int put(struct columns *c, const struct column *row)
{
	if (!array_room(&c->row, c->n, &c->size, sizeof(*c->row)))
		return -ENOMEM;
	c->row[c->n++] = *row;
	return 0;
}

/* Puts node @i, and the rest of its callees if there is one. */
static int put_node(struct page_tree *t, struct columns *c, uint32_t i, uint32_t depth)
{
	struct page_node *n = &t->node[i];
	struct column row = {
		.depth = depth, .frame = i ? page_frame_use(t->frames, n->frame) : 0,
		.self = { n->self[0], n->self[1] }, .calls = { n->calls[0], n->calls[1] },
	};
	uint64_t rest[2];
	int err;

	n->place = c->n;
	err = put(c, &row);
	for (int side = 0; side < 2; side++) {
		rest[side] = n->total[side] - n->self[side];
		for (uint32_t k = n->child; k; k = t->node[k].next)
			rest[side] -= t->node[k].total[side];
	}
	if (err || !(rest[0] | rest[1]))
		return err;
	n->rest = c->n;
	row = (struct column){ .depth = depth + 1, .self = { rest[0], rest[1] } };
	return put(c, &row);
}

/* Callers first, and the larger of two callees. */
static int put_all(struct page_tree *t, struct columns *c)
{
	uint32_t i = 0, depth = 0;
	int err = put_node(t, c, 0, 0);

	while (!err) {
		if (t->node[i].child) {
			i = t->node[i].child;
			depth++;
		} else {
			while (i && !t->node[i].next) {
				i = t->node[i].parent;
				depth--;
			}
			if (!i)
				break;
			i = t->node[i].next;
		}
		err = put_node(t, c, i, depth);
	}
	/* what is left out is in the rest of a caller */
	for (i = 1; i < t->n; i++) {
		const struct page_node *parent = &t->node[t->node[i].parent];

		if (!t->node[i].kept)
			t->node[i].place = parent->kept ? parent->rest : parent->place;
	}
	return err;
}

static void print_calls(FILE *f, const struct columns *c, int side)
{
	fprintf(f, ",\n\"self%d\":[", side);
	for (size_t i = 0; i < c->n; i++) {
		fputs(i ? "," : "", f);
		page_number(f, c->row[i].self[side]);
	}
	fprintf(f, "],\n\"calls%d\":[", side);
	for (size_t i = 0; i < c->n; i++) {
		fputs(i ? "," : "", f);
		page_number(f, c->row[i].calls[side]);
	}
	fprintf(f, "]");
}

/* Nodes that are left out: the most of one, and the sum, of both sides. */
static void print_cut(const struct page_tree *t, FILE *f)
{
	uint64_t cut[3] = { 0 };

	for (size_t i = 1; i < t->n; i++) {
		const struct page_node *n = &t->node[i];
		const uint64_t total = count_sum(n->total[0], n->total[1]);

		if (n->kept)
			continue;
		cut[0]++;
		cut[1] = total > cut[1] ? total : cut[1];
		if (t->node[n->parent].kept)
			cut[2] = count_sum(cut[2], total);
	}
	fprintf(f, ",\n\"cut\":[");
	page_numbers(f, cut, 3);
	fprintf(f, "]");
}

int page_tree_print(struct page_tree *t, FILE *f, int sides)
{
	struct columns c = { 0 };
	int err = arrange(t);

	if (!err)
		err = put_all(t, &c);
	t->n_place = c.n;
	fprintf(f, "{\"depth\":[");
	for (size_t i = 0; i < c.n; i++)
		fprintf(f, "%s%" PRIu32, i ? "," : "", c.row[i].depth);
	fprintf(f, "],\n\"frame\":[");
	for (size_t i = 0; i < c.n; i++)
		fprintf(f, "%s%" PRIu32, i ? "," : "", c.row[i].frame);
	fprintf(f, "]");
	for (int side = 0; side < sides; side++)
		print_calls(f, &c, side);
	print_cut(t, f);
	fprintf(f, "}");
	free(c.row);
	return err;
}
