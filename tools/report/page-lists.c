// SPDX-License-Identifier: GPL-2.0-only
/* Loops, blocks and edges of a page. */
#include <inttypes.h>
#include <stdlib.h>

#include "page-parts.h"

#define ROWS_MAX	1000

/* function and offset, or 0 and address; file; address */
static void print_where(struct page *p, size_t dso, uint64_t at)
{
	uint64_t offset;
	const uint32_t frame = page_function_at(p, dso, at, &offset);

	fprintf(p->f, "[%" PRIu32 ",", frame);
	page_number(p->f, offset);
	fprintf(p->f, ",%zu,\"%" PRIx64 "\"],", dso, places_address(&p->r->places, dso, at));
}

static void print_source(struct page *p, size_t dso, uint64_t offset)
{
	struct elf_line line;

	if (!places_line(&p->r->places, dso, offset, &line)) {
		fprintf(p->f, "0,0,");
		return;
	}
	fprintf(p->f, "%" PRIu32 ",%d,", page_text(&p->texts, report_base(line.file)), line.line);
}

/* The beginning of a row; with a separator unless it is the first. */
static const char *row_begins(size_t i)
{
	return i ? ",\n[" : "\n[";
}

/*
 * header, file, line, instructions, entries, trips; of complete visits: how many,
 * rounds, least, most; cut, depth
 */
int page_print_loops(struct page *p)
{
	const struct loop **loop;
	size_t n;
	int err = report_loops(p->r, &loop, &n);

	fprintf(p->f, "\"rounds\":%s,\n\"loops\":[", p->r->rounds ? "true" : "false");
	for (size_t i = 0; i < n && i < ROWS_MAX; i++) {
		const struct loop *l = loop[i];
		const uint64_t v[] = { l->insns, l->entries, l->trips, l->whole, l->rounds,
				       l->least, l->most, l->cut, l->depth };

		fputs(row_begins(i), p->f);
		print_where(p, l->dso, l->header);
		print_source(p, l->dso, l->header);
		page_numbers(p->f, v, 9);
		fprintf(p->f, "]");
	}
	fprintf(p->f, "],\n");
	free(loop);
	return err;
}

/* first, file, line, instructions, executed, their number; for a conditional branch: taken */
int page_print_blocks(struct page *p)
{
	struct report_block *hot;
	size_t n;
	int err = report_blocks(p->r, &hot, &n);

	fprintf(p->f, "\"blocks\":[");
	for (size_t i = 0; i < n && i < ROWS_MAX; i++) {
		const struct count_block *b = hot[i].block;
		const uint64_t v[] = { report_block_insns(b), count_ran(b), b->n_insn, b->taken };

		fputs(row_begins(i), p->f);
		print_where(p, hot[i].dso, b->start);
		print_source(p, hot[i].dso, b->start);
		page_numbers(p->f, v, count_branches(b) && b->flags & CSF_FLAG_COND ? 4 : 3);
		fprintf(p->f, "]");
	}
	fprintf(p->f, "],\n");
	free(hot);
	return err;
}

/* from, to if known, kind, taken */
int page_print_edges(struct page *p)
{
	struct report_edges list;
	int err = report_edges(p->r, &list);

	fprintf(p->f, "\"taken\":");
	page_number(p->f, list.all);
	fprintf(p->f, ",\n\"edges\":[");
	for (size_t i = 0; i < list.n && i < ROWS_MAX; i++) {
		const struct report_edge *e = &list.edge[i];

		fputs(row_begins(i), p->f);
		print_where(p, e->dso, e->edge.from);
		if (e->edge.dso == COUNT_OUTSIDE)
			fprintf(p->f, "null,");
		else
			print_where(p, e->edge.dso, e->edge.to);
		fprintf(p->f, "\"%s\",", report_edge_kind(e->edge.flags));
		page_number(p->f, e->edge.count);
		fprintf(p->f, "]");
	}
	fprintf(p->f, "],\n");
	free(list.edge);
	return err;
}
