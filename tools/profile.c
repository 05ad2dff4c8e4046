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

static int print_text(const struct profile *p, bool profgen)
{
	uint64_t base = profgen ? text_base(p->elf) : 0;
	struct count_edge *edge;
	size_t n;
	int err = count_edges(p->table, p->dso, &edge, &n);

	if (err)
		return err;
	print_ranges(p, profgen, base);
	if (!profgen)
		fprintf(p->f, "0\n");
	fprintf(p->f, "%zu\n", n);
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
