// SPDX-License-Identifier: GPL-2.0-only
/* csflow report: where a program spends its instructions. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "fleet/fleet.h"
#include "lib/log.h"
#include "lib/operands.h"
#include "lib/terminal.h"
#include "messages/sample-report.h"
#include "report/report-screen.h"
#include "input/losses.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char usage[] = "report [OPTIONS] [PERF.DATA|SNAPSHOT|LOG|COUNTS]...";

/* From BY_FLEET on: enum fleet_by */
enum { BY_NONE, BY_THREAD, BY_CPU, BY_FLEET };
static const char *const by_names[] = {
	"none", "thread", "cpu", "version", "week", "machine", NULL
};

enum { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };
static const char *const format_names[] = { "text", "csv", "json", NULL };

enum { OF_INSNS, OF_CYCLES };
static const char *const event_names[] = { "instructions", "cycles", NULL };

/* A table, and its printer; that of functions has keys. */
struct part {
	const char *what;
	int (*print)(struct report *r);
};

static const struct part parts[] = {
	{ "functions", NULL },
	{ "blocks: instructions one after the other, up to a branch", report_print_blocks },
	{ "edges: branches that were taken", report_print_edges },
	{ "loops: trips are how often the header ran; min, mean, max: of one entry",
	  report_print_loops },
	{ "calls: with what a function called, and itself", report_print_calls },
};

/* The parts that are loaded only if they are shown */
#define LOOPS	3
#define CALLS	4
#define ALL	(1u << ARRAY_SIZE(parts))

/* The words of --show, in the order of @parts */
static const char *const part_names[] = {
	"functions", "blocks", "edges", "loops", "calls", "all", NULL
};

/* The words of --sort, and what each means */
static const char *const key_names[] = {
	"comm", "pid", "tid", "cpu", "dso", "symbol", "sym", NULL
};

static const unsigned int keys[] = {
	REPORT_COMM, REPORT_PID, REPORT_TID, REPORT_CPU, REPORT_DSO, REPORT_SYMBOL, REPORT_SYMBOL
};

/*
 * The command's options; @tables: one of them says which tables, or what is in them; @screen:
 * --tui, or a terminal that gets one without; @list: labels of count tables, @format: of them.
 */
struct words {
	uint32_t show, sort;
	const char *limit, *out, *list;
	bool html, tui, stdio, screen, tables;
	int by, event, format;
};

static int wrong(const char *option, const char *value, const char *why)
{
	log_say(LOG_USAGE, "csflow report: %s%s%s: %s\n", option, *value ? " " : "", value, why);
	return CMD_USAGE;
}

/* "12.34": hundredths. */
static bool parse_limit(const char *text, uint32_t *limit)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v >= 0 && v <= 100))
		return false;
	*limit = v * 100 + 0.5;
	return true;
}

static unsigned int keys_of_words(uint32_t sort)
{
	unsigned int set = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (sort & 1u << i)
			set |= keys[i];
	return set;
}

static unsigned int keys_of(const struct report *r, const struct words *w)
{
	unsigned int set = REPORT_DSO | REPORT_SYMBOL;

	if (w->sort)
		set = keys_of_words(w->sort);
	else if (r->n_recording && !r->words.children)
		set |= REPORT_COMM;
	if (w->by == BY_THREAD)
		set |= REPORT_COMM | REPORT_TID;
	if (w->by == BY_CPU)
		set |= REPORT_CPU;
	return set;
}

/* In the terminal.  Return: CMD_OK, CMD_FAILED, or 128 and a signal. */
static int show_screen(struct report *r)
{
	struct source_text source = { .symfs = r->options.dso.symfs };
	struct disasm *dis = NULL;
	int err, status;

	err = disasm_new(&dis);
	if (err == -ENOENT)
		log_say(LOG_TOOL,
			"csflow report: no LLVM library to disassemble with: install libllvm19\n");
	if (err && err != -ENOENT)
		status = report_failed(r, "starting the disassembler", err);
	else
		status = report_screen(r, dis, &source, SCREEN_COLOR_AUTO);
	disasm_free(dis);
	source_text_fini(&source);
	return status;
}

static int print(struct report *r, const struct words *w)
{
	const uint32_t show = w->show;
	int err = 0;

	if (!r->insns) {
		log_say(LOG_EMPTY, "csflow report: %s; see csflow doctor\n",
			selection_of_runs(&r->part) ? "nothing that ran was selected" :
						      "no known file ran");
		return CMD_FAILED;
	}
	if ((w->by || w->tui || r->words.children || show & 1u << CALLS) && !r->n_recording) {
		log_say(LOG_EMPTY, "csflow report: count tables do not have callers, threads and CPUs: give a recording\n");
		return CMD_FAILED;
	}
	if (r->words.by_cycles && !r->timed) {
		log_say(LOG_EMPTY, "csflow report: the trace has no cycle counts: record with cycacc\n");
		return CMD_FAILED;
	}
	if (w->html)
		return report_write_page(r, 1, w->out);
	if (w->screen && r->n_recording)
		return show_screen(r);
	for (size_t i = 0; i < ARRAY_SIZE(parts) && !err; i++) {
		if (!(show & 1u << i))
			continue;
		report_print_head(r, parts[i].what);
		err = parts[i].print ? parts[i].print(r) : report_print_functions(r, keys_of(r, w));
	}
	return err ? report_failed(r, "listing what was asked for", err) : CMD_OK;
}

/* Without options for tables, a terminal gets a screen, as from perf report. */
static bool wants_screen(const struct words *w)
{
	return !w->stdio && !w->html && !w->out && !w->tables && isatty(STDIN_FILENO) &&
	       isatty(STDOUT_FILENO);
}

static int understand(struct report *r, const struct words *w)
{
	if (w->limit && !parse_limit(w->limit, &r->words.limit))
		return wrong("--percent-limit", w->limit, "not a share from 0 to 100");
	if (w->tui && w->stdio)
		return wrong("--tui", "", "not with --stdio");
	if (w->tui && (w->html || w->tables))
		return wrong("--tui", "", "not with --html, or options for tables");
	if (w->out && !w->html)
		return wrong("--output", w->out, "only with --html");
	if (r->words.children &&
	    (w->by || (w->sort && keys_of_words(w->sort) != (REPORT_DSO | REPORT_SYMBOL))))
		return wrong("--children", "", "only for functions by dso,symbol");
	if (w->list && w->by < BY_FLEET)
		return wrong("--list", w->list, "only with --by=version, week or machine");
	if (w->format && w->by < BY_FLEET)
		return wrong("--format", "", "only with --by=version, week or machine");
	if (w->by >= BY_FLEET && (w->show > 1 || w->sort || w->tui || r->words.by_cycles))
		return wrong("--by", by_names[w->by], "not with other tables, --tui and cycles");
	r->words.by_cycles = w->event == OF_CYCLES;
	if (r->part.time && r->words.children)
		return wrong("--time", r->part.time, "not with --children: what only called others then has no row; --show=calls has it");
	if (r->part.time && (w->html || w->tui))
		return wrong("--time", r->part.time, "the page and the screen are of everything that ran: not with --html and --tui; without --time, the page of --html shows any span of time");
	return selection_read(&r->part);
}

static int work(struct report *r, const struct words *w, const struct operands *files)
{
	int bad = report_load(r, files), status = CMD_FAILED;

	/* unreadable files were reported */
	if (!bad || (r->places.table && r->insns))
		status = print(r, w);
	report_fini(r);
	return status ? status : bad;
}

/* ---------------------------------------------------------------- a fleet */

/* The first group and the last one, as csflow diff --html does it. */
static int write_fleet_page(const struct report *model, const struct fleet *f, const char *out)
{
	struct report r[2] = { { .n_path = 0 } };
	int status = CMD_OK;

	if (f->n_group < 2) {
		log_say(LOG_EMPTY, "csflow report: --html compares two groups, and all tables are in one\n");
		return CMD_FAILED;
	}
	for (int i = 0; i < 2; i++) {
		const struct fleet_group *g = &f->group[i ? f->n_group - 1 : 0];
		const struct operands files = { .path = g->path, .n = g->n };

		r[i].words = (struct report_words){ .limit = UINT32_MAX, .calls = true };
		r[i].options = model->options;
		if (report_load(&r[i], &files))
			status = CMD_FAILED;
	}
	if (r[0].insns && r[1].insns && report_write_page(r, 2, out))
		status = CMD_FAILED;
	report_fini(&r[0]);
	report_fini(&r[1]);
	return status;
}

static int print_fleet(const struct report *r, const struct words *w, const struct fleet *f)
{
	int err;

	if (!f->n_group) {
		log_say(LOG_EMPTY, "csflow report: %s\n", f->n ?
			"no count table has anything that ran" : "no count table is in the list");
		return CMD_FAILED;
	}
	if (w->html)
		return write_fleet_page(r, f, w->out);
	err = w->format == FORMAT_CSV ? fleet_csv(f, stdout) :
	      w->format == FORMAT_JSON ? fleet_json(f, stdout) : fleet_print(f, stdout);
	return err ? report_failed(r, "comparing count tables", err) : CMD_OK;
}

static int work_on_fleet(const struct report *r, const struct words *w,
			 const struct operands *files)
{
	const struct count_load_options options = { .replay = r->options, .part = &r->part,
						    .snapshot = r->snapshot, .addresses = -1 };
	struct fleet f = { .by = w->by - BY_FLEET };
	int bad = w->list ? fleet_list(&f, w->list) : CMD_OK, status;

	for (size_t i = 0; i < files->n && !bad; i++)
		bad = fleet_add(&f, files->path[i]);
	if (!bad)
		bad = fleet_load(&f, &options);
	status = bad && !f.n_group ? CMD_FAILED : print_fleet(r, w, &f);
	fleet_fini(&f);
	return status ? status : bad;
}

/* An ITM does not say what was executed, but its DWT can sample the program counter. */
static int work_on_samples(const struct report *r, const struct words *w, const char *path)
{
	if (w->show == 1 && !w->html && !w->by && !r->words.children)
		return sample_report(path, &r->snapshot);
	log_say(LOG_USAGE, "csflow report: %s: samples of the program counter have functions only\n",
		path);
	return CMD_USAGE;
}

/* Long because it is the table of all options. */
int cmd_report(int argc, char **argv)
{
	struct report r = { .words = { .limit = UINT32_MAX, .inlines = true },
			    .options = { .marks = CSF_MARK_TIME | CSF_MARK_CYCLES } };
	struct dso_options *dso = &r.options.dso;
	struct words w = { .by = BY_NONE };
	struct opt_list binary = { 0 };
	bool graph = false;
	struct operands files = { .otherwise = "perf.data" };
	const struct opt table[] = {
		OPT_INPUT(&files.inputs),
		OPT_GROUP("Tables:"),
		OPT_WORDS(0, "show", &w.show, part_names, "LIST",
			  "the tables to print (default: functions)"),
		OPT_FLAG('g', "call-graph", &graph, "also print calls, as --show=functions,calls"),
		OPT_FLAG(0, "children", &r.words.children,
			 "functions with everything that they call (default: off)"),
		OPT_NO("inline", &r.words.inlines, "count inlined functions as their callers"),
		OPT_WORDS('s', "sort", &w.sort, key_names, "KEYS",
			  "tell functions apart by these (default: comm,dso,symbol)"),
		OPT_CHOICE(0, "by", &w.by, by_names, "WHAT",
			   "also tell the functions of threads or CPUs apart; or compare count "
			   "tables of many machines"),
		OPT_STRING(0, "list", &w.list, "FILE",
			   "count tables, a line each: FILE [VERSION [WEEK [MACHINE]]]"),
		OPT_CHOICE(0, "format", &w.format, format_names, "FORMAT",
			   "how these are listed"),
		OPT_CHOICE('e', "event", &w.event, event_names, "EVENT",
			   "the event that overhead is a share of"),
		OPT_STRING(0, "percent-limit", &w.limit, "PERCENT",
			   "leave out smaller shares (default: 0; blocks, edges and loops: 0.5)"),
		OPT_FLAG(0, "html", &w.html, "write a page for a browser, with everything"),
		OPT_OUTPUT('o', "output", &w.out, "FILE",
			   "where to write the page (default: standard output)"),
		OPT_FLAG(0, "tui", &w.tui,
			 "show functions on a screen, with callers, callees and code"),
		OPT_FLAG(0, "stdio", &w.stdio, "print text, also on a terminal"),
		OPT_SELECTION(&r.part),
		OPT_FILES_GROUP,
		OPT_SNAPSHOT(&r.snapshot),
		OPT_BINARY(&binary),
		OPT_FILES(dso),
		OPT_SPEED(&r.options.n_threads),
		OPT_PROGRESS(losses_progress()),
		OPT_END
	};
	int n = options_parse(argc, argv, table, usage);
	int status;

	files.otherwise = w.list ? NULL : files.otherwise;
	w.tables = w.show || w.sort || w.limit || w.by || w.event || graph || r.words.children;
	/* a screen has calls */
	w.screen = w.tui || (wants_screen(&w) && !r.part.time);
	if (!w.screen && !w.out)
		terminal_page();
	if (!w.show)
		w.show = 1 | (graph ? 1u << CALLS : 0);
	if (w.show & ALL)
		w.show = ALL - 1;
	r.words.by_thread = w.by == BY_THREAD;
	r.words.calls = w.html || w.screen || r.words.children ||
			w.show & 1u << CALLS;
	r.words.shares = w.html;
	r.words.loops = w.html || w.show & 1u << LOOPS;
	dso->given = binary.value;
	dso->n_given = binary.n;
	status = understand(&r, &w);
	if (!status)
		status = operands_take(&files, n, argv, usage);
	if (!status && w.by >= BY_FLEET)
		status = work_on_fleet(&r, &w, &files);
	else if (!status && files.n == 1 && sample_report_fits(files.path[0], &r.snapshot))
		status = work_on_samples(&r, &w, files.path[0]);
	else if (!status)
		status = work(&r, &w, &files);
	operands_free(&files);
	free(binary.value);
	free(r.snapshot.elf.value);
	selection_fini(&r.part);
	return status;
}
