// SPDX-License-Identifier: GPL-2.0-only
/* The code of functions of a page, as csflow annotate has it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "page-parts.h"

/* Functions with code, of each side; their instructions; and the targets of a branch */
#define CODES_MAX	400
#define INSNS_MAX	50000
#define TARGETS_MAX	8
#define SOURCE_TEXT_MAX	200

/* function and offset, or 0 and address; count */
static void print_target(struct page *p, const struct count_edge *e)
{
	uint64_t offset = 0;
	uint32_t frame = 0;

	if (e->dso != COUNT_OUTSIDE)
		frame = page_function_at(p, e->dso, e->to, &offset);
	fprintf(p->f, "[%" PRIu32 ",", frame);
	page_numbers(p->f, (const uint64_t[]){ offset, e->count }, 2);
	fprintf(p->f, "]");
}

static void print_branch(struct page *p, const struct hot_insn *insn)
{
	struct count_edge *edge = hot_targets(insn);

	p->texts.failed |= !edge;
	fprintf(p->f, ",");
	page_numbers(p->f, (const uint64_t[]){ insn->taken, insn->passed }, 2);
	fprintf(p->f, ",[");
	for (size_t i = 0; edge && i < insn->n_edge && i < TARGETS_MAX; i++) {
		fputs(i ? "," : "", p->f);
		print_target(p, &edge[i]);
	}
	fprintf(p->f, "],%zu", insn->n_edge > TARGETS_MAX ? insn->n_edge - TARGETS_MAX : 0);
	free(edge);
}

static uint32_t insn_text(struct page *p, const struct hot_insn *insn)
{
	const char *text = "";
	char word[32];

	if (p->dis)
		text = disasm_insn(p->dis, insn->isa, insn->opcode, insn->size, insn->addr);
	if (!*text) {
		snprintf(word, sizeof(word), ".inst 0x%0*" PRIx32, 2 * insn->size, insn->opcode);
		text = word;
	}
	return page_text(&p->texts, text);
}

/*
 * bytes after the last one, count, text, line; at the first of a block with cycles: these, and with
 * cycles; for a branch: these, taken, passed, targets, more of them
 */
static void print_insn(struct page *p, const struct hot_lines *hot, size_t number)
{
	const struct hot_insn *insn = &hot->insn[number];
	const bool branch = insn->taken || insn->passed;
	uint64_t time[] = { 0, 0 };

	fprintf(p->f, "[%" PRIu64 ",", number ? insn->addr - insn[-1].addr : 0);
	page_number(p->f, insn->count);
	fprintf(p->f, ",%" PRIu32 ",%" PRId32, insn_text(p, insn), (int32_t)insn->line);
	if (insn->begins)
		time[0] = hot_block_cycles(hot, number, &time[1]);
	if (branch || time[1]) {
		fprintf(p->f, ",");
		page_numbers(p->f, time, 2);
	}
	if (branch)
		print_branch(p, insn);
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
	fprintf(p->f, "[%" PRIu32 ",%d,%" PRIu32 ",", page_text(&p->texts, report_base(line->file)),
		line->line, page_text(&p->texts, copy));
	page_numbers(p->f, sums, 4);
	fprintf(p->f, "]");
}

static void print_code(struct page *p, const struct report_row *row, const struct hot_lines *hot)
{
	const uint32_t frame = page_frame_of_row(&p->frames, p->r, row);

	fprintf(p->f, "%s{\"frame\":%" PRIu32 ",\"dso\":%zu,\"at\":\"%" PRIx64 "\",\"insns\":",
		p->n_insn ? ",\n" : "\n", page_frame_use(&p->frames, frame), row->dso,
		hot->insn[0].addr);
	page_number(p->f, hot->insns);
	fprintf(p->f, ",\"lines\":[");
	for (size_t i = 0; i < hot->n_line; i++) {
		fputs(i ? "," : "", p->f);
		print_line(p, &hot->line[i]);
	}
	fprintf(p->f, "],\"rows\":[");
	for (size_t i = 0; i < hot->n; i++) {
		fputs(i ? "," : "", p->f);
		print_insn(p, hot, i);
	}
	fprintf(p->f, "]}");
	p->n_code++;
	p->n_insn += hot->n;
}

/* Return: 0 or -ENOMEM. */
static int add_code(struct page *p, const struct hot_edges *edges, const struct page_code *code)
{
	const struct report_row *row = code->row;
	const uint32_t frame = page_frame_of_row(&p->frames, p->r, row);
	struct hot_lines hot = { 0 };
	int err;

	if (!frame || !row->symbol || row->size / 2 > INSNS_MAX - p->n_insn)
		return 0;
	err = hot_lines_read(&hot, &edges[row->dso], row->start, row->start + row->size);
	if (!err)
		hot_lines_times(&hot, &p->r->places, &p->r->tally, row->dso);
	if (!err && hot.n && hot.n <= INSNS_MAX - p->n_insn) {
		print_code(p, row, &hot);
		p->frames.frame[frame].code[code->side] = p->n_code;
	}
	hot_lines_fini(&hot);
	return err == -ENOMEM ? err : 0;
}

static void free_edges(const struct report *r, struct hot_edges *edges)
{
	for (size_t i = 0; edges && i < r->table.n; i++)
		hot_edges_fini(&edges[i]);
	free(edges);
}

/* The taken branches of all files of a report.  Return: NULL: no memory. */
static struct hot_edges *read_edges(struct report *r)
{
	struct hot_edges *edges = calloc(r->table.n + 1, sizeof(*edges));
	bool ok = edges;

	for (size_t i = 0; i < r->table.n && edges; i++)
		ok &= !hot_edges_read(&edges[i], &r->places, i);
	if (!ok)
		free_edges(r, edges);
	return ok ? edges : NULL;
}

int page_print_codes(struct page *p, const struct page_code *code, size_t n, int sides)
{
	struct report *const r = p->r;
	struct hot_edges *edges[2] = { NULL, NULL };
	int err = 0;

	for (int side = 0; side < sides && !err; side++) {
		edges[side] = read_edges(&r[side]);
		err = edges[side] ? 0 : -ENOMEM;
	}
	fprintf(p->f, "\"code\":[");
	for (size_t i = 0; i < n && p->n_code < (size_t)CODES_MAX * sides && !err; i++) {
		p->r = &r[code[i].side];
		err = add_code(p, edges[code[i].side], &code[i]);
	}
	fprintf(p->f, "],\n");
	p->r = r;
	for (int side = 0; side < sides; side++)
		free_edges(&r[side], edges[side]);
	return err;
}
