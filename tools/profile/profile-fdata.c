// SPDX-License-Identifier: GPL-2.0-only
/*
 * BOLT's own profile: branches, and the edges that straight code crosses, each from the last
 * instruction of one basic block to the first one of another; as perf2bolt writes it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/lower-bound.h"
#include "../../perf-plugin/array.h"
#include "../code/functions.h"
#include "profile.h"

/* From and to an address; @from_outside, @to_outside: the place is in another file. */
struct record {
	uint64_t from, to, count;
	bool from_outside, to_outside;
};

/* @head: addresses where basic blocks begin, sorted. */
struct fdata {
	const struct profile *p;
	struct functions functions;
	struct record *record;
	size_t n, size;
	uint64_t *head;
	size_t n_head, size_head;
};

static bool add_record(struct fdata *f, const struct record *r)
{
	if (!array_room(&f->record, f->n, &f->size, sizeof(*r)))
		return false;
	f->record[f->n++] = *r;
	return true;
}

static bool add_head(struct fdata *f, uint64_t addr)
{
	if (!array_room(&f->head, f->n_head, &f->size_head, sizeof(addr)))
		return false;
	f->head[f->n_head++] = addr;
	return true;
}

/* ---------------------------------------------------------------- branches */

/* A return leads to a place where BOLT sees no edge. */
static bool add_edge(struct fdata *f, const struct count_edge *e, bool entry)
{
	const struct profile *p = f->p;
	struct record r = { .count = e->count, .from_outside = entry,
			    .to_outside = !entry && e->dso != p->dso };

	if (e->flags & CSF_FLAG_RET)
		return true;
	if (!entry)
		r.from = profile_address(p, e->from);
	if (!r.to_outside)
		r.to = profile_address(p, e->to);
	return add_record(f, &r) && (r.to_outside || add_head(f, r.to));
}

static int add_branches(struct fdata *f)
{
	for (int entries = 0; entries < 2; entries++) {
		struct count_edge *edge = NULL;
		size_t n = 0;
		int err = entries ? count_entries(f->p->table, f->p->dso, &edge, &n) :
				    count_edges(f->p->table, f->p->dso, &edge, &n);

		for (size_t i = 0; i < n && !err; i++)
			err = add_edge(f, &edge[i], entries) ? 0 : -ENOMEM;
		free(edge);
		if (err)
			return err;
	}
	return 0;
}

/* ---------------------------------------------------------------- basic blocks */

/* Targets of branches in a function, executed or not. */
static bool add_targets(struct fdata *f, const struct function *function)
{
	const struct elf_segment *s = elf_segment_find(f->p->elf, function->addr);
	uint64_t at = s ? function->addr - s->addr : 0, n = s ? s->size - at : 0;
	const uint8_t *code = s ? f->p->elf->bytes + s->offset + at : NULL;

	if (n > function->size)
		n = function->size;
	for (uint64_t i = 0; i + 4 <= n; i += 4) {
		struct csf_insn insn;
		uint32_t opcode;

		memcpy(&opcode, code + i, 4);
		csf_insn(&insn, opcode, function->addr + i, CSF_A64, 0);
		if (insn.kind == CSF_INSN_BRANCH && !(insn.flags & CSF_FLAG_LINK) &&
		    insn.target - function->addr < function->size && !add_head(f, insn.target))
			return false;
	}
	return true;
}

static int by_word(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* For functions that ran; blocks are sorted, so each function comes once. */
static bool find_heads(struct fdata *f)
{
	const struct count_dso *d = &f->p->table->dso[f->p->dso];
	const struct function *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < d->n_block; i++) {
		const struct function *function = functions_at(&f->functions,
			profile_address(f->p, d->block[i].start));

		if (function && function != last && !add_targets(f, function))
			return false;
		last = function ? function : last;
	}
	if (f->n_head)
		qsort(f->head, f->n_head, sizeof(*f->head), by_word);
	for (size_t i = 0; i < f->n_head; i++)
		if (!n || f->head[n - 1] != f->head[i])
			f->head[n++] = f->head[i];
	f->n_head = n;
	return true;
}

static size_t first_head(const struct fdata *f, uint64_t addr)
{
	return LOWER_BOUND(f->n_head, i, f->head[i] < addr);
}

/* Adds the edges that a block crosses, inside and after its last instruction. */
static bool add_straight(struct fdata *f, const struct count_block *b)
{
	uint64_t start = profile_address(f->p, b->start), end = start + b->size;
	size_t i = first_head(f, start + 1);
	struct record r = { .from = end - 4, .to = end, .count = b->passed };

	if (b->passed && (count_branches(b) || f->head[first_head(f, end)] == end) &&
	    !add_record(f, &r))
		return false;
	r.count = count_ran(b);
	for (; i < f->n_head && f->head[i] < end; i++) {
		r.from = f->head[i] - 4;
		r.to = f->head[i];
		if (!add_record(f, &r))
			return false;
	}
	return true;
}

static int add_straights(struct fdata *f)
{
	const struct count_dso *d = &f->p->table->dso[f->p->dso];

	/* a sentinel after the last one */
	if (!find_heads(f) || !add_head(f, UINT64_MAX))
		return -ENOMEM;
	for (size_t i = 0; i < d->n_block; i++)
		if (d->block[i].isa == CSF_A64 && !add_straight(f, &d->block[i]))
			return -ENOMEM;
	return 0;
}

/* ---------------------------------------------------------------- printing */

static int by_address(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	int order = x->from_outside - y->from_outside;

	if (order)
		return order;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	order = x->to_outside - y->to_outside;
	return order ? order : x->to < y->to ? -1 : x->to > y->to;
}

static void print_address(const struct fdata *f, const struct function *function, uint64_t addr)
{
	FILE *out = f->p->f;

	if (!function) {
		fprintf(out, "0 [unknown] 0 ");
		return;
	}
	fprintf(out, "1 ");
	for (const char *s = function->name; *s; s++)
		fprintf(out, *s == ' ' || *s == '\\' ? "\\%c" : "%c", *s);
	if (function->number)
		fprintf(out, "/%u", function->number);
	fprintf(out, " %" PRIx64 " ", addr - function->addr);
}

/* PLT stubs are not functions.  Return: the record begins in a function, or enters one. */
static bool print_record(const struct fdata *f, const struct record *r)
{
	const struct function *from = NULL, *to = NULL;

	if (!r->from_outside)
		from = functions_at(&f->functions, r->from);
	if (!r->to_outside)
		to = functions_at(&f->functions, r->to);
	if (!from && (!r->from_outside || !to))
		return false;
	print_address(f, from, r->from);
	print_address(f, to, r->to);
	fprintf(f->p->f, "0 %" PRIu64 "\n", r->count);
	return true;
}

static int print(struct fdata *f)
{
	bool any = false;

	if (f->n)
		qsort(f->record, f->n, sizeof(*f->record), by_address);
	for (size_t i = 0, next; i < f->n; i = next) {
		struct record r = f->record[i];

		for (next = i + 1; next < f->n && !by_address(&r, &f->record[next]); next++)
			r.count = count_sum(r.count, f->record[next].count);
		any |= print_record(f, &r);
	}
	return any ? 0 : -ENODATA;
}

int profile_fdata(const struct profile *p)
{
	struct fdata f = { .p = p };
	int err = functions_read(&f.functions, p->elf);

	if (!err)
		err = add_branches(&f);
	if (!err)
		err = add_straights(&f);
	if (!err)
		err = print(&f);
	functions_fini(&f.functions);
	free(f.record);
	free(f.head);
	return err;
}
