// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "../../perf-plugin/out.h"
#include "../lib/build-id.h"
#include "profile.h"

/* llvm-profgen uses the page in which the first executable segment begins. */
#define PAGE_MASK	0xfffull

/* Bytes of a line, at most. */
#define ROW_MAX		64

const char *const profile_address_names[] = {
	[PROFILE_LOAD] = "load", [PROFILE_FILE] = "file", NULL
};

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

uint64_t profile_load_base(const struct elf_file *elf)
{
	return elf->n_segment ? elf->segment[0].addr : 0;
}

/* For kernels and modules the table has addresses. */
static uint64_t file_offset(const struct profile *p, uint64_t offset)
{
	const bool addresses = p->table->dso[p->dso].kind == DSO_KERNEL || p->elf->is_module;
	const struct elf_segment *s = addresses ? elf_segment_find(p->elf, offset) : NULL;

	return s ? s->offset + (offset - s->addr) : offset;
}

bool profile_addresses_differ(const struct profile *p)
{
	const struct count_dso *d = &p->table->dso[p->dso];
	const uint64_t base = profile_load_base(p->elf);

	for (size_t i = 0; i < d->n_block && !p->elf->is_module; i++) {
		const uint64_t at = d->block[i].start;

		if (profile_address(p, at) - base != file_offset(p, at))
			return true;
	}
	return false;
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
 * struct text - a text to print
 * @edge: @n of them
 * @entry: @n_entry of them: how often places were branched to from other files
 * @in_file: addresses are offsets in the file; else they count from @base
 */
struct text {
	struct count_edge *edge, *entry;
	size_t n, n_entry;
	bool in_file;
	uint64_t base;
	struct out out;
};

static uint64_t address_of(const struct profile *p, const struct text *t, uint64_t offset)
{
	if (!p->elf)
		return offset;
	return t->in_file ? file_offset(p, offset) : profile_address(p, offset) - t->base;
}

/* The table is in this order; cut blocks may give several ranges with one end. */
static void print_ranges(const struct profile *p, struct text *t)
{
	const struct count_dso *d = &p->table->dso[p->dso];

	print_number(&t->out, d->n_block);
	for (size_t i = 0; i < d->n_block; i++) {
		const struct count_block *b = &d->block[i];
		const uint64_t start = address_of(p, t, b->start);

		print_row(&t->out, start, "-", start + (b->size - b->last_size), count_ran(b));
	}
}

static void print_edges(const struct profile *p, struct text *t)
{
	print_number(&t->out, t->n_entry + t->n);
	/* an entry from address 0 counts the calls of a function */
	for (size_t i = 0; i < t->n_entry; i++)
		print_row(&t->out, 0, "->", address_of(p, t, t->entry[i].to), t->entry[i].count);
	for (size_t i = 0; i < t->n; i++) {
		const struct count_edge *e = &t->edge[i];

		print_row(&t->out, address_of(p, t, e->from), "->",
			  e->dso == p->dso ? address_of(p, t, e->to) : 0, e->count);
	}
}

/* Names the file in comments, as simpleperf does. */
static void print_file(const struct profile *p)
{
	const struct count_dso *d = &p->table->dso[p->dso];

	if (d->n_build_id)
		fprintf(p->f, "// build_id: 0x%s\n", build_id_hex(d->build_id, d->n_build_id).text);
	fputs("// ", p->f);
	for (const char *c = d->name; *c; c++)
		fputc(iscntrl((unsigned char)*c) ? '?' : *c, p->f);
	fputc('\n', p->f);
}

static int print_text(const struct profile *p, bool profgen)
{
	struct text *t = calloc(1, sizeof(*t));
	int err = t ? count_edges(p->table, p->dso, &t->edge, &t->n) : -ENOMEM;

	if (!err && profgen)
		err = read_entries(p, &t->entry, &t->n_entry);
	if (!err) {
		t->in_file = !profgen && p->elf &&
			     (p->addresses == PROFILE_FILE || p->elf->is_module);
		if (p->elf)
			t->base = profgen ? text_base(p->elf) : profile_load_base(p->elf);
		t->out.file = p->f;
		print_ranges(p, t);
		if (!profgen)
			print_number(&t->out, 0);
		print_edges(p, t);
		out_flush(&t->out);
		if (!profgen)
			print_file(p);
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
