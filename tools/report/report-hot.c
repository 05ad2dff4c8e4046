// SPDX-License-Identifier: GPL-2.0-only
/* Selects and sorts the blocks, edges and loops of tables and the page. */
#include <errno.h>
#include <stdlib.h>

#include "../../perf-plugin/array.h"
#include "../count/hot-lines.h"
#include "../lib/ratio.h"
#include "report.h"

/* The smallest share to show, unless words.limit is set. */
#define LIMIT		50

bool report_is_small(const struct report *r, uint64_t n, uint64_t all)
{
	const uint32_t limit = r->words.limit == UINT32_MAX ? LIMIT : r->words.limit;

	return ratio_share(n, all) < limit;
}

/* Is it selected? */
static bool is_wanted(struct report *r, size_t dso, uint64_t offset)
{
	struct place_symbol symbol;

	if (!selection_has_dso(&r->part, r->table.dso[dso].name))
		return false;
	return !r->part.symbols.n ||
	       (places_symbol(&r->places, dso, offset, &symbol) &&
		opt_list_has_function(&r->part.symbols, symbol.name));
}

/* Sets the flag of T32 blocks that end with a branch that is conditional because of IT. */
static void mark_conditional(struct report *r)
{
	for (size_t i = 0; i < r->table.n; i++) {
		struct count_dso *d = &r->table.dso[i];

		for (size_t k = 0; k < d->n_block; k++)
			if (hot_conditional(&r->places, i, &d->block[k]))
				d->block[k].flags |= CSF_FLAG_COND;
	}
}

/* ---------------------------------------------------------------- blocks */

uint64_t report_block_insns(const struct count_block *b)
{
	return count_times(count_ran(b), b->n_insn);
}

static int by_block(const void *a, const void *b)
{
	const struct report_block *x = a, *y = b;
	uint64_t p = report_block_insns(x->block), q = report_block_insns(y->block);

	if (p != q)
		return p > q ? -1 : 1;
	if (x->dso != y->dso)
		return x->dso < y->dso ? -1 : 1;
	return x->block < y->block ? -1 : x->block > y->block;
}

int report_blocks(struct report *r, struct report_block **out, size_t *n)
{
	size_t all = 0;

	mark_conditional(r);
	*n = 0;
	for (size_t i = 0; i < r->table.n; i++)
		all += r->table.dso[i].n_block;
	*out = calloc(all + 1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	for (size_t i = 0; i < r->table.n; i++) {
		const struct count_dso *d = &r->table.dso[i];

		for (size_t k = 0; k < d->n_block; k++)
			if (!report_is_small(r, report_block_insns(&d->block[k]), r->insns) &&
			    is_wanted(r, i, d->block[k].start))
				(*out)[(*n)++] = (struct report_block){ i, &d->block[k] };
	}
	qsort(*out, *n, sizeof(**out), by_block);
	return 0;
}

/* ---------------------------------------------------------------- edges */

static int by_edge(const void *a, const void *b)
{
	const struct report_edge *x = a, *y = b;
	const uint64_t p[] = { y->edge.count, x->dso, x->edge.from, x->edge.dso, x->edge.to };
	const uint64_t q[] = { x->edge.count, y->dso, y->edge.from, y->edge.dso, y->edge.to };

	for (int i = 0; i < 5; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return 0;
}

/* Reads all edges, because shares are of all. */
static int read_edges(struct report *r, struct report_edges *list)
{
	int err = 0;

	for (size_t i = 0; i < r->table.n && !err; i++) {
		struct count_edge *edge = NULL;
		size_t n = 0;

		err = count_edges(&r->table, i, &edge, &n);
		for (size_t k = 0; k < n && !err; k++) {
			list->all = count_sum(list->all, edge[k].count);
			if (!array_room(&list->edge, list->n, &list->size, sizeof(*list->edge)))
				err = -ENOMEM;
			else
				list->edge[list->n++] = (struct report_edge){ i, edge[k] };
		}
		free(edge);
	}
	return err;
}

int report_edges(struct report *r, struct report_edges *list)
{
	int err;
	size_t n = 0;

	*list = (struct report_edges){ 0 };
	mark_conditional(r);
	err = read_edges(r, list);
	for (size_t i = 0; i < list->n; i++) {
		const struct report_edge *e = &list->edge[i];

		if (!report_is_small(r, e->edge.count, list->all) &&
		    is_wanted(r, e->dso, e->edge.from))
			list->edge[n++] = *e;
	}
	list->n = n;
	if (n)
		qsort(list->edge, n, sizeof(*list->edge), by_edge);
	return err;
}

const char *report_edge_kind(uint8_t flags)
{
	if (flags & CSF_FLAG_ERET)
		return "eret";
	if (flags & CSF_FLAG_LINK)
		return "call";
	if (flags & CSF_FLAG_RET)
		return "return";
	return flags & CSF_FLAG_COND ? "branch" : "jump";
}

/* ---------------------------------------------------------------- loops */

static int by_loop(const void *a, const void *b)
{
	const struct loop *const *one = a, *const *other = b, *x = *one, *y = *other;
	const uint64_t p[] = { y->insns, x->dso, x->header };
	const uint64_t q[] = { x->insns, y->dso, y->header };

	for (int i = 0; i < 3; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return 0;
}

int report_loops(struct report *r, const struct loop ***out, size_t *n)
{
	const struct loops *loops = &r->loops;

	*n = 0;
	*out = calloc(loops->n + 1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	for (size_t i = 0; i < loops->n; i++) {
		const struct loop *l = &loops->loop[i];

		if (!report_is_small(r, l->insns, r->insns) && is_wanted(r, l->dso, l->header))
			(*out)[(*n)++] = l;
	}
	qsort(*out, *n, sizeof(**out), by_loop);
	return 0;
}
