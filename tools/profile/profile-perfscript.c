// SPDX-License-Identifier: GPL-2.0-only
/*
 * Last-branch records as perf script prints them, for llvm-profgen --perfscript: a line MMAP2, then
 * samples, each after a line with its count.  A sample has the branches of a stack, the newest
 * first; the code between two of them ran straight on.
 *
 * Here a sample is a branch and the block after it.  Earlier and later addresses are 0,
 * so every branch and every block is counted once.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "context-profile.h"

#define PAGE_MASK	((uint64_t)0xfff)

/* A branch, by target; @from 0: from another file. */
struct arrival {
	uint64_t from, to, count;
};

static int by_target(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* For the caller to free; sorted. */
static int read_arrivals(const struct profile *p, struct arrival **out, size_t *n_out)
{
	struct count_edge *own = NULL, *entry = NULL;
	size_t n_own = 0, n_entry = 0, n = 0;
	struct arrival *arrival = NULL;
	int err = count_edges(p->table, p->dso, &own, &n_own);

	if (!err)
		err = count_entries(p->table, p->dso, &entry, &n_entry);
	if (!err)
		arrival = calloc(n_own + n_entry + 1, sizeof(*arrival));
	for (size_t i = 0; i < n_own && arrival; i++)
		if (own[i].dso == p->dso)
			arrival[n++] = (struct arrival){ profile_address(p, own[i].from),
							 profile_address(p, own[i].to),
							 own[i].count };
	for (size_t i = 0; i < n_entry && arrival; i++)
		arrival[n++] = (struct arrival){ 0, profile_address(p, entry[i].to),
						 entry[i].count };
	free(own);
	free(entry);
	if (!arrival)
		return err ? err : -ENOMEM;
	qsort(arrival, n, sizeof(*arrival), by_target);
	*out = arrival;
	*n_out = n;
	return 0;
}

static void print_maps(const struct profile *p)
{
	for (size_t i = 0; i < p->elf->n_segment; i++) {
		const struct elf_segment *s = &p->elf->segment[i];
		uint64_t start = s->addr & ~PAGE_MASK;

		if (s->exec)
			fprintf(p->f, "PERF_RECORD_MMAP2 1/1: [0x%" PRIx64 "(0x%" PRIx64 ") @ 0x%"
				PRIx64 " 00:00 0 0]: r-xp %s\n", start,
				((s->addr + s->size + PAGE_MASK) & ~PAGE_MASK) - start,
				s->offset & ~PAGE_MASK, p->elf->path);
	}
}

/* @last: of the block after it; 0: none */
static void print_sample(const struct profile *p, const struct arrival *a, uint64_t last)
{
	fprintf(p->f, "%" PRIu64 "\n %" PRIx64, a->count, last ? last : a->from);
	if (last)
		fprintf(p->f, " 0x%" PRIx64 "/0x0/P/-/-/1", last);
	fprintf(p->f, " 0x%" PRIx64 "/0x%" PRIx64 "/P/-/-/1\n", a->from, a->to);
}

/* Prints how the block was reached; @arrival is the first branch that is not used up. */
static struct arrival *print_block(const struct profile *p, const struct count_block *b,
				   struct arrival *arrival, const struct arrival *end)
{
	uint64_t start = profile_address(p, b->start), left = count_ran(b);
	uint64_t last = start + b->size - b->last_size;
	struct arrival on = { 0, start, 0 };

	for (; arrival < end && arrival->to <= start; arrival++) {
		struct arrival part = *arrival;

		if (arrival->to == start && part.count > left)
			part.count = left;
		if (part.count)
			print_sample(p, &part, part.to == start ? last : 0);
		if (arrival->to == start)
			left -= part.count;
		arrival->count -= part.count;
		if (arrival->count)
			break;
	}
	on.count = left;
	if (left)
		print_sample(p, &on, last);
	return arrival;
}

int profile_perfscript(const struct profile *p)
{
	const struct count_dso *d = &p->table->dso[p->dso];
	struct arrival *arrival = NULL, *a, *end;
	size_t n = 0;
	int err = read_arrivals(p, &arrival, &n);

	if (err)
		return err;
	print_maps(p);
	a = arrival;
	end = arrival + n;
	for (size_t i = 0; i < d->n_block; i++)
		a = print_block(p, &d->block[i], a, end);
	for (; a < end; a++)
		print_sample(p, a, 0);
	free(arrival);
	return 0;
}

/* ---------------------------------------------------------------- with call chains */

/*
 * The same with the stack before each: lines with one address, the innermost first.
 * A branch to 0 or from 0 is ignored; each call is printed once, at the beginning of the callee.
 */
struct chain {
	const struct profile *p;
	struct context_profile cs;
	uint64_t ret[CONTEXT_DEPTH_MAX + 2];
	size_t n;
};

/* For A64 and A32; in T32 it may be less, but llvm-profgen does not read T32. */
#define CALL_BYTES	4

static void read_chain(struct chain *c, uint32_t node)
{
	const struct context_node *tree = c->cs.tree.node;

	c->n = 0;
	for (; tree[node].site; node = tree[node].parent)
		c->ret[c->n++] = profile_address(c->p, tree[node].site) + CALL_BYTES;
}

/* A block that was reached from @from. */
static void print_hybrid(const struct chain *c, const struct count_block *b, uint64_t from,
			 uint64_t count)
{
	const uint64_t start = profile_address(c->p, b->start);
	const uint64_t last = start + b->size - b->last_size;
	const bool call = count_branches(b) && b->flags & CSF_FLAG_LINK;
	const bool returns = count_branches(b) && b->flags & CSF_FLAG_RET && c->n;

	fprintf(c->p->f, "%" PRIu64 "\n", count);
	if (!returns)
		fprintf(c->p->f, "\t0\n");
	if (call)
		fprintf(c->p->f, "\t%" PRIx64 "\n", last + CALL_BYTES);
	for (size_t i = 0; i < c->n; i++)
		fprintf(c->p->f, "\t%" PRIx64 "\n", c->ret[i]);
	fprintf(c->p->f, " 0x%" PRIx64 "/0x%" PRIx64 "/P/-/-/1 0x%" PRIx64 "/0x%" PRIx64
		"/P/-/-/1\n\n", last, returns ? c->ret[0] : 0, from, start);
}

/* Prints calls of the node, from any place.  Return: how often @b was not reached by one. */
static uint64_t print_calls(const struct chain *c, uint32_t node, const struct count_block *b)
{
	const struct count_dso *d = c->cs.table.dso;
	uint64_t left = count_ran(b);

	for (size_t i = 0; i < d->n_block; i++) {
		const struct count_block *from = &d->block[i];
		const uint64_t n = from->taken < left ? from->taken : left;

		if (!from->direct || !(from->flags & CSF_FLAG_LINK) || from->target != b->start ||
		    !n)
			continue;
		print_hybrid(c, b, profile_address(c->p, count_last(from)), n);
		left -= n;
	}

	for (size_t i = 0; i < c->cs.n_call; i++) {
		const struct profile_call *call = &c->cs.call[i];
		const uint64_t n = call->count < left ? call->count : left;

		if (call->callee != node || call->to != b->start || !n)
			continue;
		print_hybrid(c, b, profile_address(c->p, call->from), n);
		left -= n;
	}
	return left;
}

int profile_hybrid(const struct profile *p)
{
	struct chain c = { .p = p };
	int err = context_profile_open(&c.cs, p, false);
	long node;

	print_maps(p);
	while (!err && (node = context_profile_next_table(&c.cs)) != 0) {
		const struct count_dso *d = c.cs.table.dso;

		if (node < 0) {
			err = node;
			break;
		}
		read_chain(&c, node);
		for (size_t i = 0; i < d->n_block; i++) {
			uint64_t left = print_calls(&c, node, &d->block[i]);

			if (left)
				print_hybrid(&c, &d->block[i], 0, left);
		}
	}
	context_profile_close(&c.cs);
	return err;
}
