// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page: report-page.html has everything to display, with the counts as JSON in the
 * middle.  Names are only data: the page makes texts of them, never markup.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "../lib/json.h"

/* The limits of a page that a browser can open at once. */
#define FUNCTIONS_MAX	5000
#define NODES_MAX	20000
#define CODES_MAX	400
#define INSNS_MAX	60000
#define TARGETS_MAX	8
#define SOURCE_TEXT_MAX	200
#define ROWS_MAX	1000

/* Where the data goes in the page. */
static const char mark[] = "@DATA@";

/*
 * The file itself, with a zero at its end.  The name is global: with -flto, this and the code
 * that reads it may be in two objects.
 */
__asm__(".section .rodata\n"
	".globl report_page\n"
	".hidden report_page\n"
	"report_page:\n"
	".incbin \"tools/report/report-page.html\"\n"
	".byte 0\n"
	".previous\n");

/**
 * struct page - the page to write
 * @rows: functions
 * @tree: calls
 * @code: for each row, the number of its code, from 1; 0: none
 * @n_insn: instructions of code so far
 */
struct page {
	struct report *r;
	FILE *f;
	struct report_rows rows;
	struct call_tree tree;
	uint32_t *code;
	size_t n_insn;
	struct disasm *dis;
	struct source_text source;
};

/* Numbers that a browser would round are written as texts. */
static void print_number(FILE *f, uint64_t n)
{
	const char *quote = n >> 53 ? "\"" : "";

	fprintf(f, "%s%" PRIu64 "%s", quote, n, quote);
}

static void print_numbers(FILE *f, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", f);
		print_number(f, v[i]);
	}
}

/* ---------------------------------------------------------------- head */

static void print_head(const struct page *p)
{
	const struct report *r = p->r;
	uint64_t totals[] = { r->insns, r->cycles, r->timed, r->table.stat[COUNT_BYTES], 0,
			      r->table.stat[COUNT_SKIPPED] };

	for (int g = 0; g < CSF_GAP_NR; g++)
		totals[4] = count_sum(totals[4], r->table.stat[COUNT_LOST + g]);
	fprintf(p->f, "{\"files\":[");
	for (int i = 0; i < r->n_path; i++) {
		fputs(i ? "," : "", p->f);
		json_string(p->f, r->path[i]);
	}
	fprintf(p->f, "],\n\"totals\":[");
	print_numbers(p->f, totals, 6);
	fprintf(p->f, "],\n\"dsos\":[");
	for (size_t i = 0; i < r->table.n; i++) {
		fputs(i ? "," : "", p->f);
		json_string(p->f, report_base(r->table.dso[i].name));
	}
	fprintf(p->f, "],\n");
}

/* ---------------------------------------------------------------- functions */

/* name, file, instructions, cycles, with cycles, code; if known: calls, with callees */
static void print_functions(const struct page *p)
{
	fprintf(p->f, "\"functions\":[");
	for (size_t i = 0; i < p->rows.n && i < FUNCTIONS_MAX; i++) {
		const struct report_row *row = &p->rows.row[i];
		const struct call_sum *sum = report_calls_of(p->r, row);
		const uint64_t v[] = { row->dso, row->insns, row->cycles, row->timed, p->code[i],
				       sum ? sum->calls : 0, sum ? sum->total : 0 };

		fputs(i ? ",\n[" : "\n[", p->f);
		json_string(p->f, row->symbol ? row->symbol : "[unknown]");
		fprintf(p->f, ",");
		print_numbers(p->f, v, sum ? 7 : 5);
		fprintf(p->f, "]");
	}
	fprintf(p->f, "],\n\"more_functions\":%zu,\n",
		p->rows.n > FUNCTIONS_MAX ? p->rows.n - FUNCTIONS_MAX : 0);
}

/* ---------------------------------------------------------------- calls */

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x > *y ? -1 : *x < *y;
}

/* The least total of a shown node: there may be more nodes with that total. */
static int least_total(const struct call_tree *t, uint64_t *least)
{
	uint64_t *total;

	*least = 1;
	if (t->n <= NODES_MAX)
		return 0;
	total = malloc(t->n * sizeof(*total));
	if (!total)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		total[i] = t->node[i].total;
	qsort(total, t->n, sizeof(*total), by_number);
	*least = total[NODES_MAX] + 1;
	free(total);
	return 0;
}

/* parent, name, self, total, calls; parents come first, with at least the total of a child */
static int print_calls(const struct page *p)
{
	const struct call_tree *t = &p->tree;
	uint32_t *to = calloc(t->n + 1, sizeof(*to)), n = 0;
	uint64_t least = 0;
	int err = to ? least_total(t, &least) : -ENOMEM;

	fprintf(p->f, "\"tree\":[");
	for (size_t i = 0; i < t->n && !err; i++) {
		const struct call_node *node = &t->node[i];

		if (i && node->total < least)
			continue;
		fprintf(p->f, "%s[%" PRIu32 ",", i ? ",\n" : "\n", to[node->parent]);
		json_string(p->f, call_tree_name(t, i));
		fprintf(p->f, ",");
		print_numbers(p->f, (const uint64_t[]){ node->self, node->total, node->calls }, 3);
		fprintf(p->f, "]");
		to[i] = n++;
	}
	fprintf(p->f, "],\n\"more_nodes\":%zu,\n", t->n - n);
	free(to);
	return err;
}

/* ---------------------------------------------------------------- code */

static void print_target(const struct page *p, const struct count_edge *e)
{
	struct place_symbol symbol;

	if (e->dso == COUNT_OUTSIDE) {
		json_string(p->f, "[unknown]");
		fprintf(p->f, ",0");
	} else if (places_symbol(&p->r->places, e->dso, e->to, &symbol)) {
		json_string(p->f, symbol.name);
		fprintf(p->f, ",");
		print_number(p->f, e->to - symbol.start);
	} else {
		fprintf(p->f, "\"\",");
		print_number(p->f, places_address(&p->r->places, e->dso, e->to));
	}
}

/*
 * address, count, text, line; at the first of a block: cycles, with cycles; for a branch: taken,
 * passed, targets
 */
static void print_insn(const struct page *p, const struct hot_lines *hot, size_t number)
{
	const struct hot_insn *insn = &hot->insn[number];
	uint64_t time[] = { 0, 0 };
	const char *text = "";
	char word[32];

	if (p->dis)
		text = disasm_insn(p->dis, insn->isa, insn->opcode, insn->size, insn->addr);
	if (!*text) {
		snprintf(word, sizeof(word), ".inst 0x%0*" PRIx32, 2 * insn->size, insn->opcode);
		text = word;
	}
	fprintf(p->f, "[\"%" PRIx64 "\",", insn->addr);
	print_number(p->f, insn->count);
	fprintf(p->f, ",");
	json_string(p->f, text);
	fprintf(p->f, ",%" PRId32 ",", (int32_t)insn->line);
	if (insn->begins)
		time[0] = hot_block_cycles(hot, number, &time[1]);
	print_numbers(p->f, time, 2);
	if (insn->taken || insn->passed) {
		fprintf(p->f, ",");
		print_numbers(p->f, (const uint64_t[]){ insn->taken, insn->passed }, 2);
		fprintf(p->f, ",[");
		for (size_t i = 0; i < insn->n_edge && i < TARGETS_MAX; i++) {
			fputs(i ? ",[" : "[", p->f);
			print_target(p, &insn->edge[i]);
			fprintf(p->f, ",");
			print_number(p->f, insn->edge[i].count);
			fprintf(p->f, "]");
		}
		fprintf(p->f, "],%zu", insn->n_edge > TARGETS_MAX ? insn->n_edge - TARGETS_MAX : 0);
	}
	fprintf(p->f, "]");
}

/* file, number, text, instructions, times, cycles, with cycles */
static void print_line(struct page *p, const struct hot_line *line)
{
	const uint64_t sums[] = { line->insns, line->count, line->cycles, line->timed };
	char copy[SOURCE_TEXT_MAX + 1] = "";
	size_t n = 0;
	const char *text = source_text_line(&p->source, line->file, line->line, &n);

	if (n > SOURCE_TEXT_MAX)
		n = SOURCE_TEXT_MAX;
	if (text)
		memcpy(copy, text, n);
	fprintf(p->f, "[");
	json_string(p->f, report_base(line->file));
	fprintf(p->f, ",%d,", line->line);
	json_string(p->f, copy);
	fprintf(p->f, ",");
	print_numbers(p->f, sums, 4);
	fprintf(p->f, "]");
}

static void print_code(struct page *p, const struct report_row *row, const struct hot_lines *hot)
{
	fputs(p->n_insn ? ",\n{\"name\":" : "\n{\"name\":", p->f);
	json_string(p->f, row->symbol);
	fprintf(p->f, ",\"dso\":%zu,\"insns\":", row->dso);
	print_number(p->f, hot->insns);
	fprintf(p->f, ",\"lines\":[");
	for (size_t i = 0; i < hot->n_line; i++) {
		fputs(i ? "," : "", p->f);
		print_line(p, &hot->line[i]);
	}
	fprintf(p->f, "],\"code\":[");
	for (size_t i = 0; i < hot->n; i++) {
		fputs(i ? "," : "", p->f);
		print_insn(p, hot, i);
	}
	fprintf(p->f, "]}");
	p->n_insn += hot->n;
}

/* Return: 1: there was code, and room for it; -ENOMEM. */
static int add_code(struct page *p, const struct hot_edges *edges, const struct report_row *row)
{
	struct hot_lines hot = { 0 };
	int err;

	if (!row->symbol || row->size / 2 > INSNS_MAX - p->n_insn)
		return 0;
	err = hot_lines_read(&hot, edges, row->start, row->start + row->size);
	if (!err)
		hot_lines_times(&hot, &p->r->places, &p->r->tally, row->dso);
	if (!err && hot.n && hot.n <= INSNS_MAX - p->n_insn) {
		print_code(p, row, &hot);
		err = 1;
	}
	hot_lines_fini(&hot);
	return err < 0 && err != -ENOMEM ? 0 : err;
}

/* Writes the code of the hottest functions. */
static int print_codes(struct page *p)
{
	size_t n_dso = p->r->table.n, n = 0;
	struct hot_edges *edges = calloc(n_dso + 1, sizeof(*edges));
	int err = edges ? 0 : -ENOMEM;

	fprintf(p->f, "\"code\":[");
	for (size_t i = 0; i < n_dso && !err; i++)
		err = hot_edges_read(&edges[i], &p->r->places, i);
	for (size_t i = 0; i < p->rows.n && i < FUNCTIONS_MAX && n < CODES_MAX && !err; i++) {
		int added = add_code(p, &edges[p->rows.row[i].dso], &p->rows.row[i]);

		if (added < 0)
			err = added;
		else if (added)
			p->code[i] = ++n;
	}
	fprintf(p->f, "],\n");
	for (size_t i = 0; edges && i < n_dso; i++)
		hot_edges_fini(&edges[i]);
	free(edges);
	return err;
}

/* ---------------------------------------------------------------- loops, blocks, edges */

/* name, offset, file, address */
static void print_where(const struct page *p, size_t dso, uint64_t offset)
{
	struct place_symbol symbol;
	const bool known = places_symbol(&p->r->places, dso, offset, &symbol);

	fprintf(p->f, "[");
	json_string(p->f, known ? symbol.name : "");
	fprintf(p->f, ",");
	print_number(p->f, known ? offset - symbol.start : 0);
	fprintf(p->f, ",%zu,\"%" PRIx64 "\"],", dso, places_address(&p->r->places, dso, offset));
}

static void print_source(const struct page *p, size_t dso, uint64_t offset)
{
	struct elf_line line;

	if (!places_line(&p->r->places, dso, offset, &line)) {
		fprintf(p->f, "\"\",0,");
		return;
	}
	json_string(p->f, report_base(line.file));
	fprintf(p->f, ",%d,", line.line);
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
static int print_loops(const struct page *p)
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
		print_numbers(p->f, v, 9);
		fprintf(p->f, "]");
	}
	fprintf(p->f, "],\n");
	free(loop);
	return err;
}

/* first, file, line, instructions, executed, their number; for a conditional branch: taken */
static int print_blocks(const struct page *p)
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
		print_numbers(p->f, v, count_branches(b) && b->flags & CSF_FLAG_COND ? 4 : 3);
		fprintf(p->f, "]");
	}
	fprintf(p->f, "],\n");
	free(hot);
	return err;
}

/* from, to if known, kind, taken */
static int print_edges(const struct page *p)
{
	struct report_edges list;
	int err = report_edges(p->r, &list);

	fprintf(p->f, "\"taken\":");
	print_number(p->f, list.all);
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
		print_number(p->f, e->edge.count);
		fprintf(p->f, "]");
	}
	fprintf(p->f, "],\n");
	free(list.edge);
	return err;
}

/* ---------------------------------------------------------------- the page */

static int print_data(struct page *p)
{
	int err;

	print_head(p);
	err = print_calls(p);
	if (!err)
		err = print_codes(p);
	if (!err)
		err = print_loops(p);
	if (!err)
		err = print_blocks(p);
	if (!err)
		err = print_edges(p);
	if (err)
		return err;
	print_functions(p);
	fprintf(p->f, "\"version\":1}\n");
	return 0;
}

int report_print_page(struct report *r, FILE *f)
{
	const char *data = strstr(report_page, mark);
	struct page p = { .r = r, .f = f, .source = { .symfs = r->options.dso.symfs } };
	int err = report_rows(r, REPORT_DSO | REPORT_SYMBOL, &p.rows);

	p.code = calloc(p.rows.n + 1, sizeof(*p.code));
	if (!err && p.code)
		err = call_tree_read(&p.tree, &r->contexts, false);
	if (!p.code)
		err = -ENOMEM;
	if (!err)
		err = disasm_new(&p.dis) == -ENOMEM ? -ENOMEM : 0;
	if (!err) {
		fwrite(report_page, 1, data - report_page, f);
		err = print_data(&p);
		fputs(data + strlen(mark), f);
	}
	disasm_free(p.dis);
	source_text_fini(&p.source);
	call_tree_fini(&p.tree);
	free(p.code);
	free(p.rows.row);
	return err;
}
