// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "count.h"

/* ---------------------------------------------------------------- order */

static int order_words(const uint64_t *a, const uint64_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

int count_dso_order(const struct count_dso *a, const struct count_dso *b)
{
	const uint64_t x[] = { a->kind, a->n_build_id }, y[] = { b->kind, b->n_build_id };
	int order = order_words(x, y, 2);

	if (!order)
		order = memcmp(a->build_id, b->build_id, a->n_build_id);
	return order || a->n_build_id ? order : strcmp(a->name, b->name);
}

/* Orders blocks that begin at one offset. */
static int order_alike(const struct count_block *a, const struct count_block *b)
{
	const uint64_t x[] = { a->size, a->isa, a->kind, a->flags, a->last_size, a->n_insn,
			       a->direct, a->target };
	const uint64_t y[] = { b->size, b->isa, b->kind, b->flags, b->last_size, b->n_insn,
			       b->direct, b->target };

	return order_words(x, y, 8);
}

int count_block_order(const struct count_block *a, const struct count_block *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return order_alike(a, b);
}

int count_edge_order(const struct count_edge *a, const struct count_edge *b)
{
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->dso != b->dso)
		return a->dso < b->dso ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

static int order_block(const void *p, const void *q)
{
	return count_block_order(p, q);
}

static int order_edge(const void *p, const void *q)
{
	return count_edge_order(p, q);
}

uint64_t count_dso_insns(const struct count_dso *dso)
{
	uint64_t n = 0;

	for (size_t i = 0; i < dso->n_block; i++)
		n = count_sum(n, count_times(count_ran(&dso->block[i]), dso->block[i].n_insn));
	return n;
}

/* ---------------------------------------------------------------- adding */

struct count_dso count_dso_of(const struct dso_key *key)
{
	struct count_dso dso = { .kind = key->kind, .name = (char *)key->name,
				 .program = key->program };
	size_t n = key->n_build_id < ELF_BUILD_ID_MAX ? key->n_build_id : ELF_BUILD_ID_MAX;

	/* Some tools add zeros at the end. */
	while (n && !key->build_id[n - 1])
		n--;
	dso.n_build_id = n;
	if (n)
		memcpy(dso.build_id, key->build_id, n);
	return dso;
}

long count_dso_find(struct count_table *table, const struct dso_key *key)
{
	const struct count_dso dso = count_dso_of(key);

	for (size_t i = 0; i < table->n; i++) {
		if (count_dso_order(&table->dso[i], &dso) || strcmp(table->dso[i].name, dso.name))
			continue;
		table->dso[i].program |= dso.program;
		return i;
	}
	return count_dso_add(table, key);
}

size_t count_dso_like(const struct count_table *table, const struct count_dso *dso)
{
	size_t i = 0;

	while (i < table->n && count_dso_order(&table->dso[i], dso))
		i++;
	return i;
}

long count_dso_add(struct count_table *table, const struct dso_key *key)
{
	struct count_dso dso = count_dso_of(key);

	if (!array_room(&table->dso, table->n, &table->size, sizeof(dso)))
		return -ENOMEM;
	dso.name = strdup(key->name);
	if (!dso.name)
		return -ENOMEM;
	table->dso[table->n] = dso;
	return table->n++;
}

int count_block_add(struct count_dso *dso, const struct count_block *block)
{
	if (!array_room(&dso->block, dso->n_block, &dso->size_block, sizeof(*block)))
		return -ENOMEM;
	dso->block[dso->n_block++] = *block;
	return 0;
}

int count_edge_add(struct count_dso *dso, const struct count_edge *edge)
{
	if (!array_room(&dso->edge, dso->n_edge, &dso->size_edge, sizeof(*edge)))
		return -ENOMEM;
	dso->edge[dso->n_edge++] = *edge;
	return 0;
}

int count_table_merge(struct count_table *table, const struct count_table *from, uint64_t weight)
{
	size_t *number = calloc(from->n + 1, sizeof(*number));
	int err = number ? 0 : -ENOMEM;

	for (int i = 0; i < COUNT_STAT_NR; i++)
		table->stat[i] = count_sum(table->stat[i], count_times(from->stat[i], weight));
	for (size_t i = 0; i < from->n && !err; i++) {
		const struct count_dso *f = &from->dso[i];
		const struct dso_key key = { .name = f->name, .kind = f->kind,
					     .build_id = f->build_id, .n_build_id = f->n_build_id,
					     .program = f->program };
		long added = count_dso_add(table, &key);

		err = added < 0 ? added : 0;
		number[i] = added;
	}
	for (size_t i = 0; i < from->n && !err; i++) {
		const struct count_dso *f = &from->dso[i];
		struct count_dso *to = &table->dso[number[i]];

		to->lost = count_sum(to->lost, count_times(f->lost, weight));
		for (size_t k = 0; k < f->n_block && !err; k++) {
			struct count_block b = f->block[k];

			b.taken = count_times(b.taken, weight);
			b.passed = count_times(b.passed, weight);
			err = count_block_add(to, &b);
		}
		for (size_t k = 0; k < f->n_edge && !err; k++) {
			struct count_edge e = f->edge[k];

			if (e.dso != COUNT_OUTSIDE)
				e.dso = number[e.dso];
			e.count = count_times(e.count, weight);
			err = count_edge_add(to, &e);
		}
	}
	free(number);
	return err;
}

static bool dso_full(const struct count_dso *dso)
{
	for (size_t i = 0; i < dso->n_block; i++)
		if (dso->block[i].taken == UINT64_MAX || dso->block[i].passed == UINT64_MAX)
			return true;
	for (size_t i = 0; i < dso->n_edge; i++)
		if (dso->edge[i].count == UINT64_MAX)
			return true;
	return dso->lost == UINT64_MAX;
}

bool count_table_full(const struct count_table *table)
{
	for (int i = 0; i < COUNT_STAT_NR; i++)
		if (table->stat[i] == UINT64_MAX)
			return true;
	for (size_t i = 0; i < table->n; i++)
		if (dso_full(&table->dso[i]))
			return true;
	return false;
}

bool count_sums_full(const struct count_table *table)
{
	uint64_t all = 0;

	for (size_t i = 0; i < table->n; i++) {
		const struct count_dso *dso = &table->dso[i];

		for (size_t k = 0; k < dso->n_block; k++)
			if (count_ran(&dso->block[k]) == UINT64_MAX)
				return true;
		all = count_sum(all, count_dso_insns(dso));
	}
	return all == UINT64_MAX;
}

static void dso_fini(struct count_dso *dso)
{
	free(dso->name);
	free(dso->block);
	free(dso->edge);
}

void count_table_fini(struct count_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		dso_fini(&table->dso[i]);
	free(table->dso);
	*table = (struct count_table){ 0 };
}

/* ---------------------------------------------------------------- settling */

/* How many of the @n that begin at @first are in order. */
static size_t ordered(const char *first, size_t n, size_t size,
		      int (*order)(const void *a, const void *b))
{
	size_t i = 1;

	while (i < n && order(first + (i - 1) * size, first + i * size) <= 0)
		i++;
	return i < n ? i : n;
}

/* The first @k and the rest of the @n are in order: now all are. */
static bool merge(char *array, size_t k, size_t n, size_t size,
		  int (*order)(const void *a, const void *b))
{
	char *const copy = malloc(k * size), *to = array;
	const char *one = copy, *other = array + k * size;
	const char *const one_end = copy + k * size, *const end = array + n * size;

	if (!copy)
		return false;
	memcpy(copy, array, k * size);
	for (; one < one_end && other < end; to += size) {
		const char **from = order(one, other) <= 0 ? &one : &other;

		memcpy(to, *from, size);
		*from += size;
	}
	/* the rest of the others is already in place */
	memcpy(to, one, one_end - one);
	free(copy);
	return true;
}

/*
 * Tables are merged into settled tables, and edges are added to sorted ones: so the first elements
 * are in order, and need only be merged with the rest.
 */
static void sort(void *array, size_t n, size_t size, int (*order)(const void *a, const void *b))
{
	const size_t k = ordered(array, n, size, order);
	char *rest;

	/* perhaps there is no array */
	if (k == n)
		return;
	rest = (char *)array + k * size;
	if (k < n / 4) {
		qsort(array, n, size, order);
		return;
	}
	if (ordered(rest, n - k, size, order) < n - k)
		qsort(rest, n - k, size, order);
	if (!merge(array, k, n, size, order))
		qsort(array, n, size, order);
}

static void settle_blocks(struct count_dso *dso)
{
	size_t n = 0;

	sort(dso->block, dso->n_block, sizeof(*dso->block), order_block);
	for (size_t i = 0; i < dso->n_block; i++) {
		const struct count_block *b = &dso->block[i];

		if (n && !order_block(&dso->block[n - 1], b))
			count_block_sum(&dso->block[n - 1], b);
		else if (count_ran(b))
			dso->block[n++] = *b;
	}
	dso->n_block = n;
}

static void settle_edges(struct count_dso *dso)
{
	size_t n = 0;

	sort(dso->edge, dso->n_edge, sizeof(*dso->edge), order_edge);
	for (size_t i = 0; i < dso->n_edge; i++) {
		const struct count_edge *e = &dso->edge[i];

		if (n && !order_edge(&dso->edge[n - 1], e))
			count_edge_sum(&dso->edge[n - 1], e);
		else if (e->count)
			dso->edge[n++] = *e;
	}
	dso->n_edge = n;
}

/* Appends all of @from, which is the same file, to @to. */
static int join(struct count_dso *to, struct count_dso *from)
{
	int err = 0;

	to->lost = count_sum(to->lost, from->lost);
	to->program |= from->program;
	if (strcmp(from->name, to->name) < 0) {
		char *name = to->name;

		to->name = from->name;
		from->name = name;
	}
	for (size_t i = 0; i < from->n_block && !err; i++)
		err = count_block_add(to, &from->block[i]);
	for (size_t i = 0; i < from->n_edge && !err; i++)
		err = count_edge_add(to, &from->edge[i]);
	from->n_block = 0;
	from->n_edge = 0;
	return err;
}

/* A dso and its old index. */
struct sorted {
	struct count_dso dso;
	size_t was;
};

static int order_dsos(const void *p, const void *q)
{
	const struct sorted *a = p, *b = q;
	int order = count_dso_order(&a->dso, &b->dso);

	return order ? order : a->was < b->was ? -1 : a->was > b->was;
}

static bool says_nothing(const struct count_dso *dso, const bool *wanted, size_t i)
{
	return !dso->n_block && !dso->n_edge && !dso->lost && !wanted[i];
}

/* Sorts files; @number gets the new index of each. */
static int settle_dsos(struct count_table *table, size_t *number)
{
	struct sorted *sorted = calloc(table->n + 1, sizeof(*sorted));
	bool *wanted = calloc(table->n + 1, sizeof(*wanted));
	size_t n = 0, count = table->n;
	int err = sorted && wanted ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++) {
		sorted[i] = (struct sorted){ table->dso[i], i };
		for (size_t k = 0; k < table->dso[i].n_edge; k++)
			if (table->dso[i].edge[k].dso != COUNT_OUTSIDE)
				wanted[table->dso[i].edge[k].dso] = true;
	}
	if (!err && count)
		qsort(sorted, count, sizeof(*sorted), order_dsos);
	for (size_t i = 0; i < count && sorted && wanted; i++) {
		struct count_dso *dso = &sorted[i].dso;
		bool same = n && !count_dso_order(&table->dso[n - 1], dso);

		if (err || says_nothing(dso, wanted, sorted[i].was)) {
			dso_fini(dso);
			continue;
		}
		if (!same)
			table->dso[n++] = *dso;
		number[sorted[i].was] = n - 1;
		if (same) {
			err = join(&table->dso[n - 1], dso);
			dso_fini(dso);
		}
	}
	if (sorted && wanted)
		table->n = n;
	free(sorted);
	free(wanted);
	return err;
}

int count_table_settle(struct count_table *table)
{
	size_t *number = calloc(table->n + 1, sizeof(*number));
	int err;

	if (!number)
		return -ENOMEM;
	for (size_t i = 0; i < table->n; i++) {
		settle_blocks(&table->dso[i]);
		settle_edges(&table->dso[i]);
	}
	err = settle_dsos(table, number);
	for (size_t i = 0; i < table->n && !err; i++) {
		struct count_dso *dso = &table->dso[i];

		for (size_t k = 0; k < dso->n_edge; k++)
			if (dso->edge[k].dso != COUNT_OUTSIDE)
				dso->edge[k].dso = number[dso->edge[k].dso];
		settle_blocks(dso);
		settle_edges(dso);
	}
	free(number);
	return err;
}

/* ---------------------------------------------------------------- edges */

/*
 * Branches whose target nothing shows: @all, which has its own edges, gets the missing ones,
 * and all get flags.
 */
static int add_unknown(const struct count_dso *d, struct count_dso *all)
{
	struct count_dso taken = { 0 };
	size_t k = 0;
	int err = 0;

	for (size_t i = 0; i < d->n_block && !err; i++) {
		const struct count_block *b = &d->block[i];
		const struct count_edge edge = { .from = count_last(b), .dso = COUNT_OUTSIDE,
						 .count = b->taken, .flags = b->flags };

		if (!b->direct)
			err = count_edge_add(&taken, &edge);
	}
	settle_edges(&taken);
	for (size_t i = 0; i < taken.n_edge && !err; i++) {
		struct count_edge *e = &taken.edge[i];

		for (; k < d->n_edge && d->edge[k].from <= e->from; k++) {
			if (d->edge[k].from != e->from)
				continue;
			e->count -= e->count < d->edge[k].count ? e->count : d->edge[k].count;
			all->edge[k].flags = e->flags;
		}
		if (e->count)
			err = count_edge_add(all, e);
	}
	free(taken.edge);
	return err;
}

int count_edges(const struct count_table *table, size_t dso, struct count_edge **edges, size_t *n)
{
	const struct count_dso *d = &table->dso[dso];
	struct count_dso all = { 0 };
	int err = 0;

	for (size_t i = 0; i < d->n_edge && !err; i++)
		err = count_edge_add(&all, &d->edge[i]);
	if (!err)
		err = add_unknown(d, &all);
	for (size_t i = 0; i < d->n_block && !err; i++) {
		const struct count_block *b = &d->block[i];
		const struct count_edge edge = { .from = count_last(b), .to = b->target,
						 .dso = dso, .count = b->taken,
						 .flags = b->flags };

		if (b->direct)
			err = count_edge_add(&all, &edge);
	}
	if (err) {
		free(all.edge);
		return err;
	}
	settle_edges(&all);
	*edges = all.edge;
	*n = all.n_edge;
	return 0;
}

static bool leads_to(const struct count_dso *from, size_t dso)
{
	for (size_t i = 0; i < from->n_edge; i++)
		if (from->edge[i].dso == dso)
			return true;
	return false;
}

int count_entries(const struct count_table *table, size_t dso, struct count_edge **edges, size_t *n)
{
	struct count_dso all = { 0 };
	int err = 0;

	for (size_t i = 0; i < table->n && !err; i++) {
		struct count_edge *edge = NULL;
		size_t n_edge = 0;

		if (i != dso && leads_to(&table->dso[i], dso))
			err = count_edges(table, i, &edge, &n_edge);
		for (size_t k = 0; k < n_edge && !err; k++) {
			struct count_edge e = edge[k];

			if (e.dso != dso)
				continue;
			e.dso = i;
			err = count_edge_add(&all, &e);
		}
		free(edge);
	}
	*edges = all.edge;
	*n = all.n_edge;
	return err;
}
