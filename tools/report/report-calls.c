// SPDX-License-Identifier: GPL-2.0-only
/* Instructions of functions with their callees, for rows of the report. */
#include <errno.h>
#include <stdlib.h>

#include "report.h"

/**
 * struct report_calls - the calls of a function
 * @dso: number in the table; @start: offset
 */
struct report_calls {
	size_t dso;
	uint64_t start;
	struct call_sum sum;
};

static int by_start(const void *a, const void *b)
{
	const struct report_calls *x = a, *y = b;

	if (x->dso != y->dso)
		return x->dso < y->dso ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int list(struct report *r, const struct call_sum *sum)
{
	const struct contexts *c = &r->contexts;

	r->calls = calloc(c->n_function + 1, sizeof(*r->calls));
	if (!r->calls)
		return -ENOMEM;
	for (size_t i = 1; i < c->n_function; i++) {
		const struct context_function *f = &c->function[i];

		if (f->name && f->dso < c->files.n)
			r->calls[r->n_calls++] = (struct report_calls){
				.dso = count_dso_like(&r->table, &c->files.dso[f->dso]),
				.start = f->start, .sum = sum[i],
			};
	}
	if (r->n_calls)
		qsort(r->calls, r->n_calls, sizeof(*r->calls), by_start);
	return 0;
}

int report_calls_read(struct report *r)
{
	struct call_tree tree;
	struct call_sum *sum = NULL;
	int err = call_tree_read(&tree, &r->contexts, false);

	if (!err)
		sum = call_tree_sums(&tree);
	if (!err)
		err = sum ? list(r, sum) : -ENOMEM;
	free(sum);
	call_tree_fini(&tree);
	return err;
}

const struct call_sum *report_calls_of(const struct report *r, const struct report_row *row)
{
	const struct report_calls key = { .dso = row->dso, .start = row->start };
	const struct report_calls *found = NULL;

	if (row->symbol && r->n_calls)
		found = bsearch(&key, r->calls, r->n_calls, sizeof(key), by_start);
	return found ? &found->sum : NULL;
}
