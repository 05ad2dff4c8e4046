// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "../perf-plugin/out.h"
#include "profile.h"

/* llvm-profgen takes the page in which the first executable segment begins. */
#define PAGE_MASK	0xfffull

/* Bytes of a line, at most. */
#define ROW_MAX		64

uint64_t profile_address(const struct profile *p, uint64_t offset)
{
	const struct elf_segment *s;

	if (!p->elf || p->table->dso[p->dso].kind == DSO_KERNEL || p->elf->is_module)
		return offset;
	s = elf_segment_at(p->elf, offset);
	return s ? s->addr + (offset - s->offset) : offset;
}

static uint64_t text_base(const struct elf_file *elf)
{
	for (size_t i = 0; i < elf->n_segment; i++)
		if (elf->segment[i].exec)
			return elf->segment[i].addr & ~PAGE_MASK;
	return 0;
}

static void print_number(struct out *o, uint64_t n)
{
	out_room(o, ROW_MAX);
	out_dec(o, n);
	out_char(o, '\n');
}

static void print_row(struct out *o, uint64_t from, const char *sign, uint64_t to, uint64_t count)
{
	out_room(o, ROW_MAX);
	out_hex(o, from);
	out_text(o, sign);
	out_hex(o, to);
	out_char(o, ':');
	print_number(o, count);
}

/* The table is in their order: ranges that end alike may be several, of cut blocks. */
static void print_ranges(const struct profile *p, struct out *o, bool by_addr, uint64_t base)
{
	const struct count_dso *d = &p->table->dso[p->dso];

	print_number(o, d->n_block);
	for (size_t i = 0; i < d->n_block; i++) {
		const struct count_block *b = &d->block[i];
		uint64_t start = by_addr ? profile_address(p, b->start) : b->start;

		print_row(o, start - base, "-", start + (b->size - b->last_size) - base,
			  count_ran(b));
	}
}

static int by_target(const void *a, const void *b)
{
	const struct count_edge *x = a, *y = b;

	return x->to < y->to ? -1 : x->to > y->to;
}

/* How often each place was branched to from other files. */
static int read_entries(const struct profile *p, struct count_edge **out, size_t *n_out)
{
	struct count_edge *entry;
	size_t n = 0;
	int err = count_entries(p->table, p->dso, out, n_out);

	entry = *out;
	if (err || !*n_out)
		return err;
	qsort(entry, *n_out, sizeof(*entry), by_target);
	for (size_t i = 0; i < *n_out; i++) {
		if (n && entry[n - 1].to == entry[i].to)
			entry[n - 1].count = count_sum(entry[n - 1].count, entry[i].count);
		else
			entry[n++] = entry[i];
	}
	*n_out = n;
	return 0;
}

/**
 * struct text - what is printed
 * @edge: @n of them
 * @entry: @n_entry of them: how often places were branched to from other files
 */
struct text {
	struct count_edge *edge, *entry;
	size_t n, n_entry;
	struct out out;
};

static void print_edges(const struct profile *p, struct text *t, bool profgen, uint64_t base)
{
	print_number(&t->out, t->n_entry + t->n);
	/* 0 is no address of theirs, and tells how often functions were called */
	for (size_t i = 0; i < t->n_entry; i++)
		print_row(&t->out, 0, "->", profile_address(p, t->entry[i].to) - base,
			  t->entry[i].count);
	for (size_t i = 0; i < t->n; i++) {
		const struct count_edge *e = &t->edge[i];
		uint64_t from = e->from, to = e->to;

		if (profgen)
			from = profile_address(p, from);
		if (e->dso != p->dso)
			to = base;
		else if (profgen)
			to = profile_address(p, to);
		print_row(&t->out, from - base, "->", to - base, e->count);
	}
}

static int print_text(const struct profile *p, bool profgen)
{
	uint64_t base = profgen ? text_base(p->elf) : 0;
	struct text *t = calloc(1, sizeof(*t));
	int err = t ? count_edges(p->table, p->dso, &t->edge, &t->n) : -ENOMEM;

	if (!err && profgen)
		err = read_entries(p, &t->entry, &t->n_entry);
	if (!err) {
		t->out.file = p->f;
		print_ranges(p, &t->out, profgen, base);
		if (!profgen)
			print_number(&t->out, 0);
		print_edges(p, t, profgen, base);
		out_flush(&t->out);
	}
	if (t) {
		free(t->edge);
		free(t->entry);
	}
	free(t);
	return err;
}

int profile_autofdo(const struct profile *p)
{
	return print_text(p, false);
}

int profile_profgen(const struct profile *p)
{
	return print_text(p, true);
}
