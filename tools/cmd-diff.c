// SPDX-License-Identifier: GPL-2.0-only
/* csflow diff: finds where two runs part, and what ran more often in one of them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "diff/count-diff.h"
#include "count/count-file.h"
#include "profile/count-load.h"
#include "lib/failed.h"
#include "lib/log.h"
#include "lib/memory.h"
#include "lib/operands.h"
#include "lib/output.h"
#include "diff/path-diff.h"
#include "lib/progress.h"
#include "input/losses.h"
#include "input/recording.h"
#include "report/report.h"
#include "profile/profile.h"

#define WHOLE	"whole recordings are compared; diff --counts compares counts, and profile chooses these"

static const char usage[] = "diff [OPTIONS] A B | diff --counts|--html [OPTIONS] A B";

#define AROUND_MAX	1000

/* As for diff(1). */
enum { DIFF_SAME, DIFF_DIFFERENT, DIFF_TROUBLE };

/**
 * struct work - the state of the command
 * @kernel: code above EL0 is compared, too
 * @html: write a page of both, to @out
 * @counts: compare counts, not paths; @by: enum count_by; @seen: @by was given
 */
struct work {
	struct operands files;
	const char *path[2];
	struct snapshot_choice snapshot;
	struct perf_replay_options options;
	bool kernel, counts, html, seen, progress;
	const char *out;
	int by;
	uint32_t context;
	uint64_t limit;
	struct recording recording[2];
	struct path_diff diff;
};

/* ---------------------------------------------------------------- paths */

static int open_both(struct work *w)
{
	int status = CMD_OK;

	for (int i = 0; i < 2 && !status; i++) {
		w->recording[i] = (struct recording){
			.path = w->path[i], .options = w->options, .snapshot = w->snapshot,
		};
		status = recording_open(&w->recording[i]);
		w->diff.replay[i] = w->recording[i].replay;
	}
	return status;
}

/* Reads one side to its end, or until its windows are full. */
static int read_one(struct work *w, int side, bool windows)
{
	struct perf_replay *replay = w->diff.replay[side];
	struct paths *paths = &w->diff.paths[side];
	struct progress progress;
	struct perf_run run;
	int ret = 0;

	paths->all_levels = w->kernel;
	progress_start(&progress, w->path[side], replay->queues->total, w->progress);
	while (!ret && (!windows || !paths_full(paths))) {
		ret = losses_next(replay, &run);
		if (ret <= 0)
			break;
		ret = paths_run(paths, replay, &run);
		progress_at(&progress, replay->queues->done);
	}
	progress_stop(&progress);
	if (!ret)
		ret = paths_end(paths);
	return ret;
}

/* Opens windows where threads may differ.  Return: how many pairs; -1: no memory. */
static int choose_windows(const struct paths old[2], struct paths new[2], uint32_t context)
{
	size_t n = old[0].n < old[1].n ? old[0].n : old[1].n;
	uint64_t first;
	int pairs = 0;

	for (size_t i = 0; i < n; i++) {
		const uint64_t want = PATH_STEP + 2 * (uint64_t)context + 1;

		if (!path_diff_first(&old[0].path[i], &old[1].path[i], &first))
			continue;
		first -= first < context ? first : context;
		for (int side = 0; side < 2; side++)
			if (paths_window(&new[side], old[side].path[i].tid, first, want))
				return -1;
		pairs++;
	}
	return pairs;
}

/* The same thread from the second reading; the first one's if there was no second. */
static const struct path *again(const struct paths *paths, const struct path *path)
{
	for (size_t i = 0; path && i < paths->n; i++)
		if (paths->path[i].tid == path->tid)
			return &paths->path[i];
	return path;
}

/* @first: from the first reading, which has all threads. */
static void print_all(struct work *w, const struct paths first[2])
{
	struct path_diff *d = &w->diff;
	size_t n = first[0].n > first[1].n ? first[0].n : first[1].n;

	for (size_t i = 0; i < n; i++) {
		const struct path *a = i < first[0].n ? &first[0].path[i] : NULL;
		const struct path *b = i < first[1].n ? &first[1].path[i] : NULL;
		uint64_t at;

		if (a && b && !path_diff_first(a, b, &at))
			continue;
		path_diff_print(d, again(&d->paths[0], a), again(&d->paths[1], b));
	}
}

static int report_both(const struct work *w)
{
	int status = CMD_OK;

	for (int i = 0; i < 2; i++)
		if (recording_report(&w->recording[i]))
			status = CMD_FAILED;
	return status;
}

static void close_both(struct work *w)
{
	recording_close(&w->recording[0]);
	recording_close(&w->recording[1]);
}

static void sum_up(const struct paths first[2])
{
	for (int side = 0; side < 2; side++) {
		uint64_t n = 0, insns = 0;

		for (size_t i = 0; i < first[side].n; i++) {
			n += first[side].path[i].n;
			insns += first[side].path[i].insns;
		}
		log_say(LOG_NOTE, "csflow: %c: %zu thread%s, %" PRIu64 " branches, %" PRIu64
			" instructions\n", "AB"[side], first[side].n,
			first[side].n == 1 ? "" : "s", n, insns);
	}
}

/* Reads a second time, up to where they may part. */
static int look_closer(struct work *w, const struct paths first[2])
{
	struct path_diff *d = &w->diff;
	int status = open_both(w);

	if (status)
		return status;
	memset(d->paths, 0, sizeof(d->paths));
	if (choose_windows(first, d->paths, w->context) < 0 ||
	    read_one(w, 0, true) || read_one(w, 1, true))
		return failed_while(w->path, 2, "looking where they part", -ENOMEM);
	print_all(w, first);
	if (d->builds)
		log_say(LOG_USAGE, "csflow: the programs are different builds: --counts compares them by names\n");
	return CMD_OK;
}

static int compare_paths(struct work *w)
{
	struct path_diff *d = &w->diff;
	struct paths first[2] = { { 0 }, { 0 } };
	int status = open_both(w), bad = 0;

	d->context = w->context;
	d->out = stdout;
	for (int i = 0; i < 2; i++)
		d->name[i] = w->path[i];
	if (!status && (read_one(w, 0, false) || read_one(w, 1, false)))
		status = failed_while(w->path, 2, "comparing paths", -ENOMEM);
	if (!status)
		bad = report_both(w);
	memcpy(first, d->paths, sizeof(first));
	memset(d->paths, 0, sizeof(d->paths));
	close_both(w);
	if (!status) {
		sum_up(first);
		status = look_closer(w, first);
		close_both(w);
	}
	for (int i = 0; i < 2; i++) {
		if (!status && !bad && !first[i].n) {
			log_say(LOG_EMPTY, "csflow: %s: nothing ran; see 'csflow doctor'\n",
				w->path[i]);
			bad = 1;
		}
		paths_fini(&first[i]);
		paths_fini(&d->paths[i]);
	}
	if (status || bad)
		return DIFF_TROUBLE;
	return d->differ ? DIFF_DIFFERENT : d->unsure ? DIFF_TROUBLE : DIFF_SAME;
}

/* ---------------------------------------------------------------- counts */

static void say_lost(const struct count_table *table, const char *path)
{
	uint64_t lost = 0;

	for (int g = 0; g < CSF_GAP_NR; g++)
		lost = count_sum(lost, table->stat[COUNT_LOST + g]);
	if (lost)
		log_say(LOG_LOST, "csflow: %s: %" PRIu64 " atoms are lost, and not counted; see 'csflow doctor'\n",
			path, lost);
}

static int compare_counts(struct work *w)
{
	const struct count_load_options options = { .replay = w->options, .snapshot = w->snapshot,
						    .addresses = PROFILE_ANY };
	struct count_table table[2] = { { 0 }, { 0 } };
	struct count_diff d = {
		.by = w->by, .limit = w->limit, .dso = &w->options.dso, .out = stdout,
	};
	int status = DIFF_SAME;

	*losses_progress() = w->progress;
	for (int i = 0; i < 2; i++) {
		d.name[i] = w->path[i];
		d.table[i] = &table[i];
		if (count_load(&table[i], w->path[i], 1, &options))
			status = DIFF_TROUBLE;
		say_lost(&table[i], w->path[i]);
	}
	if (!status && count_diff(&d)) {
		failed_while(w->path, 2, "comparing counts", -ENOMEM);
		status = DIFF_TROUBLE;
	}
	count_table_fini(&table[0]);
	count_table_fini(&table[1]);
	if (status || d.missing)
		return DIFF_TROUBLE;
	return d.changed ? DIFF_DIFFERENT : DIFF_SAME;
}

/* ---------------------------------------------------------------- a page */

static int write_page(struct work *w)
{
	struct report r[2] = { { .n_path = 0 } };
	int status = DIFF_SAME, changed = 0;

	*losses_progress() = w->progress;
	for (int i = 0; i < 2; i++) {
		const struct operands one = { .path = &w->path[i], .n = 1 };

		r[i].words = (struct report_words){ .limit = UINT32_MAX, .calls = true };
		r[i].options = w->options;
		r[i].snapshot = w->snapshot;
		if (report_load(&r[i], &one))
			status = DIFF_TROUBLE;
		if (!r[i].insns) {
			log_say(LOG_EMPTY, "csflow: %s: nothing ran; see 'csflow doctor'\n",
				w->path[i]);
			status = DIFF_TROUBLE;
		}
	}
	/* as far as both are known */
	if (r[0].insns && r[1].insns && report_write_page(r, 2, w->out))
		status = DIFF_TROUBLE;
	if (!status)
		changed = report_differ(r);
	if (changed)
		status = changed < 0 ? DIFF_TROUBLE : DIFF_DIFFERENT;
	report_fini(&r[0]);
	report_fini(&r[1]);
	return status;
}

/* ---------------------------------------------------------------- the command */

static int parse(struct work *w, int argc, char **argv)
{
	static const char *const bys[] = { "function", "line", "offset", NULL };
	struct dso_options *dso = &w->options.dso;
	const struct opt table[] = {
		OPT_FLAG('c', "counts", &w->counts, "compare counts: what ran more or less often"),
		{ OPT_ROW(OPT_KIND_CHOICE, 0, "by", &w->by, "WHAT",
			  "with --counts, what is counted"), .choice = bys, .seen = &w->seen },
		OPT_FLAG(0, "html", &w->html,
			 "write a page for a browser: calls of both, and what changed"),
		OPT_OUTPUT('o', "output", &w->out, "FILE",
			   "with --html, where to write (default: standard output)"),
		OPT_U64('n', "limit", &w->limit, "N",
			"with --counts, print only the first N (default: all)"),
		OPT_U32('U', "context", &w->context, "N",
			"show N branches around the place (default: 5)"),
		OPT_FLAG(0, "kernel", &w->kernel, "also compare code that ran above EL0"),
		OPT_PROGRESS(&w->progress),
		OPT_FILES_GROUP,
		OPT_SNAPSHOT(&w->snapshot),
		OPT_FILES(dso),
		OPT_SPEED(&w->options.n_threads),
		OPT_NO_CPUS(WHOLE),
		OPT_NO_THREADS(WHOLE),
		OPT_NO_TIME(WHOLE),
		OPT_NO_CODE(WHOLE),
		OPT_END
	};

	int n = options_parse(argc, argv, table, usage);

	if (operands_take(&w->files, n, argv, usage))
		return DIFF_TROUBLE;
	w->path[0] = w->files.path[0];
	w->path[1] = w->files.path[1];
	if (w->out && !w->html) {
		log_say(LOG_USAGE, "csflow diff: --output %s: only with --html\n", w->out);
		return DIFF_TROUBLE;
	}
	if (w->context > AROUND_MAX)
		w->context = AROUND_MAX;
	if (w->seen || w->limit || count_file_at(w->path[0]) || count_file_at(w->path[1]))
		w->counts = true;
	return DIFF_SAME;
}

int cmd_diff(int argc, char **argv)
{
	struct work *w = calloc(1, sizeof(*w));
	int status;

	if (!w) {
		failed_at_once("diff");
		return DIFF_TROUBLE;
	}
	memory_set_status(DIFF_TROUBLE);
	w->progress = true;
	w->context = 5;
	w->files.least = 2;
	w->files.most = 2;
	w->options.marks = CSF_MARK_TIME;
	status = parse(w, argc, argv);
	if (!status)
		status = w->html ? write_page(w) :
			 w->counts ? compare_counts(w) : compare_paths(w);
	/* differences that did not arrive are trouble */
	if (status != DIFF_TROUBLE && !output_arrived())
		status = DIFF_TROUBLE;
	free(w->snapshot.elf.value);
	operands_free(&w->files);
	free(w);
	return status;
}
