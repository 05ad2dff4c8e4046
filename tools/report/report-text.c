// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of text.  Overhead, command, object and symbol are placed as in perf report --stdio.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/ratio.h"
#include "report.h"
#include "../lib/table.h"

/* ---------------------------------------------------------------- cells */

/* All functions are shown, unless a limit was given. */
static bool is_left_out(const struct report *r, uint64_t n, uint64_t all)
{
	return r->words.limit != UINT32_MAX && report_is_small(r, n, all);
}

static char level(const struct report *r, size_t dso)
{
	uint8_t kind = r->table.dso[dso].kind;

	return kind == DSO_KERNEL || kind == DSO_MODULE || kind == DSO_SYMBOL ? 'k' : '.';
}

static void add_dso(struct table *t, const struct report *r, size_t dso)
{
	table_cell(t, "%s", report_base(r->table.dso[dso].name));
}

/* "name+0x1c"; an address if it is unknown. */
static void add_place(struct table *t, struct report *r, size_t dso, uint64_t offset)
{
	struct place_symbol symbol;

	if (!places_symbol(&r->places, dso, offset, &symbol))
		table_cell(t, "[%c] 0x%" PRIx64, level(r, dso),
			   places_address(&r->places, dso, offset));
	else if (offset == symbol.start || r->table.dso[dso].kind == DSO_SYMBOL)
		table_cell(t, "[%c] %s", level(r, dso), symbol.name);
	else
		table_cell(t, "[%c] %s+0x%" PRIx64, level(r, dso), symbol.name,
			   offset - symbol.start);
}

static void add_line(struct table *t, struct report *r, size_t dso, uint64_t offset)
{
	struct elf_line line;

	if (places_line(&r->places, dso, offset, &line))
		table_cell(t, "%s:%d", report_base(line.file), line.line);
	else
		table_cell(t, "??:0");
}

/* ---------------------------------------------------------------- head */

int report_print_head(const struct report *r, const char *what)
{
	uint64_t lost = 0;

	for (int g = 0; g < CSF_GAP_NR; g++)
		lost = count_sum(lost, r->table.stat[COUNT_LOST + g]);
	printf("# csflow report: %s\n#\n", what);
	for (int i = 0; i < r->n_path; i++)
		printf("# File: %s\n", r->path[i]);
	printf("# Instructions: %" PRIu64 "\n", r->insns);
	if (r->timed) {
		uint64_t ipc = ratio_near(r->timed, 100, r->cycles);

		printf("# Cycles: %" PRIu64 ", of %" PRIu64 " instructions", r->cycles, r->timed);
		if (r->cycles)
			printf("; IPC %" PRIu64 ".%02" PRIu64, ipc / 100, ipc % 100);
		if (r->tally.unplaced)
			printf("; %" PRIu64 " more, of no counted instruction",
			       r->tally.unplaced);
		printf("\n");
	}
	printf("# Trace: %" PRIu64 " bytes; lost: %" PRIu64 " atoms, %" PRIu64 " bytes\n",
	       r->table.stat[COUNT_BYTES], lost, r->table.stat[COUNT_SKIPPED]);
	if (r->n_recording < r->n_path)
		printf("# Count tables do not have threads, CPUs and cycles\n");
	printf("#\n");
	return 0;
}

/* ---------------------------------------------------------------- functions */

static void add_keys(struct table *t, unsigned int keys)
{
	if (keys & REPORT_COMM)
		table_column(t, "Command", false);
	if (keys & REPORT_PID)
		table_column(t, "Pid", true);
	if (keys & REPORT_TID)
		table_column(t, "Tid", true);
	if (keys & REPORT_CPU)
		table_column(t, "CPU", true);
	if (keys & REPORT_DSO)
		table_column(t, "Shared Object", false);
	if (keys & REPORT_SYMBOL)
		table_column(t, "Symbol", false);
}

static void add_function(struct table *t, const struct report *r, const struct report_row *row,
			 unsigned int keys)
{
	if (r->words.children)
		table_share(t, row->children, r->insns);
	if (r->words.by_cycles)
		table_share(t, row->cycles, r->cycles);
	else
		table_share(t, row->insns, r->insns);
	table_number(t, row->insns);
	if (r->timed) {
		table_number(t, row->cycles);
		table_quotient(t, row->timed, row->cycles);
	}
	if (keys & REPORT_COMM)
		table_cell(t, "%s", row->comm);
	if (keys & REPORT_PID)
		table_cell(t, "%" PRId32, (int32_t)row->pid);
	if (keys & REPORT_TID)
		table_cell(t, "%" PRId32, (int32_t)row->tid);
	if (keys & REPORT_CPU)
		table_number(t, row->cpu);
	if (keys & REPORT_DSO)
		add_dso(t, r, row->dso);
	if (keys & REPORT_SYMBOL)
		table_cell(t, "[%c] %s", level(r, row->dso), row->symbol ? row->symbol : "[unknown]");
}

int report_print_functions(struct report *r, unsigned int keys)
{
	struct table t = { .n_column = 0 };
	struct report_rows rows;
	int err = report_rows(r, keys, &rows);

	if (r->words.children)
		table_column(&t, "Children", true);
	table_column(&t, r->words.children ? "Self" : "Overhead", true);
	table_column(&t, "Instructions", true);
	if (r->timed) {
		table_column(&t, "Cycles", true);
		table_column(&t, "IPC", true);
	}
	add_keys(&t, keys);
	for (size_t i = 0; i < rows.n && !err; i++) {
		const struct report_row *row = &rows.row[i];
		bool small = r->words.by_cycles ? is_left_out(r, row->cycles, r->cycles) :
			     r->words.children ? is_left_out(r, row->children, r->insns) :
						 is_left_out(r, row->insns, r->insns);

		/* of some functions only inlined ones ran */
		if (!small && (row->insns || row->children))
			add_function(&t, r, row, keys);
	}
	free(rows.row);
	return table_print(&t) || err ? -ENOMEM : 0;
}

/* ---------------------------------------------------------------- blocks */

int report_print_blocks(struct report *r)
{
	struct table t = { .n_column = 0 };
	struct report_block *hot;
	size_t n;
	int err = report_blocks(r, &hot, &n);

	table_column(&t, "Overhead", true);
	table_column(&t, "Executed", true);
	table_column(&t, "Insns", true);
	table_column(&t, "Taken", true);
	table_column(&t, "Shared Object", false);
	table_column(&t, "Block", false);
	table_column(&t, "Source", false);
	for (size_t i = 0; i < n && !err; i++) {
		const struct count_block *b = hot[i].block;

		table_share(&t, report_block_insns(b), r->insns);
		table_number(&t, count_ran(b));
		table_number(&t, b->n_insn);
		if (count_branches(b) && b->flags & CSF_FLAG_COND)
			table_share(&t, b->taken, count_ran(b));
		else
			table_cell(&t, "-");
		add_dso(&t, r, hot[i].dso);
		add_place(&t, r, hot[i].dso, b->start);
		add_line(&t, r, hot[i].dso, b->start);
	}
	free(hot);
	return table_print(&t) || err ? -ENOMEM : 0;
}

/* ---------------------------------------------------------------- edges */

int report_print_edges(struct report *r)
{
	struct table t = { .n_column = 0 };
	struct report_edges list;
	int err = report_edges(r, &list);

	table_column(&t, "Overhead", true);
	table_column(&t, "Taken", true);
	table_column(&t, "Kind", false);
	table_column(&t, "Shared Object", false);
	table_column(&t, "From", false);
	table_column(&t, "To", false);
	for (size_t i = 0; i < list.n && !err; i++) {
		const struct report_edge *e = &list.edge[i];

		table_share(&t, e->edge.count, list.all);
		table_number(&t, e->edge.count);
		table_cell(&t, "%s", report_edge_kind(e->edge.flags));
		add_dso(&t, r, e->dso);
		add_place(&t, r, e->dso, e->edge.from);
		if (e->edge.dso == COUNT_OUTSIDE)
			table_cell(&t, "[unknown]");
		else
			add_place(&t, r, e->edge.dso, e->edge.to);
	}
	free(list.edge);
	return table_print(&t) || err ? -ENOMEM : 0;
}

/* ---------------------------------------------------------------- loops */

/* Min, mean, max, cut: of complete visits; a count table gives only a mean. */
static void add_rounds(struct table *t, const struct report *r, const struct loop *l)
{
	const bool whole = l->whole && r->rounds;

	if (whole)
		table_number(t, l->least);
	else
		table_cell(t, "-");
	if (whole)
		table_quotient(t, l->rounds, l->whole);
	else
		table_quotient(t, l->trips, l->entries);
	if (whole)
		table_number(t, l->most);
	else
		table_cell(t, "-");
	if (r->rounds)
		table_number(t, l->cut);
	else
		table_cell(t, "-");
}

int report_print_loops(struct report *r)
{
	struct table t = { .n_column = 0 };
	const struct loop **loop;
	size_t n;
	int err = report_loops(r, &loop, &n);

	table_column(&t, "Overhead", true);
	table_column(&t, "Instructions", true);
	table_column(&t, "Entries", true);
	table_column(&t, "Trips", true);
	table_column(&t, "Min", true);
	table_column(&t, "Mean", true);
	table_column(&t, "Max", true);
	table_column(&t, "Cut", true);
	table_column(&t, "Depth", true);
	table_column(&t, "Shared Object", false);
	table_column(&t, "Header", false);
	table_column(&t, "Source", false);
	for (size_t i = 0; i < n && !err; i++) {
		const struct loop *l = loop[i];

		table_share(&t, l->insns, r->insns);
		table_number(&t, l->insns);
		table_number(&t, l->entries);
		table_number(&t, l->trips);
		add_rounds(&t, r, l);
		table_number(&t, l->depth);
		add_dso(&t, r, l->dso);
		add_place(&t, r, l->dso, l->header);
		add_line(&t, r, l->dso, l->header);
	}
	free(loop);
	return table_print(&t) || err ? -ENOMEM : 0;
}

/* ---------------------------------------------------------------- calls */

static void add_call(struct table *t, const struct report *r, const struct call_tree *tree,
		     uint32_t node, int depth)
{
	const struct call_node *n = &tree->node[node];

	table_share(t, n->total, r->insns);
	table_share(t, n->self, r->insns);
	table_number(t, n->self);
	table_number(t, n->calls);
	if (n->thread)
		table_cell(t, "%*s%s %" PRId32 "/%" PRId32, 2 * depth, "",
			   call_tree_name(tree, node), (int32_t)(n->thread >> 32),
			   (int32_t)n->thread);
	else
		table_cell(t, "%*s%s", 2 * depth, "", call_tree_name(tree, node));
}

/* From the top down; below a node that is left out everything is left out. */
static void add_calls(struct table *t, const struct report *r, const struct call_tree *tree)
{
	uint32_t at = tree->node[0].child;
	int depth = 0;

	while (at) {
		const struct call_node *n = &tree->node[at];
		/* it ran at other times than were asked for */
		const bool apart = !n->total && !n->calls;
		const bool small = apart || report_is_small(r, n->total, r->insns);

		if (!small)
			add_call(t, r, tree, at, depth);
		if (!small && n->child) {
			at = n->child;
			depth++;
			continue;
		}
		while (at && !tree->node[at].next) {
			at = tree->node[at].parent;
			depth--;
		}
		at = tree->node[at].next;
	}
}

int report_print_calls(struct report *r)
{
	struct table t = { .n_column = 0 };
	struct call_tree tree;
	int err = call_tree_read(&tree, &r->contexts, r->words.by_thread);

	table_column(&t, "Children", true);
	table_column(&t, "Self", true);
	table_column(&t, "Instructions", true);
	table_column(&t, "Calls", true);
	table_column(&t, "Function", false);
	if (!err)
		add_calls(&t, r, &tree);
	call_tree_fini(&tree);
	return table_print(&t) || err ? -ENOMEM : 0;
}
