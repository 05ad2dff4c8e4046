// SPDX-License-Identifier: GPL-2.0-only
/* Counts of blocks by context. */
#include <errno.h>
#include <stdlib.h>

#include "../../perf-plugin/array.h"
#include "context-parts.h"

static size_t slot_of(const struct context_rans *r, uint64_t key)
{
	size_t i = (key * 0x9e3779b97f4a7c15ull >> 24) & (r->size - 1);

	while (r->ran[i].key && r->ran[i].key != key)
		i = (i + 1) & (r->size - 1);
	return i;
}

static int grow(struct context_rans *r)
{
	struct context_rans more = { .size = r->size ? 2 * r->size : 4096 };

	more.ran = calloc(more.size, sizeof(*more.ran));
	if (!more.ran)
		return -ENOMEM;
	for (size_t i = 0; i < r->size; i++)
		if (r->ran[i].key)
			more.ran[slot_of(&more, r->ran[i].key)] = r->ran[i];
	free(r->ran);
	r->ran = more.ran;
	r->size = more.size;
	return 0;
}

int context_rans_flush(struct context_rans *r, struct context_ran *last)
{
	size_t i;

	if (2 * r->n >= r->size && grow(r))
		return -ENOMEM;
	i = slot_of(r, last->key);
	if (!r->ran[i].key && r->n >= CONTEXT_COUNTS_MAX && last->key >> 32) {
		last->key = (uint32_t)last->key;
		return context_rans_flush(r, last);
	}
	r->n += !r->ran[i].key;
	r->ran[i].key = last->key;
	r->ran[i].count += last->count;
	return 0;
}

int context_rans_grow(struct context_rans *r, size_t n)
{
	if (n <= r->n_last)
		return 0;
	if (!array_zeros(&r->last, r->n_last, n, sizeof(*r->last)))
		return -ENOMEM;
	r->n_last = n;
	return 0;
}

void context_rans_fini(struct context_rans *r)
{
	free(r->ran);
	free(r->last);
	*r = (struct context_rans){ 0 };
}

static int by_key(const void *a, const void *b)
{
	const struct context_ran *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Joins the two steps of a block. */
static int fold(struct context_code *code, const struct context_ran *ran, bool again)
{
	struct contexts *c = code->contexts;
	const uint32_t step = ran->key;
	const struct context_block *at = &code->block[csf_step_block(step)];
	struct count_block *row;
	struct csf_block b;

	if (!again) {
		if (!array_room(&c->count, c->n_count, &c->size_count, sizeof(*c->count)))
			return -ENOMEM;
		csf_block(code->replay->image, csf_step_block(step), &b);
		c->count[c->n_count] = (struct context_count){
			.node = ran->key >> 32, .dso = at->at.dso,
			.block = { .start = at->at.offset, .size = b.size, .n_insn = b.n_insn,
				   .isa = b.isa, .kind = b.kind, .flags = b.flags,
				   .last_size = b.last_size,
				   .target = at->at.offset + (b.target - b.offset) },
		};
		row = &c->count[c->n_count++].block;
		row->direct = count_branches(row) && b.kind == CSF_INSN_BRANCH;
	}
	row = &c->count[c->n_count - 1].block;
	if (step & 1 && count_branches(row))
		row->taken += ran->count;
	else
		row->passed += ran->count;
	return 0;
}

int context_rans_fold(struct context_rans *r, struct context_code *code)
{
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < r->n_last && !err; i++)
		if (r->last[i].key)
			err = context_rans_flush(r, &r->last[i]);
	for (size_t i = 0; i < r->size; i++)
		if (r->ran[i].key)
			r->ran[n++] = r->ran[i];
	if (n)
		qsort(r->ran, n, sizeof(*r->ran), by_key);
	for (size_t i = 0; i < n && !err; i++) {
		const uint32_t step = r->ran[i].key;

		if (code->block[csf_step_block(step)].at.dso == CONTEXT_NOWHERE)
			continue;
		if (code->contexts->counts)
			err = fold(code, &r->ran[i], i && r->ran[i].key == (r->ran[i - 1].key | 1));
		if (!err && code->contexts->inlines)
			err = context_inline_fold(code, &r->ran[i]);
	}
	context_rans_fini(r);
	return err;
}
