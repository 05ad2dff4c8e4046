// SPDX-License-Identifier: GPL-2.0-only
/* csflow coverage: lines, functions and branches that ran. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../perf-plugin/new-file.h"
#include "cmd.h"
#include "coverage/coverage.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/operands.h"
#include "report/report.h"
#include "input/losses.h"

static const char usage[] = "coverage [OPTIONS] [PERF.DATA|SNAPSHOT|LOG|COUNTS]...";

static const char *const formats[] = { "lcov", "cobertura", NULL };

struct words {
	struct opt_list binary, source;
	const char *out, *name;
	int format;
	bool quiet;
};

/* A program that ran in a snapshot counts as a module, but is no relocatable file. */
static bool is_program(struct report *r, size_t dso)
{
	const struct elf_file *elf = places_elf(&r->places, dso);

	return elf && elf->is_elf && !elf->is_module;
}

static bool is_wanted(struct report *r, size_t dso)
{
	const struct count_dso *d = &r->table.dso[dso];

	return d->n_block && selection_has_dso(&r->part, d->name) &&
	       (d->kind == DSO_FILE || d->kind == DSO_KERNEL ||
		(d->kind == DSO_MODULE && is_program(r, dso)));
}

/* Most libraries have no lines: one message names all that are left out. */
static void say_left_out(const struct report *r, const size_t *dso, size_t n)
{
	for (size_t i = 0; i < n; i++)
		log_say(LOG_ROUGH, "%s%s", i ? ", " : "csflow: without debug information, left out: ",
			report_base(r->table.dso[dso[i]].name));
	if (n)
		log_say(LOG_ROUGH, "\n");
}

static void say_why(const struct report *r, size_t dso, int err)
{
	if (err == -ENOENT)
		report_say_missing(r, dso);
	else if (err == -ENODATA)
		report_say_file(r, dso, "no symbols, or no debug information: build with -g");
	else
		report_say_file(r, dso, "a kernel module: its lines are not known");
}

/* Reads all files that ran.  @bad: one is missing, or lacks its lines.  Return: 0 or -ENOMEM. */
static int read_all(struct coverage *c, struct report *r, const struct words *w, bool *bad)
{
	size_t *left = calloc(r->table.n + 1, sizeof(*left)), n_left = 0;
	int err = left ? 0 : -ENOMEM;

	for (size_t i = 0; i < r->table.n && err != -ENOMEM; i++) {
		err = is_wanted(r, i) ? coverage_read(c, &r->places, i) : 0;
		if (err == -ENOMEM)
			report_say_file(r, i, "reading its lines: Cannot allocate memory");
		if (err == -ENODATA && !r->part.dsos.n) {
			left[n_left++] = i;
		} else if (err && err != -ENOMEM) {
			say_why(r, i, err);
			*bad = true;
		}
	}
	if (err != -ENOMEM && !w->quiet)
		say_left_out(r, left, n_left);
	free(left);
	return err == -ENOMEM ? err : 0;
}

static void print_share(const char *what, uint64_t hit, uint64_t all)
{
	log_say(LOG_NOTE, "csflow: %-9s %5.1f%% (%" PRIu64 " of %" PRIu64 ")\n", what,
		all ? 100.0 * hit / all : 0, hit, all);
}

static int print(const struct coverage *c, const struct words *w)
{
	const struct coverage_sum sum = coverage_total(c);
	FILE *f;
	int err;

	if (!sum.lines) {
		log_say(LOG_EMPTY, "csflow coverage: no source line is known to have code: the result would be empty; a program with debug information has lines (of a snapshot or log: --elf=FILE)\n");
		return CMD_FAILED;
	}
	f = new_file(w->out);
	if (f && w->format)
		coverage_print_cobertura(c, w->name, f);
	else if (f)
		coverage_print_lcov(c, w->name, f);
	err = f ? new_file_close(f, 0) : -errno;
	if (err) {
		log_say(LOG_FILE, "csflow: %s: %s\n", w->out ? w->out : "standard output",
			file_words(w->out, err));
		return CMD_FAILED;
	}
	if (!w->quiet) {
		print_share("lines", sum.lines_hit, sum.lines);
		print_share("functions", sum.functions_hit, sum.functions);
		print_share("branches", sum.ways_hit, sum.ways);
	}
	return CMD_OK;
}

static int work(struct report *r, const struct words *w, const struct operands *files)
{
	int loaded = report_load(r, files), status = CMD_FAILED, err = 0;
	struct coverage c = { .symbols = &r->part.symbols };
	bool bad = false;

	if (!loaded || r->insns) {
		err = read_all(&c, r, w, &bad);
		coverage_keep(&c, w->source.value, w->source.n);
		if (!err)
			err = coverage_settle(&c);
		status = err ? report_failed(r, "adding up lines", err) : print(&c, w);
	}
	coverage_fini(&c);
	report_fini(r);
	return status ? status : loaded ? loaded : bad ? CMD_FAILED : CMD_OK;
}

int cmd_coverage(int argc, char **argv)
{
	struct report r = { .words = { .limit = UINT32_MAX },
			    .options = { .marks = CSF_MARK_TIME } };
	struct dso_options *dso = &r.options.dso;
	struct words w = { .name = "" };
	struct operands files = { .otherwise = "perf.data" };
	const struct opt table[] = {
		OPT_INPUT(&files.inputs),
		OPT_CHOICE(0, "for", &w.format, formats, "FORMAT", "the format"),
		OPT_OUTPUT('o', "output", &w.out, "FILE",
			   "where to write (default: standard output)"),
		OPT_STRING('t', "test-name", &w.name, "NAME",
			   "the name of the test in a tracefile"),
		OPT_LIST(0, "source", &w.source, "PREFIX",
			 "only source files whose path begins with PREFIX"),
		OPT_FLAG('q', "quiet", &w.quiet,
			 "print no summary, and do not name what is left out"),
		OPT_SELECTION(&r.part),
		OPT_FILES_GROUP,
		OPT_SNAPSHOT(&r.snapshot),
		OPT_BINARY(&w.binary),
		OPT_FILES(dso),
		OPT_SPEED(&r.options.n_threads),
		OPT_PROGRESS(losses_progress()),
		OPT_END
	};
	int n = options_parse(argc, argv, table, usage), status;

	dso->given = w.binary.value;
	dso->n_given = w.binary.n;
	if (strpbrk(w.name, "\n\r")) {
		log_say(LOG_USAGE, "csflow coverage: --test-name: a name is one line\n");
		status = CMD_USAGE;
	} else {
		status = selection_read(&r.part);
		if (!status)
			status = operands_take(&files, n, argv, usage);
		if (!status)
			status = work(&r, &w, &files);
	}
	operands_free(&files);
	free(w.binary.value);
	free(r.snapshot.elf.value);
	free(w.source.value);
	selection_fini(&r.part);
	return status;
}
