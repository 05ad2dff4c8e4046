// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../../perf-plugin/demangle.h"
#include "annotate-parts.h"

/* The most places that are listed. */
#define PLACES		20

/* A place where the function is inlined, in @function, which is around it. */
struct site {
	const struct elf_inlined *inlined;
	const char *function;
	uint64_t insns;
};

/* A line of the source at one place. */
struct site_line {
	size_t site;
	struct hot_line line;
};

/* @all: all places together */
struct sites {
	const char *name;
	struct site *site;
	struct site_line *line;
	size_t n, size, n_line, size_line;
	struct hot_lines all;
};

/* ---------------------------------------------------------------- what ran */

static bool is_named(const struct elf_function *f, const char *name)
{
	return !strcmp(f->linkage, name) || demangle_is(f->name, name);
}

/* Return: the number of the place; SIZE_MAX: no memory. */
static size_t site_of(struct sites *s, const struct elf_inlined *in, const char *function)
{
	for (size_t i = s->n; i-- > 0;)
		if (s->site[i].inlined == in)
			return i;
	if (!array_room(&s->site, s->n, &s->size, sizeof(*s->site)))
		return SIZE_MAX;
	s->site[s->n] = (struct site){ .inlined = in, .function = function };
	return s->n++;
}

static struct hot_line *line_of(struct sites *s, size_t site, const struct hot_line *line)
{
	for (size_t i = s->n_line; i-- > 0;) {
		const struct site_line *at = &s->line[i];

		if (at->site == site && at->line.line == line->line &&
		    !strcmp(at->line.file, line->file))
			return &s->line[i].line;
	}
	if (!array_room(&s->line, s->n_line, &s->size_line, sizeof(*s->line)))
		return NULL;
	s->line[s->n_line] = (struct site_line){ site, { line->file, line->line } };
	return &s->line[s->n_line++].line;
}

static bool add_insn(struct sites *s, size_t site, const struct hot_lines *hot, size_t i)
{
	const struct hot_insn *insn = &hot->insn[i];
	struct hot_line *line;

	s->site[site].insns = count_sum(s->site[site].insns, insn->count);
	s->all.insns = count_sum(s->all.insns, insn->count);
	if (insn->line == HOT_NO_LINE)
		return true;
	line = line_of(s, site, &hot->line[insn->line]);
	if (!line)
		return false;
	line->insns = count_sum(line->insns, insn->count);
	if (line->count < insn->count)
		line->count = insn->count;
	return true;
}

/* Adds the code of the function @row that is inlined from there. */
static int add_function(struct sites *s, struct places *places, const struct report_row *row,
			const struct hot_lines *hot)
{
	const struct elf_inlined *in = NULL;
	uint64_t end = 0;

	for (size_t i = 0; i < hot->n; i++) {
		size_t site;

		if (hot->insn[i].offset >= end) {
			in = places_inlined(places, row->dso, hot->insn[i].offset, &end);
			while (in && !is_named(in->function, s->name))
				in = in->outer;
		}
		if (!in || !hot->insn[i].count)
			continue;
		site = site_of(s, in, row->symbol);
		if (site == SIZE_MAX || !add_insn(s, site, hot, i))
			return -ENOMEM;
	}
	return 0;
}

/* Functions whose code is not here have none of it. */
static int add_file(struct sites *s, struct report *r, size_t dso, const struct report_rows *rows)
{
	struct hot_edges edges;
	int err = hot_edges_read(&edges, &r->places, dso);

	for (size_t i = 0; i < rows->n && !err; i++) {
		const struct report_row *row = &rows->row[i];
		struct hot_lines hot = { 0 };

		if (row->dso != dso || !row->symbol || !row->size)
			continue;
		err = hot_lines_read(&hot, &edges, row->start, row->start + row->size);
		if (!err)
			err = add_function(s, &r->places, row, &hot);
		hot_lines_fini(&hot);
		err = err == -ENOMEM ? err : 0;
	}
	hot_edges_fini(&edges);
	return err;
}

/* A line's count is that of its most executed instruction at each place. */
static int sum_lines(struct sites *s)
{
	struct hot_lines *all = &s->all;

	for (size_t i = 0; i < s->n_line; i++) {
		const struct hot_line *line = &s->line[i].line;
		size_t k = 0;

		while (k < all->n_line && (all->line[k].line != line->line ||
					   strcmp(all->line[k].file, line->file)))
			k++;
		if (!array_room(&all->line, all->n_line, &all->size_line, sizeof(*all->line)))
			return -ENOMEM;
		if (k == all->n_line)
			all->line[all->n_line++] = (struct hot_line){ line->file, line->line };
		all->line[k].insns = count_sum(all->line[k].insns, line->insns);
		all->line[k].count = count_sum(all->line[k].count, line->count);
	}
	return 0;
}

/* ---------------------------------------------------------------- text */

static int by_insns(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->insns != y->insns)
		return x->insns > y->insns ? -1 : 1;
	return x->inlined->entry < y->inlined->entry ? -1 : x->inlined->entry > y->inlined->entry;
}

static void print_head(struct annotate *a, struct sites *s)
{
	qsort(s->site, s->n, sizeof(*s->site), by_insns);
	fprintf(a->out, "# csflow annotate: %s\n#\n", s->site[0].inlined->function->marked);
	fprintf(a->out, "# Executed: %" PRIu64 " instructions, ", s->all.insns);
	annotate_share(a->out, s->all.insns, a->r->insns, 0);
	fprintf(a->out, " of all, where it is inlined:\n");
	for (size_t i = 0; i < s->n && i < PLACES; i++) {
		fprintf(a->out, "# %12" PRIu64 "  ", s->site[i].insns);
		annotate_callers(a, s->site[i].inlined, s->site[i].function);
	}
	if (s->n > PLACES)
		fprintf(a->out, "#               and %zu more places\n", s->n - PLACES);
	fprintf(a->out, "#\n");
}

int annotate_print_inlined(struct annotate *a, const char *name, const struct report_rows *rows)
{
	struct sites s = { .name = name };
	int err = 0;

	for (size_t i = 0; i < a->r->table.n && !err; i++)
		if (a->r->table.dso[i].n_block)
			err = add_file(&s, a->r, i, rows);
	if (!err)
		err = s.n ? sum_lines(&s) : -ENODATA;
	if (!err) {
		print_head(a, &s);
		if (a->source)
			err = annotate_lines(a, &s.all);
	}
	free(s.site);
	free(s.line);
	hot_lines_fini(&s.all);
	return err;
}
