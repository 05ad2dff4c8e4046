// SPDX-License-Identifier: GPL-2.0-only
/*
 * Consistency of counts: a place was executed as often as blocks before it and
 * branches led there.  Where following execution begins, nothing led; where it ends,
 * something may lead to a place that was not executed.  Each happens at most as often as there are
 * breaks; any excess is a contradiction.
 */
#include <errno.h>
#include <stdlib.h>

#include "../../perf-plugin/array.h"
#include "quality-flow.h"

/**
 * struct inflow - the ways that led to a place
 * @cut: a block that ended before its end: perhaps execution went on there
 */
struct inflow {
	uint64_t addr, count;
	bool cut;
};

/* The list of a dso. */
struct inflow_list {
	struct inflow *in;
	size_t n, size;
};

static int add(struct inflow_list *list, uint64_t addr, uint64_t count, bool cut)
{
	if (!array_room(&list->in, list->n, &list->size, sizeof(*list->in)))
		return -ENOMEM;
	list->in[list->n++] = (struct inflow){ .addr = addr, .count = count, .cut = cut };
	return 0;
}

/* Adds the targets of blocks and branches of a dso; @lists has one list for each dso. */
static int lead(struct inflow_list *lists, const struct count_table *table, size_t dso)
{
	const struct count_dso *d = &table->dso[dso];
	struct count_edge *edge = NULL;
	size_t n = 0;
	int err = count_edges(table, dso, &edge, &n);

	for (size_t i = 0; i < n && !err; i++)
		if (edge[i].dso != COUNT_OUTSIDE)
			err = add(&lists[edge[i].dso], edge[i].to, edge[i].count, false);
	for (size_t i = 0; i < d->n_block && !err; i++) {
		const struct count_block *b = &d->block[i];

		if (b->passed)
			err = add(&lists[dso], b->start + b->size, b->passed,
				  b->flags & CSF_FLAG_CUT);
	}
	free(edge);
	return err;
}

static int by_addr(const void *a, const void *b)
{
	const struct inflow *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Blocks are in order of their starts. */
static void compare(struct quality_flow *flow, const struct count_dso *d,
		    const struct inflow_list *list)
{
	size_t i = 0, k = 0;

	while (i < list->n || k < d->n_block) {
		uint64_t addr = k < d->n_block ? d->block[k].start : UINT64_MAX;
		uint64_t ran = 0, sure = 0, perhaps;

		if (i < list->n && list->in[i].addr < addr)
			addr = list->in[i].addr;
		for (; k < d->n_block && d->block[k].start == addr; k++)
			ran = count_sum(ran, count_ran(&d->block[k]));
		perhaps = 0;
		for (; i < list->n && list->in[i].addr == addr; i++) {
			uint64_t *sum = list->in[i].cut ? &perhaps : &sure;

			*sum = count_sum(*sum, list->in[i].count);
		}
		if (sure > ran)
			flow->came = count_sum(flow->came, sure - ran);
		else if (ran - sure > perhaps)
			flow->went = count_sum(flow->went, ran - sure - perhaps);
	}
}

int quality_flow(struct quality_flow *flow, const struct count_table *table)
{
	struct inflow_list *lists = calloc(table->n + 1, sizeof(*lists));
	int err = lists ? 0 : -ENOMEM;

	*flow = (struct quality_flow){ 0 };
	for (size_t i = 0; i < table->n && !err; i++)
		err = lead(lists, table, i);
	for (size_t i = 0; i < table->n && lists; i++) {
		if (!err && lists[i].n)
			qsort(lists[i].in, lists[i].n, sizeof(*lists[i].in), by_addr);
		if (!err)
			compare(flow, &table->dso[i], &lists[i]);
		free(lists[i].in);
	}
	free(lists);
	return err;
}
