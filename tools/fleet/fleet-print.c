// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/lower-bound.h"
#include "../lib/json.h"
#include "../lib/table.h"
#include "fleet.h"

/* ---------------------------------------------------------------- groups */

/* Overlaps of a group with the one before and with the first; -1: there is none. */
struct drift {
	double functions, blocks, first;
};

static struct drift drift_of(const struct fleet *f, size_t i)
{
	const struct fleet_group *g = &f->group[i], *before;

	if (!i)
		return (struct drift){ -1, -1, -1 };
	before = &f->group[i - 1];
	return (struct drift){
		.functions = fleet_overlap(&before->functions, &g->functions),
		.blocks = fleet_overlap(&before->blocks, &g->blocks),
		.first = fleet_overlap(&f->group[0].blocks, &g->blocks),
	};
}

/* Percentages are rounded down, so that only what is the same has 100. */
static void cell_of(struct table *t, double share)
{
	if (share < 0)
		table_cell(t, "-");
	else
		table_cell(t, "%.1f", (int)(1000 * share + .000001) / 10.0);
}

static uint64_t insns_of(const struct fleet *f)
{
	uint64_t all = 0;

	for (size_t i = 0; i < f->n_group; i++)
		all = count_sum(all, f->group[i].insns);
	return all;
}

static void add_columns(const struct fleet *f, struct table *t)
{
	static const char *const titles[] = {
		"Tables", "Instructions", "Share", "Functions", "Overlap", "Blocks", "First",
	};
	static const char *const by[] = { "Version", "Week", "Machine" };

	table_column(t, by[f->by], false);
	for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
		table_column(t, titles[i], true);
	for (int i = 0; i < QUALITY_NR; i++)
		table_column(t, quality_name(i), true);
}

static int print_groups(const struct fleet *f)
{
	const uint64_t all = insns_of(f);
	struct table t = { 0 };

	add_columns(f, &t);
	for (size_t i = 0; i < f->n_group; i++) {
		const struct fleet_group *g = &f->group[i];
		const struct drift drift = drift_of(f, i);

		table_cell(&t, "%s", g->label);
		table_number(&t, g->n);
		table_number(&t, g->insns);
		table_share(&t, g->insns, all);
		table_number(&t, g->functions.n);
		cell_of(&t, drift.functions);
		cell_of(&t, drift.blocks);
		cell_of(&t, drift.first);
		for (int k = 0; k < QUALITY_NR; k++) {
			const int share = quality_of(&g->quality, k);

			cell_of(&t, share < 0 ? -1 : share / 1000.0);
		}
	}
	return table_print(&t);
}

/* ---------------------------------------------------------------- functions */

/* A function of the fleet, in the order of the share that it has anywhere at most. */
struct ranked {
	const struct fleet_row *row;
	double most;
};

static double share_of(const struct fleet_group *g, uint64_t key)
{
	const struct fleet_rows *r = &g->functions;
	const size_t i = LOWER_BOUND(r->n, k, r->row[k].key < key);

	if (i == r->n || r->row[i].key != key || !g->insns)
		return 0;
	return (double)r->row[i].insns / g->insns;
}

static int by_key(const void *p, const void *q)
{
	const struct ranked *a = p, *b = q;

	if (a->row->key != b->row->key)
		return a->row->key < b->row->key ? -1 : 1;
	return a->most > b->most ? -1 : a->most < b->most;
}

static int by_most(const void *p, const void *q)
{
	const struct ranked *a = p, *b = q;
	int order;

	if (a->most != b->most)
		return a->most > b->most ? -1 : 1;
	order = strcmp(a->row->name, b->row->name);
	return order ? order : strcmp(a->row->file, b->row->file);
}

/* All functions of the groups from @first on; the caller frees them.  NULL: no memory. */
static struct ranked *rank(const struct fleet *f, size_t first, size_t *n_out)
{
	struct ranked *all;
	size_t n = 0, kept = 0;

	for (size_t i = first; i < f->n_group; i++)
		n += f->group[i].functions.n;
	all = calloc(n + 1, sizeof(*all));
	n = 0;
	for (size_t i = first; all && i < f->n_group; i++)
		for (size_t k = 0; k < f->group[i].functions.n; k++) {
			const struct fleet_row *row = &f->group[i].functions.row[k];

			all[n++] = (struct ranked){ row, share_of(&f->group[i], row->key) };
		}
	if (all && n)
		qsort(all, n, sizeof(*all), by_key);
	for (size_t i = 0; i < n; i++)
		if (!kept || all[kept - 1].row->key != all[i].row->key)
			all[kept++] = all[i];
	if (all && kept)
		qsort(all, kept, sizeof(*all), by_most);
	*n_out = kept;
	return all;
}

static size_t first_shown(const struct fleet *f)
{
	return f->n_group > FLEET_GROUPS ? f->n_group - FLEET_GROUPS : 0;
}

static int print_functions(const struct fleet *f)
{
	const size_t first = first_shown(f);
	struct table t = { 0 };
	size_t n = 0;
	struct ranked *all = rank(f, first, &n);

	if (!all)
		return -ENOMEM;
	for (size_t i = first; i < f->n_group; i++)
		table_column(&t, f->group[i].label, true);
	table_column(&t, "File", false);
	table_column(&t, "Function", false);
	for (size_t i = 0; i < n && i < FLEET_FUNCTIONS; i++) {
		for (size_t k = first; k < f->n_group; k++)
			cell_of(&t, share_of(&f->group[k], all[i].row->key));
		table_cell(&t, "%s", all[i].row->file);
		table_cell(&t, "%s", all[i].row->name);
	}
	free(all);
	return table_print(&t);
}

int fleet_print(const struct fleet *f, FILE *out)
{
	int err;

	fprintf(out, "# csflow report: %zu count tables by %s\n#\n", f->n, fleet_by_names[f->by]);
	fprintf(out, "# Overlap: of functions with the line above, in per cent; Blocks: of blocks;\n"
		"# First: of blocks with the first line; the rest: quality, in per cent\n#\n");
	err = print_groups(f);
	if (err)
		return err;
	fprintf(out, "\n# Share of instructions by function, in per cent\n#\n");
	return print_functions(f);
}

/* ---------------------------------------------------------------- for programs */

static void put_csv(FILE *out, const char *text)
{
	const bool quoted = strpbrk(text, ",\"\n");

	if (quoted)
		fputc('"', out);
	for (; *text; text++)
		fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
	if (quoted)
		fputc('"', out);
}

/* @share: -1: it is not known. */
static void put_share(FILE *out, double share, const char *unknown)
{
	if (share < 0)
		fputs(unknown, out);
	else
		fprintf(out, "%.6f", share);
}

static void put_quality(FILE *out, const struct quality *q, int part, const char *unknown)
{
	const int share = quality_of(q, part);

	put_share(out, share < 0 ? -1 : share / 1000.0, unknown);
}

int fleet_csv(const struct fleet *f, FILE *out)
{
	fprintf(out, "%s,tables,instructions,functions,overlap_functions,overlap_blocks,overlap_first",
		fleet_by_names[f->by]);
	for (int i = 0; i < QUALITY_NR; i++)
		fprintf(out, ",%s", quality_name(i));
	for (size_t i = 0; i < f->n_group; i++) {
		const struct fleet_group *g = &f->group[i];
		const struct drift d = drift_of(f, i);
		const double shares[] = { d.functions, d.blocks, d.first };

		fputc('\n', out);
		put_csv(out, g->label);
		fprintf(out, ",%zu,%" PRIu64 ",%zu", g->n, g->insns, g->functions.n);
		for (int k = 0; k < 3; k++) {
			fputc(',', out);
			put_share(out, shares[k], "");
		}
		for (int k = 0; k < QUALITY_NR; k++) {
			fputc(',', out);
			put_quality(out, &g->quality, k, "");
		}
	}
	fputc('\n', out);
	return 0;
}

static void json_group(const struct fleet *f, size_t i, FILE *out)
{
	const struct fleet_group *g = &f->group[i];
	const struct drift d = drift_of(f, i);

	fprintf(out, "%s\n  {\"%s\": ", i ? "," : "", fleet_by_names[f->by]);
	json_string(out, g->label);
	fprintf(out, ", \"tables\": %zu, \"instructions\": %" PRIu64 ", \"functions\": %zu", g->n,
		g->insns, g->functions.n);
	fprintf(out, ", \"overlap_functions\": ");
	put_share(out, d.functions, "null");
	fprintf(out, ", \"overlap_blocks\": ");
	put_share(out, d.blocks, "null");
	fprintf(out, ", \"overlap_first\": ");
	put_share(out, d.first, "null");
	for (int k = 0; k < QUALITY_NR; k++) {
		fprintf(out, ", \"%s\": ", quality_name(k));
		put_quality(out, &g->quality, k, "null");
	}
	fputc('}', out);
}

int fleet_json(const struct fleet *f, FILE *out)
{
	size_t n = 0;
	struct ranked *all = rank(f, 0, &n);

	if (!all)
		return -ENOMEM;
	fprintf(out, "{\n \"groups\": [");
	for (size_t i = 0; i < f->n_group; i++)
		json_group(f, i, out);
	fprintf(out, "\n ],\n \"functions\": [");
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%s\n  {\"name\": ", i ? "," : "");
		json_string(out, all[i].row->name);
		fprintf(out, ", \"file\": ");
		json_string(out, all[i].row->file);
		fprintf(out, ", \"shares\": [");
		for (size_t k = 0; k < f->n_group; k++) {
			fputs(k ? ", " : "", out);
			put_share(out, share_of(&f->group[k], all[i].row->key), "null");
		}
		fprintf(out, "]}");
	}
	fprintf(out, "\n ]\n}\n");
	free(all);
	return 0;
}
