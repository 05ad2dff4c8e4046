// SPDX-License-Identifier: GPL-2.0-only
/* Instructions of nodes by thread, CPU and time. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../lib/json.h"
#include "page-tree.h"

/* Entries in a page, threads with entries of their own, and the fewest bins of time */
#define ENTRIES_MAX	60000
#define THREADS_MAX	400
#define BINS_LEAST	32

/* Instructions of a node of the page */
struct entry {
	uint32_t place;
	uint16_t thread, cpu, bin;
	uint64_t insns;
};

/* A thread: its node in the contexts */
struct thread {
	uint32_t node;
	uint64_t insns;
};

/**
 * struct shares - the lists
 * @thread: @n_thread of them, the one with most instructions first
 * @thread_of: by node of the contexts, the node of its thread, and then the thread's number
 * @folds: how often two bins were made one
 */
struct shares {
	const struct page_tree *tree;
	const struct contexts *contexts;
	struct entry *entry;
	size_t n, size;
	struct thread *thread;
	size_t n_thread;
	uint32_t *thread_of;
	unsigned int folds;
};

/* ---------------------------------------------------------------- threads */

static int by_insns(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	if (x->insns != y->insns)
		return x->insns > y->insns ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static int find_threads(struct shares *s)
{
	const struct contexts *c = s->contexts;
	uint32_t *number = calloc(c->n + 1, sizeof(*number));

	s->thread = calloc(c->n + 1, sizeof(*s->thread));
	s->thread_of = calloc(c->n + 1, sizeof(*s->thread_of));
	if (!number || !s->thread || !s->thread_of) {
		free(number);
		return -ENOMEM;
	}
	for (size_t i = 1; i < c->n; i++) {
		const struct context_node *n = &c->node[i];
		uint32_t at;

		if (n->kind == CONTEXT_THREAD) {
			number[i] = s->n_thread;
			s->thread[s->n_thread++].node = i;
		} else {
			number[i] = number[n->parent];
		}
		at = number[i];
		s->thread[at].insns = count_sum(s->thread[at].insns, n->insns);
		s->thread_of[i] = s->thread[at].node;
	}
	qsort(s->thread, s->n_thread, sizeof(*s->thread), by_insns);
	while (s->n_thread && !s->thread[s->n_thread - 1].insns)
		s->n_thread--;
	for (size_t i = 0; i < s->n_thread; i++)
		number[s->thread[i].node] = i;
	for (size_t i = 1; i < c->n; i++)
		s->thread_of[i] = number[s->thread_of[i]];
	free(number);
	return 0;
}

/* ---------------------------------------------------------------- entries */

static int by_place(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	const uint64_t p = (uint64_t)x->thread << 32 | (uint32_t)x->cpu << 16 | x->bin;
	const uint64_t q = (uint64_t)y->thread << 32 | (uint32_t)y->cpu << 16 | y->bin;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return p < q ? -1 : p > q;
}

/* Joins equal entries. */
static void join(struct shares *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->entry, s->n, sizeof(*s->entry), by_place);
	for (size_t i = 0; i < s->n; i++) {
		if (n && !by_place(&s->entry[n - 1], &s->entry[i]))
			s->entry[n - 1].insns = count_sum(s->entry[n - 1].insns,
							  s->entry[i].insns);
		else
			s->entry[n++] = s->entry[i];
	}
	s->n = n;
}

static int collect(struct shares *s)
{
	const struct context_shares *from = &s->contexts->shares;

	for (size_t i = 1; i < s->contexts->n && i < from->n_first; i++) {
		const uint32_t thread = s->thread_of[i];
		uint32_t at = from->first[i];

		for (; at; at = from->share[at].next) {
			const struct context_share *share = &from->share[at];

			if (!array_room(&s->entry, s->n, &s->size, sizeof(*s->entry)))
				return -ENOMEM;
			s->entry[s->n++] = (struct entry){
				.place = s->tree->node[s->tree->of[i]].place,
				.thread = thread < THREADS_MAX ? thread : THREADS_MAX,
				.cpu = share->cpu, .bin = share->bin, .insns = share->insns,
			};
		}
	}
	join(s);
	return 0;
}

/* A node of the page, by its place: its caller's place, and all instructions with callees. */
struct place {
	uint64_t total;
	uint32_t parent, number;
};

static int by_total(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Return: the nodes of the page by place; the caller frees them.  NULL: no memory. */
static struct place *list_places(const struct page_tree *t)
{
	struct place *list = calloc(t->n_place, sizeof(*list));

	for (size_t i = 0; list && i < t->n_place; i++)
		list[i].number = i;
	for (size_t i = 0; list && i < t->n; i++) {
		const struct page_node *n = &t->node[i];

		if (!n->kept)
			continue;
		list[n->place].total = n->total[0];
		list[n->place].parent = t->node[n->parent].place;
		if (n->rest)
			list[n->rest].parent = n->place;
	}
	return list;
}

/*
 * Moves the entries of all but the @n largest nodes to the rest of their callers, whose numbers
 * follow those of the nodes.  A caller is at least as large, and has a smaller number, as what it
 * calls, so the largest nodes are a tree.
 */
static void move_to_callers(struct shares *s, const struct place *place,
			    const struct place *largest, size_t n, uint32_t *to)
{
	const size_t n_place = s->tree->n_place;

	for (size_t i = 0; i < n_place; i++)
		to[i] = UINT32_MAX;
	for (size_t i = 0; i < n; i++)
		to[largest[i].number] = largest[i].number;
	for (size_t i = 1; i < n_place; i++) {
		const uint32_t above = to[place[i].parent];

		if (to[i] == UINT32_MAX)
			to[i] = above < n_place ? above + n_place : above;
	}
	for (size_t i = 0; i < s->n; i++) {
		struct entry *e = &s->entry[i];
		const bool rest = e->place >= n_place;
		const uint32_t of = rest ? e->place - n_place : e->place;

		/* the rest of a node that stays remains what it is */
		if (!rest || to[of] != of)
			e->place = to[of];
	}
	join(s);
}

/* Leaves out small nodes until there are few entries. */
static int cut(struct shares *s)
{
	size_t n = s->tree->n_place;
	struct place *place = list_places(s->tree), *largest = calloc(n, sizeof(*largest));
	uint32_t *to = calloc(n, sizeof(*to));
	const int err = place && largest && to ? 0 : -ENOMEM;

	if (!err) {
		memcpy(largest, place, n * sizeof(*largest));
		qsort(largest, n, sizeof(*largest), by_total);
	}
	while (!err && s->n > ENTRIES_MAX && n > 1) {
		n = n / 8 * 7 + !(n / 8);
		move_to_callers(s, place, largest, n, to);
	}
	free(place);
	free(largest);
	free(to);
	return err;
}

/* Fewer entries: longer bins of time, and then fewer nodes */
static int reduce(struct shares *s)
{
	while (s->n > ENTRIES_MAX && CONTEXT_BINS >> s->folds > BINS_LEAST) {
		for (size_t i = 0; i < s->n; i++)
			s->entry[i].bin /= 2;
		s->folds++;
		join(s);
	}
	return s->n > ENTRIES_MAX ? cut(s) : 0;
}

/* ---------------------------------------------------------------- printing */

static void print_threads(const struct shares *s, FILE *f)
{
	const struct contexts *c = s->contexts;

	fprintf(f, "\"threads\":[");
	for (size_t i = 0; i < s->n_thread && i < THREADS_MAX; i++) {
		const struct context_node *n = &c->node[s->thread[i].node];
		const char *name = c->function[n->function].name;

		fprintf(f, "%s[", i ? "," : "");
		json_string(f, name ? name : "[unknown]");
		fprintf(f, ",%" PRIu32 ",%" PRIu32 "]", (uint32_t)(n->site >> 32),
			(uint32_t)n->site);
	}
	fprintf(f, "],\n\"more_threads\":%zu,\n\"cpus\":[",
		s->n_thread > THREADS_MAX ? s->n_thread - THREADS_MAX : 0);
	for (size_t i = 0; i < c->shares.n_cpu; i++)
		fprintf(f, "%s%" PRIu32, i ? "," : "", c->shares.cpu[i]);
	fprintf(f, "],\n");
}

/* Each: how many nodes after the last one's, thread, CPU, bin, instructions */
static void print_entries(const struct shares *s, FILE *f)
{
	uint32_t last = 0;

	fprintf(f, "\"entries\":[");
	for (size_t i = 0; i < s->n; i++) {
		const struct entry *e = &s->entry[i];

		fprintf(f, "%s%" PRIu32 ",%u,%u,%u,", i ? "," : "", e->place - last, e->thread,
			e->cpu, e->bin);
		page_number(f, e->insns);
		last = e->place;
	}
	fprintf(f, "]");
}

int page_shares_print(const struct page_tree *t, const struct contexts *c, FILE *f)
{
	struct shares s = { .tree = t, .contexts = c };
	int err = find_threads(&s);

	if (!err)
		err = collect(&s);
	if (!err)
		err = reduce(&s);
	fprintf(f, "{");
	print_threads(&s, f);
	fprintf(f, "\"begin\":");
	page_number(f, c->shares.begin);
	fprintf(f, ",\"width\":");
	page_number(f, c->shares.width << s.folds);
	fprintf(f, ",\n");
	print_entries(&s, f);
	fprintf(f, "}");
	free(s.entry);
	free(s.thread);
	free(s.thread_of);
	return err;
}
