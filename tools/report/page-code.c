// SPDX-License-Identifier: GPL-2.0-only
/* The code of the hottest functions of a page, as csflow annotate has it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "page-parts.h"

/* Functions with code, their instructions, and the targets of a branch */
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

static void set_code(struct page *p, const struct report_row *row, size_t number)
{
	const uint32_t frame = page_frame_of_row(&p->frames, p->r, row);

	if (frame)
		p->frames.frame[frame].code = number;
}

/* Writes the code of the hottest functions. */
int page_print_codes(struct page *p)
{
	size_t n_dso = p->r->table.n, n = 0;
	struct hot_edges *edges = calloc(n_dso + 1, sizeof(*edges));
	int err = edges ? 0 : -ENOMEM;

	fprintf(p->f, "\"code\":[");
	for (size_t i = 0; i < n_dso && !err; i++)
		err = hot_edges_read(&edges[i], &p->r->places, i);
	for (size_t i = 0; i < p->rows.n && i < PAGE_FUNCTIONS_MAX && n < CODES_MAX && !err; i++) {
		int added = add_code(p, &edges[p->rows.row[i].dso], &p->rows.row[i]);

		if (added < 0)
			err = added;
		else if (added)
			set_code(p, &p->rows.row[i], ++n);
	}
	fprintf(p->f, "],\n");
	for (size_t i = 0; edges && i < n_dso; i++)
		hot_edges_fini(&edges[i]);
	free(edges);
	return err;
}
