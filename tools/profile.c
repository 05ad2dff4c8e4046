// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>

#include "profile.h"

/* llvm-profgen takes the page in which the first executable segment begins. */
#define PAGE_MASK	0xfffull

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

/* The table is in their order: ranges that end alike may be several, of cut blocks. */
static void print_ranges(const struct profile *p, bool by_addr, uint64_t base)
{
	const struct count_dso *d = &p->table->dso[p->dso];

	fprintf(p->f, "%zu\n", d->n_block);
	for (size_t i = 0; i < d->n_block; i++) {
		const struct count_block *b = &d->block[i];
		uint64_t start = by_addr ? profile_address(p, b->start) : b->start;

		fprintf(p->f, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", start - base,
			start + (b->size - b->last_size) - base, count_ran(b));
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

static int print_text(const struct profile *p, bool profgen)
{
	uint64_t base = profgen ? text_base(p->elf) : 0;
	struct count_edge *edge = NULL, *entry = NULL;
	size_t n, n_entry = 0;
	int err = count_edges(p->table, p->dso, &edge, &n);

	if (!err && profgen)
		err = read_entries(p, &entry, &n_entry);
	if (err) {
		free(edge);
		free(entry);
		return err;
	}
	print_ranges(p, profgen, base);
	if (!profgen)
		fprintf(p->f, "0\n");
	fprintf(p->f, "%zu\n", n_entry + n);
	/* 0 is no address of theirs, and tells how often functions were called */
	for (size_t i = 0; i < n_entry; i++)
		fprintf(p->f, "0->%" PRIx64 ":%" PRIu64 "\n",
			profile_address(p, entry[i].to) - base, entry[i].count);
	for (size_t i = 0; i < n; i++) {
		uint64_t from = edge[i].from, to = edge[i].to;

		if (profgen)
			from = profile_address(p, from);
		if (edge[i].dso != p->dso)
			to = base;
		else if (profgen)
			to = profile_address(p, to);
		fprintf(p->f, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n", from - base, to - base,
			edge[i].count);
	}
	free(edge);
	free(entry);
	return 0;
}

int profile_autofdo(const struct profile *p)
{
	return print_text(p, false);
}

int profile_profgen(const struct profile *p)
{
	return print_text(p, true);
}
