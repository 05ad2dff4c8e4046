// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate-parts.h"
#include "../lib/build-id.h"
#include "../lib/ratio.h"
#include "../lib/terminal.h"

/* The most targets to name for an indirect branch. */
#define TARGETS		5
/* Blanks of a tab in the source */
#define TAB		8

/* Foreign text: characters that move the cursor are not shown. */
static void print_text(FILE *f, const char *s, size_t n)
{
	int column = 0;

	for (size_t i = 0; i < n; i++) {
		int blanks = s[i] == '\t' ? TAB - column % TAB : 0;

		column += blanks ? blanks : 1;
		while (blanks-- > 0)
			putc(' ', f);
		if (s[i] != '\t' && s[i] != '\r')
			putc((uint8_t)s[i] < ' ' || s[i] == 0x7f ? '?' : s[i], f);
	}
}

static void print_word(FILE *f, const char *s)
{
	print_text(f, s, strlen(s));
}

void annotate_share(FILE *f, uint64_t n, uint64_t all, int width)
{
	uint64_t share = ratio_share(n, all);
	/* a text that is kept has none */
	const enum colour colour = f == stdout ? terminal_share(share) : COLOUR_NONE;

	if (colour != COLOUR_NONE)
		fprintf(f, "%s", terminal_colour(colour));
	fprintf(f, "%*" PRIu64 ".%02" PRIu64 "%%", width, share / 100, share % 100);
	if (colour != COLOUR_NONE)
		fprintf(f, "%s", terminal_colour(COLOUR_NONE));
}

/* Cycles, and instructions for each of them. */
static void print_cycles(FILE *f, uint64_t cycles, uint64_t timed)
{
	const uint64_t ipc = ratio_near(timed, 100, cycles);

	if (!timed)
		fprintf(f, "  %12s  %6s", "", "");
	else if (!cycles)
		fprintf(f, "  %12s  %6s", "0", "-");
	else
		fprintf(f, "  %12" PRIu64 "  %3" PRIu64 ".%02" PRIu64, cycles, ipc / 100,
			ipc % 100);
}

/* ---------------------------------------------------------------- branches */

static void print_target(struct annotate *a, size_t dso, uint64_t offset)
{
	struct place_symbol symbol;

	if (dso == COUNT_OUTSIDE) {
		fprintf(a->out, "[unknown]");
		return;
	}
	if (!places_symbol(&a->r->places, dso, offset, &symbol)) {
		fprintf(a->out, "0x%" PRIx64, places_address(&a->r->places, dso, offset));
		return;
	}
	print_word(a->out, symbol.name);
	if (offset != symbol.start)
		fprintf(a->out, "+0x%" PRIx64, offset - symbol.start);
}

static void print_targets(struct annotate *a, const struct hot_insn *insn)
{
	struct count_edge *edge = hot_targets(insn);
	const size_t n = insn->n_edge;

	if (!edge)
		return;
	for (size_t i = 0; i < n && i < TARGETS; i++) {
		fprintf(a->out, "%s", i ? ", " : " -> ");
		print_target(a, edge[i].dso, edge[i].to);
		if (n > 1) {
			fprintf(a->out, " ");
			annotate_share(a->out, edge[i].count, insn->taken, 0);
		}
	}
	if (n > TARGETS)
		fprintf(a->out, ", and %zu more", n - TARGETS);
	free(edge);
}

/* Prints how often it was taken, its executions, and its targets. */
static void print_branch(struct annotate *a, const struct hot_insn *insn)
{
	bool branches = insn->kind == CSF_INSN_BRANCH || insn->kind == CSF_INSN_INDIRECT;

	if (!branches || !insn->count)
		return;
	fprintf(a->out, "  #");
	if (insn->flags & CSF_FLAG_COND || insn->passed) {
		fprintf(a->out, " taken ");
		annotate_share(a->out, insn->taken, count_sum(insn->taken, insn->passed), 0);
	}
	if (insn->n_edge)
		print_targets(a, insn);
}

/* ---------------------------------------------------------------- instructions */

static void print_insn(struct annotate *a, const struct hot_lines *hot, size_t i)
{
	const struct hot_insn *insn = &hot->insn[i];
	uint64_t timed = 0, cycles = insn->begins ? hot_block_cycles(hot, i, &timed) : 0;
	const char *text = "";

	if (insn->count)
		annotate_share(a->out, insn->count, hot->insns, 6);
	else
		fprintf(a->out, "%10s", "");
	fprintf(a->out, "  %12" PRIu64, insn->count);
	if (hot->timed)
		print_cycles(a->out, cycles, timed);
	fprintf(a->out, "  %10" PRIx64 ":  ", insn->addr);
	if (a->dis)
		text = disasm_insn(a->dis, insn->isa, insn->opcode, insn->size, insn->addr);
	if (*text)
		fprintf(a->out, "%s", text);
	else
		fprintf(a->out, ".inst 0x%0*" PRIx32, 2 * insn->size, insn->opcode);
	print_branch(a, insn);
	fprintf(a->out, "\n");
}

static void print_source(struct annotate *a, const struct hot_line *line, bool timed)
{
	const char *text;
	size_t n;

	fprintf(a->out, "%*s", timed ? 60 : 38, "");
	print_word(a->out, report_base(line->file));
	fprintf(a->out, ":%d", line->line);
	text = source_text_line(a->source, line->file, line->line, &n);
	if (text) {
		fprintf(a->out, "  ");
		print_text(a->out, text, n);
	}
	fprintf(a->out, "\n");
}

void annotate_callers(const struct annotate *a, const struct elf_inlined *in, const char *function)
{
	for (; in; in = in->outer) {
		print_word(a->out, in->function->marked);
		fprintf(a->out, ", called");
		if (a->source && in->call_file && in->call_line) {
			fprintf(a->out, " at ");
			print_word(a->out, report_base(in->call_file));
			fprintf(a->out, ":%d", in->call_line);
		}
		fprintf(a->out, " by ");
	}
	print_word(a->out, function);
	fprintf(a->out, "\n");
}

static void print_insns(struct annotate *a, const struct annotate_match *m,
			const struct hot_lines *hot)
{
	const struct elf_inlined *inlined = NULL, *before;
	uint32_t line = HOT_NO_LINE;
	uint64_t end = 0;

	fprintf(a->out, "#  Percent      Executed%s     Address   Instruction\n",
		hot->timed ? "        Cycles     IPC" : "");
	fprintf(a->out, "# ........  ............%s  ...........  ...........\n#\n",
		hot->timed ? "  ............  ......" : "");
	for (size_t i = 0; i < hot->n; i++) {
		const struct hot_insn *insn = &hot->insn[i];

		before = inlined;
		if (a->inlines && insn->offset >= end)
			inlined = places_inlined(&a->r->places, m->dso, insn->offset, &end);
		if (inlined != before) {
			fprintf(a->out, "%*s-- ", hot->timed ? 60 : 38, "");
			annotate_callers(a, inlined, m->symbol.name);
			line = HOT_NO_LINE;
		}
		if (a->source && insn->line != line && insn->line != HOT_NO_LINE)
			print_source(a, &hot->line[insn->line], hot->timed);
		line = insn->line;
		print_insn(a, hot, i);
	}
	fprintf(a->out, "\n");
}

/* ---------------------------------------------------------------- lines */

static int by_line(const void *a, const void *b)
{
	const struct hot_line *const *x = a, *const *y = b;
	int order = strcmp((*x)->file, (*y)->file);

	return order ? order : (*x)->line < (*y)->line ? -1 : (*x)->line > (*y)->line;
}

int annotate_lines(struct annotate *a, const struct hot_lines *hot)
{
	const struct hot_line **line = calloc(hot->n_line + 1, sizeof(*line));

	if (!line)
		return -ENOMEM;
	for (size_t i = 0; i < hot->n_line; i++)
		line[i] = &hot->line[i];
	qsort(line, hot->n_line, sizeof(*line), by_line);
	fprintf(a->out, "#  Percent  Instructions      Executed%s  Line\n",
		hot->timed ? "        Cycles     IPC" : "");
	fprintf(a->out, "# ........  ............  ............%s  ....\n#\n",
		hot->timed ? "  ............  ......" : "");
	for (size_t i = 0; i < hot->n_line; i++) {
		const char *text;
		size_t n;

		annotate_share(a->out, line[i]->insns, hot->insns, 6);
		fprintf(a->out, "  %12" PRIu64 "  %12" PRIu64, line[i]->insns, line[i]->count);
		if (hot->timed)
			print_cycles(a->out, line[i]->cycles, line[i]->timed);
		fprintf(a->out, "  ");
		print_word(a->out, report_base(line[i]->file));
		fprintf(a->out, ":%d", line[i]->line);
		text = source_text_line(a->source, line[i]->file, line[i]->line, &n);
		if (text) {
			fprintf(a->out, "  ");
			print_text(a->out, text, n);
		}
		fprintf(a->out, "\n");
	}
	fprintf(a->out, "\n");
	free(line);
	return 0;
}

/* ---------------------------------------------------------------- the function */

static void print_head(struct annotate *a, const struct annotate_match *m,
		       const struct hot_lines *hot)
{
	const struct count_dso *dso = &a->r->table.dso[m->dso];
	const struct elf_file *elf = places_elf(&a->r->places, m->dso);

	fprintf(a->out, "# csflow annotate: ");
	print_word(a->out, m->symbol.name);
	fprintf(a->out, "\n#\n# File: ");
	print_word(a->out, elf->path ? elf->path : dso->name);
	if (dso->n_build_id)
		fprintf(a->out, ", build-id %s", build_id_hex(dso->build_id, dso->n_build_id).text);
	fprintf(a->out, "\n# Executed: %" PRIu64 " instructions, ", hot->insns);
	annotate_share(a->out, hot->insns, a->r->insns, 0);
	fprintf(a->out, " of all\n");
	if (hot->timed) {
		const uint64_t ipc = ratio_near(hot->timed, 100, hot->cycles);

		fprintf(a->out, "# Cycles: %" PRIu64 ", ", hot->cycles);
		annotate_share(a->out, hot->cycles, a->r->cycles, 0);
		fprintf(a->out, " of all, of %" PRIu64 " instructions", hot->timed);
		if (hot->cycles)
			fprintf(a->out, "; IPC %" PRIu64 ".%02" PRIu64, ipc / 100, ipc % 100);
		fprintf(a->out, "\n");
	}
	fprintf(a->out, "#\n");
}

int annotate_print(struct annotate *a, const struct annotate_match *m)
{
	struct hot_edges edges;
	struct hot_lines hot = { 0 };
	int err = hot_edges_read(&edges, &a->r->places, m->dso);

	if (!err)
		err = hot_lines_read(&hot, &edges, m->symbol.start,
				     m->symbol.start + m->symbol.size);
	if (!err)
		hot_lines_times(&hot, &a->r->places, &a->r->tally, m->dso);
	if (!err) {
		print_head(a, m, &hot);
		if (a->source && hot.n_line)
			err = annotate_lines(a, &hot);
		print_insns(a, m, &hot);
	}
	hot_lines_fini(&hot);
	hot_edges_fini(&edges);
	return err;
}
