// SPDX-License-Identifier: GPL-2.0-only
/* csflow annotate: disassembly and source of a function with counts. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../perf-plugin/array.h"
#include "report/annotate.h"
#include "cmd.h"
#include "lib/log.h"
#include "lib/near.h"
#include "lib/operands.h"
#include "input/losses.h"

/* How many similar names are reported. */
#define NEAR		5
/* The most functions of one name in a file. */
#define NAMED		64

static const char usage[] = "annotate [OPTIONS] SYMBOL [PERF.DATA|SNAPSHOT|LOG|COUNTS]...";

struct matches {
	struct annotate_match *match;
	size_t n, size;
};

/* ---------------------------------------------------------------- which function */

static bool add_match(struct report *r, struct matches *m, size_t dso, uint64_t offset)
{
	struct place_symbol symbol;

	if (!places_symbol(&r->places, dso, offset, &symbol))
		return true;
	for (size_t i = 0; i < m->n; i++)
		if (m->match[i].dso == dso && m->match[i].symbol.start == symbol.start)
			return true;
	if (!array_room(&m->match, m->n, &m->size, sizeof(*m->match)))
		return false;
	m->match[m->n++] = (struct annotate_match){ .dso = dso, .symbol = symbol };
	return true;
}

/* Adds functions of that name, or at that address, in one file. */
static bool add_named(struct report *r, struct matches *m, size_t dso, const char *name)
{
	uint64_t offset[NAMED], addr;
	size_t n;

	if (options_number(name, &addr))
		return !places_offset(&r->places, dso, addr, &offset[0]) ||
		       add_match(r, m, dso, offset[0]);
	n = places_named(&r->places, dso, name, offset, NAMED);
	for (size_t i = 0; i < n && i < NAMED; i++)
		if (!add_match(r, m, dso, offset[i]))
			return false;
	return true;
}

/* Finds all functions of that name; those that ran have counts. */
static int find(struct report *r, const struct report_rows *rows, const char *name,
		struct matches *m)
{
	for (size_t i = 0; i < rows->n; i++)
		if (rows->row[i].symbol && !strcmp(rows->row[i].symbol, name) &&
		    !add_match(r, m, rows->row[i].dso, rows->row[i].start))
			return -ENOMEM;
	for (size_t i = 0; i < r->table.n; i++)
		if (r->table.dso[i].n_block &&
		    selection_has_dso(&r->part, r->table.dso[i].name) &&
		    !add_named(r, m, i, name))
			return -ENOMEM;
	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < rows->n; k++)
			if (rows->row[k].dso == m->match[i].dso && rows->row[k].symbol &&
			    rows->row[k].start == m->match[i].symbol.start)
				m->match[i].insns = rows->row[k].insns;
	return 0;
}

/* ---------------------------------------------------------------- unknown names */

struct similar {
	const char *name;
	unsigned int distance;
};

static int by_distance(const void *a, const void *b)
{
	const struct similar *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void say_near(const struct report_rows *rows, const char *name)
{
	struct similar *near = calloc(rows->n + 1, sizeof(*near));
	size_t n = 0;

	for (size_t i = 0; near && i < rows->n; i++) {
		const char *symbol = rows->row[i].symbol;
		unsigned int d = symbol ? near_distance(name, symbol) : UINT32_MAX;

		if (symbol && (d <= 2 + strlen(name) / 4 || strstr(symbol, name)))
			near[n++] = (struct similar){ symbol, d };
	}
	if (near)
		qsort(near, n, sizeof(*near), by_distance);
	for (size_t i = 0; i < n && i < NEAR; i++)
		log_say(LOG_NOTE, "%s%s", i ? ", " : "csflow: functions that ran and have similar names: ",
			near[i].name);
	if (n)
		log_say(LOG_NOTE, "\n");
	else
		log_say(LOG_NOTE, "csflow: 'csflow report' lists what ran\n");
	free(near);
}

/* Is the name from a symbol?  Stubs have names all the same. */
static bool is_symbol(const struct place_symbol *symbol)
{
	return !symbol->made && !strstr(symbol->name, "@plt") && strcmp(symbol->name, ".plt");
}

/* Reports programs that ran and have no symbols.  Return: there are some. */
static bool say_stripped(struct report *r, const struct report_rows *rows)
{
	bool stripped = false;

	for (size_t i = 0; i < r->table.n; i++) {
		bool named = !r->table.dso[i].program || !places_elf(&r->places, i);

		for (size_t k = 0; k < rows->n && !named; k++) {
			struct place_symbol symbol;

			named = rows->row[k].dso == i && rows->row[k].symbol &&
				places_symbol(&r->places, i, rows->row[k].start, &symbol) &&
				is_symbol(&symbol);
		}
		if (named)
			continue;
		log_say(LOG_EMPTY, "csflow: %s: no symbols: it was stripped; name it as it was linked with --binary, install its debug file, or use --debuginfod\n",
			r->table.dso[i].name);
		stripped = true;
	}
	return stripped;
}

static int say_none(struct report *r, const struct report_rows *rows, const char *name)
{
	if (say_stripped(r, rows))
		return CMD_FAILED;
	log_say(LOG_EMPTY, "csflow: no function '%s' ran\n", name);
	for (size_t i = 0; i < r->table.n; i++)
		if (r->table.dso[i].n_block && !places_elf(&r->places, i))
			report_say_missing(r, i);
	say_near(rows, name);
	return CMD_FAILED;
}

/* The only match in the program that was run; NULL: none, or several. */
static const struct annotate_match *in_program(const struct report *r, const struct matches *m)
{
	const struct annotate_match *chosen = NULL;

	for (size_t i = 0; i < m->n; i++) {
		if (!m->match[i].insns || !r->table.dso[m->match[i].dso].program)
			continue;
		if (chosen)
			return NULL;
		chosen = &m->match[i];
	}
	return chosen;
}

/* @chosen: the match that is shown; NULL: none */
static void say_several(struct report *r, const struct matches *m, const char *name,
			const struct annotate_match *chosen)
{
	log_say(LOG_NOTE, "csflow: several functions are named '%s'", name);
	if (chosen)
		log_say(LOG_NOTE, "; shown is the one of %s, the program that was run; the others "
			"(choose with --dsos, or by the address):\n",
			report_base(r->table.dso[chosen->dso].name));
	else
		log_say(LOG_NOTE, ": choose one by its file (--dsos), or its address\n");
	for (size_t i = 0; i < m->n; i++) {
		const struct annotate_match *one = &m->match[i];

		if (!one->insns || one == chosen)
			continue;
		log_say(LOG_NOTE, "csflow:   0x%" PRIx64 " in %s: %" PRIu64 " instructions\n",
			places_address(&r->places, one->dso, one->symbol.start),
			report_base(r->table.dso[one->dso].name), one->insns);
	}
}

/* ---------------------------------------------------------------- the command */

static int print(struct annotate *a, const struct annotate_match *m)
{
	int err = annotate_print(a, m);

	if (err == -ENOENT)
		report_say_missing(a->r, m->dso);
	else if (err == -ERANGE)
		log_say(LOG_EMPTY, "csflow: %s: its code is not in the file\n", m->symbol.name);
	else if (err)
		report_failed(a->r, "listing the function", err);
	return err ? CMD_FAILED : CMD_OK;
}

/* A function none of whose own code ran; @known: it has such code. */
static int print_inlined(struct annotate *a, const char *name, const struct report_rows *rows,
			 bool known)
{
	int err = a->inlines ? annotate_print_inlined(a, name, rows) : -ENODATA;

	if (err == -ENODATA && known) {
		log_say(LOG_EMPTY, "csflow: %s: nothing of it ran\n", name);
		return CMD_FAILED;
	}
	if (err == -ENODATA)
		return say_none(a->r, rows, name);
	return err ? report_failed(a->r, "listing the function", err) : CMD_OK;
}

static int annotate(struct annotate *a, const char *name)
{
	const struct annotate_match *one = NULL;
	struct report_rows rows;
	struct matches m = { 0 };
	size_t n_ran = 0;
	int status, err = report_rows(a->r, REPORT_DSO | REPORT_SYMBOL, &rows);

	if (!err)
		err = find(a->r, &rows, name, &m);
	for (size_t i = 0; i < m.n; i++) {
		if (!m.match[i].insns)
			continue;
		one = &m.match[i];
		n_ran++;
	}
	if (err) {
		status = report_failed(a->r, "finding the function", err);
	} else if (!n_ran) {
		status = print_inlined(a, name, &rows, m.n);
	} else {
		if (n_ran > 1) {
			one = in_program(a->r, &m);
			say_several(a->r, &m, name, one);
		}
		status = one ? print(a, one) : CMD_FAILED;
	}
	free(m.match);
	free(rows.row);
	return status;
}

static int work(struct annotate *a, const char *name, const struct operands *files)
{
	int bad = report_load(a->r, files), status = CMD_FAILED;
	int err = disasm_new(&a->dis);

	if (err == -ENOENT)
		log_say(LOG_TOOL, "csflow annotate: no LLVM library to disassemble with: install libllvm19\n");
	else if (err)
		bad = report_failed(a->r, "starting the disassembler", err);
	if (!bad || a->r->insns)
		status = annotate(a, name);
	disasm_free(a->dis);
	report_fini(a->r);
	return status ? status : bad;
}

int cmd_annotate(int argc, char **argv)
{
	struct report r = { .words = { .limit = UINT32_MAX },
			    .options = { .marks = CSF_MARK_TIME | CSF_MARK_CYCLES } };
	struct dso_options *dso = &r.options.dso;
	struct source_text source = { 0 };
	struct annotate a = { .r = &r, .source = &source, .out = stdout, .inlines = true };
	struct opt_list binary = { 0 };
	bool with_source = true, stdio = true;
	struct operands files = { .otherwise = "perf.data" };
	const struct opt table[] = {
		OPT_INPUT(&files.inputs),
		OPT_NO("source", &with_source, "print no source lines"),
		OPT_NO("inline", &a.inlines, "do not say where inlined code begins"),
		OPT_FLAG(0, "stdio", &stdio, "print text, as always; for compatibility with perf"),
		OPT_GROUP("Which part:"),
		OPT_SELECTION_RUNS(&r.part),
		OPT_LIST('d', "dsos", &r.part.dsos, "NAMES", "look only in these files"),
		OPT_REFUSED('S', "symbols", "the function is an operand: csflow annotate SYMBOL"),
		OPT_FILES_GROUP,
		OPT_SNAPSHOT(&r.snapshot),
		OPT_BINARY(&binary),
		OPT_FILES(dso),
		OPT_SPEED(&r.options.n_threads),
		OPT_PROGRESS(losses_progress()),
		OPT_END
	};
	int n = options_parse(argc, argv, table, usage), status = CMD_USAGE;
	const char *name = argv[1];

	dso->given = binary.value;
	dso->n_given = binary.n;
	source.symfs = dso->symfs;
	if (!with_source)
		a.source = NULL;
	if (!n) {
		options_wrong("annotate", usage, "give a function");
	} else {
		argv[1] = argv[0];
		status = selection_read(&r.part);
		if (!status)
			status = operands_take(&files, n - 1, argv + 1, usage);
		if (!status)
			status = work(&a, name, &files);
	}
	operands_free(&files);
	source_text_fini(&source);
	free(binary.value);
	free(r.snapshot.elf.value);
	selection_fini(&r.part);
	return status;
}
