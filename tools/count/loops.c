// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source: for components, Tarjan: Depth-First Search and Linear Graph Algorithms (1972); for inner
 * loops, Steensgaard: Sequentializing Program Dependence Graphs for Irreducible Programs (1993).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/lower-bound.h"
#include "../../perf-plugin/array.h"
#include "loops.h"

/**
 * struct node - instructions executed one after another
 * @start: offset; it ends at the next node
 * @ran: how often
 * @isa: enum csf_isa
 * @region: the same for all nodes among which components are looked for; 0: none
 * @component: its component in the region
 * @seen: number in the order of the walk, 0: not yet seen; @low: the first one that it leads to
 * @next: its next way to walk
 * @is_in: a way into the current loop; @led_in: or into an earlier one
 * @loop: the innermost one found so far: index + 1
 */
struct node {
	uint64_t start, ran;
	uint8_t isa;
	bool is_in, led_in;
	uint32_t loop;
	uint32_t region, component, seen, low;
	size_t next;
};

/* @called: it leads past a call, and it is unknown how often that returned. */
struct way {
	uint32_t from, to;
	uint64_t count;
	bool called;
};

/*
 * @n nodes of struct graph.member, from @first on: inside @depth loops, without ways in; @loop is
 * the innermost of these, index + 1.
 */
struct region {
	size_t first, n;
	uint32_t depth, loop;
};

/**
 * struct graph - of a function
 * @node: @n_node, by offset, and one after the last
 * @way: @n_way, by @from
 * @back: the same ones by @to
 * @member: nodes; those of a region and of a component are adjacent
 * @open: nodes of incomplete components; @path: of the walk
 * @region: regions that are still to be searched
 */
struct graph {
	const struct hot_edges *edges;
	const struct count_dso *d;
	uint64_t start, end;
	struct node *node;
	struct way *way, *back;
	uint32_t *member, *open, *path;
	struct region *region;
	size_t n_node, size_node, n_way, size_way, n_open, n_region, size_region;
	uint32_t n_seen, n_component, n_round;
};

/* ---------------------------------------------------------------- nodes */

static size_t first_block(const struct count_dso *d, uint64_t offset)
{
	size_t i = 0, n = d->n_block;

	offset = offset > COUNT_SIZE_MAX ? offset - COUNT_SIZE_MAX : 0;
	while (n) {
		if (d->block[i + n / 2].start < offset) {
			i += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n /= 2;
		}
	}
	return i;
}

static uint64_t end_of(const struct graph *g, const struct count_block *b)
{
	return g->end - b->start > b->size ? b->start + b->size : g->end;
}

static bool add_node(struct graph *g, uint64_t start, uint8_t isa)
{
	if (!array_room(&g->node, g->n_node, &g->size_node, sizeof(*g->node)))
		return false;
	g->node[g->n_node++] = (struct node){ .start = start, .isa = isa };
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* The node at @offset, or the one after it. */
static uint32_t node_at(const struct graph *g, uint64_t offset)
{
	size_t i = 0, n = g->n_node;

	while (n) {
		if (g->node[i + n / 2].start < offset) {
			i += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n /= 2;
		}
	}
	return i;
}

/* Nodes begin and end where blocks do. */
static int read_nodes(struct graph *g)
{
	size_t n = 0;

	for (size_t i = first_block(g->d, g->start);
	     i < g->d->n_block && g->d->block[i].start < g->end; i++) {
		const struct count_block *b = &g->d->block[i];
		uint64_t start = b->start < g->start ? g->start : b->start;

		if (b->size <= start - b->start)
			continue;
		if (!add_node(g, start, b->isa) || !add_node(g, end_of(g, b), b->isa))
			return -ENOMEM;
	}
	if (g->n_node)
		qsort(g->node, g->n_node, sizeof(*g->node), by_start);
	for (size_t i = 0; i < g->n_node; i++)
		if (!n || g->node[n - 1].start != g->node[i].start)
			g->node[n++] = g->node[i];
	g->n_node = n;
	for (size_t i = first_block(g->d, g->start);
	     i < g->d->n_block && g->d->block[i].start < g->end; i++) {
		const struct count_block *b = &g->d->block[i];
		uint32_t last = node_at(g, end_of(g, b));

		for (uint32_t k = node_at(g, b->start < g->start ? g->start : b->start);
		     k < last && b->size > g->node[k].start - b->start; k++) {
			g->node[k].ran = count_sum(g->node[k].ran, count_ran(b));
			g->node[k].isa = b->isa;
		}
	}
	return 0;
}

/* ---------------------------------------------------------------- ways */

static bool add_way(struct graph *g, const struct way *way)
{
	if (!array_room(&g->way, g->n_way, &g->size_way, sizeof(*g->way)))
		return false;
	g->way[g->n_way++] = *way;
	return true;
}

/* Adds ways from node to node inside a block, and past its end. */
static int add_straight(struct graph *g, const struct count_block *b)
{
	uint32_t last = node_at(g, end_of(g, b)), k;
	bool calls = b->flags & CSF_FLAG_LINK && !(b->flags & CSF_FLAG_CUT) && b->taken;
	struct way way = { .count = count_ran(b) };

	k = node_at(g, b->start < g->start ? g->start : b->start);
	if (k >= last)
		return 0;
	for (; k + 1 < last; k++) {
		way.from = k;
		way.to = k + 1;
		if (!add_way(g, &way))
			return -ENOMEM;
	}
	if (b->size != end_of(g, b) - b->start || !(b->passed || calls) || !g->node[last].ran)
		return 0;
	way = (struct way){ .from = k, .to = last, .count = b->passed, .called = calls };
	return add_way(g, &way) ? 0 : -ENOMEM;
}

/* Adds branches that stay in the function and neither call nor return. */
static int add_branch(struct graph *g, const struct count_edge *e)
{
	uint32_t from = node_at(g, e->from), to = node_at(g, e->to);
	struct way way = { .to = to, .count = e->count };

	if (e->dso != g->edges->dso || e->to < g->start || e->to >= g->end ||
	    e->flags & (CSF_FLAG_LINK | CSF_FLAG_RET | CSF_FLAG_ERET))
		return 0;
	/* it is the last instruction of its node, which may begin there */
	if (from == g->n_node || g->node[from].start != e->from) {
		if (!from)
			return 0;
		from--;
	}
	if (!g->node[from].ran || to == g->n_node || g->node[to].start != e->to || !g->node[to].ran)
		return 0;
	way.from = from;
	return add_way(g, &way) ? 0 : -ENOMEM;
}

static int by_from(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static int by_to(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	return x->to < y->to ? -1 : x->to > y->to;
}

static int read_ways(struct graph *g)
{
	const struct hot_edges *e = g->edges;
	size_t n;
	int err = 0;

	for (size_t i = first_block(g->d, g->start);
	     i < g->d->n_block && g->d->block[i].start < g->end && !err; i++)
		err = add_straight(g, &g->d->block[i]);
	for (n = LOWER_BOUND(e->n, i, e->edge[i].from < g->start);
	     n < e->n && e->edge[n].from < g->end && !err; n++)
		if (e->edge[n].from >= g->start)
			err = add_branch(g, &e->edge[n]);
	if (err || !g->n_way)
		return err;
	qsort(g->way, g->n_way, sizeof(*g->way), by_from);
	n = 0;
	for (size_t i = 0; i < g->n_way; i++) {
		struct way *last = n ? &g->way[n - 1] : NULL;

		if (last && !by_from(last, &g->way[i])) {
			last->count = count_sum(last->count, g->way[i].count);
			last->called |= g->way[i].called;
		} else {
			g->way[n++] = g->way[i];
		}
	}
	g->n_way = n;
	g->back = malloc(n * sizeof(*g->back));
	if (!g->back)
		return -ENOMEM;
	memcpy(g->back, g->way, n * sizeof(*g->back));
	qsort(g->back, n, sizeof(*g->back), by_to);
	return 0;
}

static size_t first_way(const struct way *way, size_t n, uint32_t node, bool to)
{
	size_t i = 0;

	while (n) {
		uint32_t at = to ? way[i + n / 2].to : way[i + n / 2].from;

		if (at < node) {
			i += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n /= 2;
		}
	}
	return i;
}

/* ---------------------------------------------------------------- components */

static void visit(struct graph *g, size_t *depth, uint32_t at)
{
	struct node *n = &g->node[at];

	n->seen = ++g->n_seen;
	n->low = n->seen;
	n->next = first_way(g->way, g->n_way, at, false);
	n->component = 0;
	g->open[g->n_open++] = at;
	g->path[(*depth)++] = at;
}

/* All open nodes from @at on are a component: they are next in the order of members. */
static void close_component(struct graph *g, uint32_t at, size_t *n)
{
	uint32_t member;

	g->n_component++;
	do {
		member = g->open[--g->n_open];
		g->node[member].component = g->n_component;
		g->member[(*n)++] = member;
	} while (member != at);
}

/*
 * Sorts the members of a region by component.  Open nodes lead to nodes on the path; unseen members
 * come after those that were seen, which were moved to their places.
 */
static void walk(struct graph *g, uint32_t root, size_t *n)
{
	size_t depth = 0;

	visit(g, &depth, root);
	while (depth) {
		uint32_t at = g->path[depth - 1];
		struct node *node = &g->node[at];

		if (node->next < g->n_way && g->way[node->next].from == at) {
			uint32_t to_number = g->way[node->next++].to;
			struct node *to = &g->node[to_number];

			if (to->region != node->region)
				continue;
			if (!to->seen)
				visit(g, &depth, to_number);
			else if (!to->component && to->seen < node->low)
				node->low = to->seen;
			continue;
		}
		depth--;
		if (depth && node->low < g->node[g->path[depth - 1]].low)
			g->node[g->path[depth - 1]].low = node->low;
		if (node->low == node->seen)
			close_component(g, at, n);
	}
}

/* ---------------------------------------------------------------- loops */

static uint64_t insns_of(const struct graph *g, const struct node *n)
{
	return count_times(n->ran, hot_insns(g->edges->places, g->edges->dso, n->start,
					     n[1].start - n->start, n->isa));
}

/* How often execution entered a component at a node; *@is_in: it did. */
static uint64_t entries_of(const struct graph *g, uint32_t at, bool *is_in)
{
	const struct node *n = &g->node[at];
	uint64_t inside = 0, outside = 0;
	bool called = false;

	*is_in = n->start == g->start;
	for (size_t i = first_way(g->back, g->n_way, at, true);
	     i < g->n_way && g->back[i].to == at; i++) {
		const struct way *w = &g->back[i];

		if (g->node[w->from].component == n->component) {
			inside = count_sum(inside, w->count);
			called |= w->called;
		} else {
			outside = count_sum(outside, w->count);
			*is_in = true;
		}
	}
	if (called)
		return outside;
	return inside < n->ran ? n->ran - inside : 0;
}

static bool goes_round(const struct graph *g, const uint32_t *member, size_t n)
{
	if (n > 1)
		return true;
	for (size_t i = first_way(g->way, g->n_way, *member, false);
	     i < g->n_way && g->way[i].from == *member; i++)
		if (g->way[i].to == *member)
			return true;
	return false;
}

/* The end of the last way back to a way in. */
static uint64_t end_of_loop(const struct graph *g, const uint32_t *member, size_t n)
{
	uint64_t end = 0;

	for (size_t i = 0; i < n; i++) {
		const struct node *from = &g->node[member[i]];

		for (size_t k = first_way(g->way, g->n_way, member[i], false);
		     k < g->n_way && g->way[k].from == member[i]; k++) {
			const struct node *to = &g->node[g->way[k].to];

			if (to->component == from->component && to->is_in && from[1].start > end)
				end = from[1].start;
		}
	}
	return end;
}

static void add_way_in(struct graph *g, struct loop *loop, uint32_t at, uint64_t entries)
{
	struct node *n = &g->node[at];

	n->is_in = true;
	if (!loop->ways_in++ || n->start < loop->header)
		loop->header = n->start;
	loop->entries = count_sum(loop->entries, entries);
	loop->trips = count_sum(loop->trips, n->ran);
}

/* A component is a loop; the rest, without its ways in, may have further loops. */
static int add_loop(struct loops *loops, struct graph *g, const struct region *r)
{
	struct loop loop = { .dso = g->edges->dso, .depth = r->depth, .parent = r->loop };
	uint32_t *member = g->member + r->first, first = *member;
	struct region rest = { .first = r->first, .depth = r->depth + 1 };

	for (size_t i = 0; i < r->n; i++) {
		bool is_in;
		uint64_t entries = entries_of(g, member[i], &is_in);

		if (g->node[member[i]].start < g->node[first].start)
			first = member[i];
		if (is_in)
			add_way_in(g, &loop, member[i], entries);
		loop.insns = count_sum(loop.insns, insns_of(g, &g->node[member[i]]));
	}
	/* the trace begins in it, or it is called, which is not a way in without symbols */
	if (!loop.ways_in)
		add_way_in(g, &loop, first, entries_of(g, first, &(bool){ false }));
	loop.end = end_of_loop(g, member, r->n);
	if (!array_room(&loops->loop, loops->n, &loops->size, sizeof(loop)) ||
	    !array_room(&g->region, g->n_region, &g->size_region, sizeof(rest)))
		return -ENOMEM;
	loops->loop[loops->n++] = loop;
	rest.loop = loops->n;
	for (size_t i = 0; i < r->n; i++) {
		struct node *node = &g->node[member[i]];

		node->loop = loops->n;
		node->led_in = node->is_in;
		if (!node->is_in)
			member[rest.n++] = member[i];
		node->is_in = false;
		node->region = 0;
	}
	if (rest.n)
		g->region[g->n_region++] = rest;
	return 0;
}

static int look_at_region(struct loops *loops, struct graph *g, const struct region *r)
{
	uint32_t *member = malloc(r->n * sizeof(*member));
	size_t n = r->first;
	int err = 0;

	if (!member)
		return -ENOMEM;
	memcpy(member, g->member + r->first, r->n * sizeof(*member));
	g->n_round++;
	for (size_t i = 0; i < r->n; i++) {
		g->node[member[i]].region = g->n_round;
		g->node[member[i]].seen = 0;
	}
	for (size_t i = 0; i < r->n; i++)
		if (!g->node[member[i]].seen)
			walk(g, member[i], &n);
	free(member);
	for (size_t i = r->first; i < r->first + r->n && !err; i = n) {
		struct region one = { .first = i, .depth = r->depth, .loop = r->loop };

		for (n = i; n < r->first + r->n && g->node[g->member[n]].component ==
						   g->node[g->member[i]].component; n++)
			;
		one.n = n - i;
		if (goes_round(g, g->member + i, one.n))
			err = add_loop(loops, g, &one);
	}
	return err;
}

static int read_loops(struct loops *loops, struct graph *g)
{
	struct region all = { 0 };
	int err = 0;

	g->member = calloc(g->n_node, sizeof(*g->member));
	g->open = calloc(g->n_node, sizeof(*g->open));
	g->path = calloc(g->n_node, sizeof(*g->path));
	if (!g->member || !g->open || !g->path ||
	    !array_room(&g->region, 0, &g->size_region, sizeof(*g->region)))
		return -ENOMEM;
	for (size_t i = 0; i < g->n_node; i++)
		if (g->node[i].ran)
			g->member[all.n++] = i;
	g->region[g->n_region++] = all;
	while (g->n_region && !err) {
		struct region r = g->region[--g->n_region];

		err = look_at_region(loops, g, &r);
	}
	return err;
}

static int add_nodes(struct loops *loops, const struct graph *g)
{
	for (size_t i = 0; i < g->n_node; i++) {
		const struct node *n = &g->node[i];

		if (!n->loop)
			continue;
		if (!array_room(&loops->node, loops->n_node, &loops->size_node,
				sizeof(*loops->node)))
			return -ENOMEM;
		/* the last one ends a block, and is in no loop */
		loops->node[loops->n_node++] = (struct loop_node){
			.dso = g->edges->dso, .start = n->start, .end = n[1].start,
			.loop = n->loop, .is_in = n->led_in,
		};
	}
	return 0;
}

int loops_add(struct loops *loops, const struct hot_edges *edges, uint64_t start, uint64_t end)
{
	struct graph g = { .edges = edges, .d = &edges->places->table->dso[edges->dso],
			   .start = start, .end = end };
	int err = read_nodes(&g);

	if (!err && g.n_node)
		err = read_ways(&g);
	if (!err && g.n_way)
		err = read_loops(loops, &g);
	if (!err)
		err = add_nodes(loops, &g);
	free(g.node);
	free(g.way);
	free(g.back);
	free(g.member);
	free(g.open);
	free(g.path);
	free(g.region);
	return err;
}

void loops_fini(struct loops *loops)
{
	free(loops->loop);
	free(loops->node);
	*loops = (struct loops){ 0 };
}
