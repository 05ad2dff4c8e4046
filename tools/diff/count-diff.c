// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions are counted because they take time, and because another build may cut blocks
 * differently.  Rows are matched by names, because everything else may have moved.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../lib/build-id.h"
#include "count-diff.h"
#include "../lib/log.h"
#include "../lib/run-name.h"
#include "../input/unchecked.h"

/**
 * struct row - a function, a line or a block
 * @file: as from run_name(); borrowed; @kernel: it is the kernel, or a module
 * @symbol: owned
 * @source: for COUNT_BY_LINE, or NULL; owned
 * @number: line, or offset in the function
 * @insns: executed, in both
 */
struct row {
	const char *file;
	char *symbol, *source;
	uint64_t number;
	uint64_t insns[2];
	bool kernel;
};

/* @next: at this many rows, equal ones are joined. */
struct rows {
	struct row *row;
	size_t n, size, next;
	char **file;		/* names, n_file of them */
	size_t n_file, size_file;
	uint64_t total[2];
};

/* A file whose blocks are being read. */
struct reading {
	struct count_diff *d;
	struct rows *rows;
	struct dso_table *dsos;
	struct dso *dso;
	struct elf_file *elf;	/* NULL: missing */
	const char *file;
	int side;
	bool kernel;
};

static void rows_fini(struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->row[i].symbol);
		free(rows->row[i].source);
	}
	for (size_t i = 0; i < rows->n_file; i++)
		free(rows->file[i]);
	free(rows->file);
	free(rows->row);
}

/* A copy that lives as long as the rows; NULL: no memory. */
static const char *keep_name(struct rows *rows, const char *path)
{
	char name[256], *copy = strdup(run_name(path, name, sizeof(name)));

	if (!copy || !array_room(&rows->file, rows->n_file, &rows->size_file, sizeof(char *))) {
		free(copy);
		return NULL;
	}
	rows->file[rows->n_file++] = copy;
	return copy;
}

/* ---------------------------------------------------------------- order */

static int order_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_name(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	if (!order)
		order = strcmp(x->symbol, y->symbol);
	if (!order)
		order = order_text(x->source, y->source);
	if (!order)
		order = x->number < y->number ? -1 : x->number > y->number;
	return order;
}

static uint64_t change_of(const struct row *r)
{
	return r->insns[1] > r->insns[0] ? r->insns[1] - r->insns[0] : r->insns[0] - r->insns[1];
}

static int by_change(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	uint64_t cx = change_of(x), cy = change_of(y);

	return cx != cy ? (cx > cy ? -1 : 1) : by_name(a, b);
}

/* Joins equal rows. */
static void settle(struct rows *rows)
{
	size_t n = 0;

	if (rows->n)
		qsort(rows->row, rows->n, sizeof(*rows->row), by_name);
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *r = &rows->row[i];

		if (!n || by_name(&rows->row[n - 1], r)) {
			rows->row[n++] = *r;
			continue;
		}
		for (int side = 0; side < 2; side++)
			rows->row[n - 1].insns[side] = count_sum(rows->row[n - 1].insns[side],
								 r->insns[side]);
		free(r->symbol);
		free(r->source);
	}
	rows->n = n;
	rows->next = 2 * n + 4096;
}

/* ---------------------------------------------------------------- reading counts */

static int add(struct reading *r, const struct row *model, const char *symbol, const char *source)
{
	struct rows *rows = r->rows;
	struct row row = *model;

	if (rows->n >= rows->next)
		settle(rows);
	if (!array_room(&rows->row, rows->n, &rows->size, sizeof(row)))
		return -ENOMEM;
	row.symbol = strdup(symbol);
	row.source = source ? strdup(source) : NULL;
	if (!row.symbol || (source && !row.source)) {
		free(row.symbol);
		return -ENOMEM;
	}
	rows->row[rows->n++] = row;
	return 0;
}

static bool symbol_at(const struct reading *r, uint64_t addr, struct elf_symbol *symbol)
{
	const struct dso_place at = { .dso = r->dso, .addr = addr, .run = addr,
				      .in_file = r->elf };

	return dso_symbol(r->dsos, &at, symbol);
}

/* Adds instructions in @bytes from @addr on, each executed @count times, @n in all. */
static int add_part(struct reading *r, uint64_t addr, uint64_t n, uint64_t count)
{
	struct row row = { .file = r->file, .kernel = r->kernel };
	struct elf_symbol symbol;
	struct elf_line line;
	bool named = symbol_at(r, addr, &symbol);

	row.insns[r->side] = count_times(n, count);
	r->rows->total[r->side] = count_sum(r->rows->total[r->side], row.insns[r->side]);
	if (r->d->by == COUNT_BY_OFFSET || (!named && r->d->by != COUNT_BY_LINE))
		row.number = named ? addr - symbol.addr : r->d->by == COUNT_BY_OFFSET ? addr : 0;
	if (r->d->by != COUNT_BY_LINE || !r->elf || !elf_file_line(r->elf, addr, &line))
		return add(r, &row, named ? symbol.name : "[unknown]", NULL);
	row.number = line.line;
	return add(r, &row, named ? symbol.name : "[unknown]", line.file);
}

/* The end of the part from @addr that is counted as one, up to @end. */
static uint64_t part_end(const struct reading *r, const struct count_block *b, uint64_t addr,
			 uint64_t end)
{
	struct elf_symbol symbol;

	/* a block does not tell where T32 instructions begin */
	if (r->d->by == COUNT_BY_OFFSET || b->isa == CSF_T32)
		return end;
	if (r->d->by == COUNT_BY_LINE)
		return addr + 4;
	if (symbol_at(r, addr, &symbol) && symbol.addr + symbol.size > addr &&
	    symbol.addr + symbol.size < end)
		return symbol.addr + symbol.size;
	return end;
}

static int add_block(struct reading *r, const struct count_block *b, uint64_t addr)
{
	uint64_t end = addr + b->size;
	int err = 0;

	/* a forged table may have one that wraps around */
	if (addr > UINT64_MAX - b->size)
		return 0;
	while (addr < end && !err) {
		uint64_t to = part_end(r, b, addr, end);
		bool whole = b->isa == CSF_T32 || to - addr == b->size;

		err = add_part(r, addr, whole ? b->n_insn : (to - addr) / 4, count_ran(b));
		addr = to;
	}
	return err;
}

/* ---------------------------------------------------------------- files */

static uint64_t address_of(const struct reading *r, uint64_t offset)
{
	const struct elf_segment *s;

	if (!r->elf || r->dso->kind == DSO_KERNEL || r->elf->is_module)
		return offset;
	s = elf_segment_at(r->elf, offset);
	return s ? s->addr + (offset - s->offset) : offset;
}

static int read_file(struct reading *r, const struct count_dso *counts)
{
	const struct dso_key key = {
		.name = counts->name, .build_id = counts->build_id,
		.n_build_id = counts->n_build_id, .kind = counts->kind,
	};
	long n = dso_add(r->dsos, &key);
	int err = 0;

	if (n < 0)
		return -ENOMEM;
	r->dso = r->dsos->dso[n];
	r->elf = dso_load(r->dsos, r->dso) ? r->dso->elf : NULL;
	r->file = keep_name(r->rows, counts->name);
	if (!r->file)
		return -ENOMEM;
	r->kernel = counts->kind == DSO_KERNEL || counts->kind == DSO_MODULE;
	if (!r->elf && (counts->n_block || counts->lost) &&
	    (counts->kind == DSO_FILE || counts->kind == DSO_MODULE)) {
		missing_say(r->d->name[r->side], r->dso);
		r->d->missing++;
	}
	for (size_t i = 0; i < counts->n_block && !err; i++)
		err = add_block(r, &counts->block[i], address_of(r, counts->block[i].start));
	return err;
}

/* Names belong to the files, so these stay open until everything is printed. */
static int read_table(struct count_diff *d, int side, struct rows *rows, struct dso_table *dsos)
{
	struct reading r = { .d = d, .rows = rows, .dsos = dsos, .side = side };
	int err = 0;

	for (size_t i = 0; i < d->table[side]->n && !err; i++)
		err = read_file(&r, &d->table[side]->dso[i]);
	return err;
}

/* ---------------------------------------------------------------- printing */

static double share(const struct rows *rows, const struct row *r, int side)
{
	return rows->total[side] ? 100.0 * r->insns[side] / rows->total[side] : 0;
}

static int digits(uint64_t v)
{
	int n = 1;

	for (; v >= 10; v /= 10)
		n++;
	return n;
}

/**
 * struct widths - of columns
 */
struct widths {
	int count, change, file;
};

static struct widths widths_of(const struct rows *rows)
{
	struct widths w = { .count = 12, .change = 8, .file = 13 };

	for (size_t i = 0; i < rows->n; i++) {
		const struct row *r = &rows->row[i];

		for (int side = 0; side < 2; side++)
			if (digits(r->insns[side]) > w.count)
				w.count = digits(r->insns[side]);
		if (digits(change_of(r)) + 1 > w.change)
			w.change = digits(change_of(r)) + 1;
		if ((int)strlen(r->file) > w.file)
			w.file = strlen(r->file);
	}
	return w;
}

static void dots(FILE *f, int n)
{
	while (n--)
		fputc('.', f);
	fprintf(f, "  ");
}

static void print_head(const struct count_diff *d, const struct rows *rows, const struct widths *w)
{
	for (int side = 0; side < 2; side++)
		fprintf(d->out, "# %c: %" PRIu64 " instructions, %s\n", "AB"[side],
			rows->total[side], d->name[side]);
	fprintf(d->out, "#\n# Baseline  Delta Abs  %-*s  %-*s  %-*s  Symbol\n# ", w->count,
		"Instructions", w->change, "Change", w->file, "Shared Object");
	dots(d->out, 8);
	dots(d->out, 9);
	dots(d->out, w->count);
	dots(d->out, w->change);
	dots(d->out, w->file);
	fprintf(d->out, "......\n#\n");
}

static void print_row(const struct count_diff *d, const struct rows *rows, const struct row *r,
		      const struct widths *w)
{
	const double before = share(rows, r, 0), after = share(rows, r, 1);
	char baseline[16] = "", change[32];

	if (r->insns[0])
		snprintf(baseline, sizeof(baseline), "%.2f%%", before);
	snprintf(change, sizeof(change), "%c%" PRIu64, r->insns[1] > r->insns[0] ? '+' : '-',
		 change_of(r));
	fprintf(d->out, "%10s  %+8.2f%%  %*" PRIu64 "  %*s  %-*s  [%c] %s", baseline,
		after - before, w->count, r->insns[1], w->change, change, w->file, r->file,
		r->kernel ? 'k' : '.', r->symbol);
	if (r->source)
		fprintf(d->out, "  %s:%" PRIu64, basename(r->source), r->number);
	else if (d->by == COUNT_BY_OFFSET)
		fprintf(d->out, "+0x%" PRIx64, r->number);
	fprintf(d->out, "\n");
}

static void print(struct count_diff *d, const struct rows *rows)
{
	const struct widths w = widths_of(rows);

	print_head(d, rows, &w);
	for (size_t i = 0; i < rows->n && change_of(&rows->row[i]); i++) {
		d->changed++;
		if (!d->limit || i < d->limit)
			print_row(d, rows, &rows->row[i], &w);
	}
}

int count_diff(struct count_diff *d)
{
	struct rows rows = { .next = 4096 };
	struct dso_table dsos[2];
	int err = 0;

	memset(dsos, 0, sizeof(dsos));
	for (int side = 0; side < 2 && !err; side++) {
		err = dso_table_init(&dsos[side], d->dso) ? -ENOMEM : 0;
		if (!err)
			err = read_table(d, side, &rows, &dsos[side]);
	}
	if (!err) {
		settle(&rows);
		if (rows.n)
			qsort(rows.row, rows.n, sizeof(*rows.row), by_change);
		print(d, &rows);
	}
	rows_fini(&rows);
	for (int side = 0; side < 2; side++) {
		unchecked_tell(&dsos[side]);
		if (dsos[side].hash)
			dso_table_fini(&dsos[side]);
	}
	return err;
}
