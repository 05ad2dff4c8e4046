// SPDX-License-Identifier: GPL-2.0-only
/* csflow timeline: call stacks over time, as files that Perfetto and Chrome show. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../perf-plugin/new-file.h"
#include "cmd.h"
#include "lib/failed.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/operands.h"
#include "lib/progress.h"
#include "lib/terminal.h"
#include "input/losses.h"
#include "input/recording.h"
#include "index/selection.h"
#include "timeline/timeline.h"
#include "timeline/timeline-size.h"

static const char usage[] = "timeline [OPTIONS] [PERF.DATA|SNAPSHOT|LOG]";

static const char *const formats[] = { "perfetto", "chrome", NULL };
static const char *const tracks[] = { "thread", "cpu", NULL };

/**
 * struct drawing - the state of the command
 * @path: of the output; NULL: standard output
 * @part: only this is drawn
 * @said: that the output is large
 */
struct drawing {
	struct operands files;
	struct recording recording;
	const char *path;
	struct selection part;
	struct progress progress;
	struct timeline timeline;
	struct timeline_size size;
	struct out out;
	bool said;
};

struct words {
	int format, by;
	const char *min, *interval;
	bool progress;
};

static int wrong(const char *option, const char *value, const char *why)
{
	log_say(LOG_USAGE, "csflow: %s %s: %s\n", option, value, why);
	return CMD_USAGE;
}

/* "50us": a number of ns, us or ms; ns without a unit. */
static bool duration(const char *text, uint64_t *ns)
{
	char *end;
	uint64_t unit;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*ns = strtoull(text, &end, 10);
	unit = !*end || !strcmp(end, "ns") ? 1 : !strcmp(end, "us") ? 1000 :
	       !strcmp(end, "ms") ? 1000000 : 0;
	if (errno || !unit || *ns > UINT64_MAX / unit)
		return false;
	*ns *= unit;
	return true;
}

static int understand(struct drawing *d, const struct words *w)
{
	struct timeline *tl = &d->timeline;
	const char *const no_duration = "not a number of ns, us or ms";

	tl->out.format = w->format ? &timeline_chrome : &timeline_perfetto;
	tl->by_cpu = w->by;
	tl->part = &d->part;
	if (selection_read(&d->part))
		return CMD_USAGE;
	if (d->part.spans.n > 1)
		return wrong("--time", d->part.time, "a timeline is of one span");
	if (w->min && !duration(w->min, &tl->out.min))
		return wrong("--min", w->min, no_duration);
	if (w->interval && !duration(w->interval, &tl->interval))
		return wrong("--interval", w->interval, no_duration);
	return CMD_OK;
}

static int open_recording(struct drawing *d)
{
	const struct time_spans *spans = &d->part.spans;
	int status;

	d->recording.cpus = d->part.cpus;
	d->recording.options.marks = CS_SAMPLES_MARKS;
	status = recording_open(&d->recording);
	if (status)
		return status;
	if (d->part.time && !d->recording.replay->timed) {
		log_say(LOG_USAGE, "csflow: %s: --time wants timestamps of perf's clock in the trace\n",
			d->recording.path);
		return CMD_FAILED;
	}
	status = time_spans_settle(&d->part.spans, &d->recording);
	d->timeline.out.from = spans->from;
	d->timeline.out.until = spans->until;
	perf_queues_span(d->recording.replay->queues, spans->from,
			 spans->until == UINT64_MAX ? 0 : spans->until);
	return status;
}

static int parse(struct drawing *d, int argc, char **argv)
{
	struct dso_options *dso = &d->recording.options.dso;
	struct words w = { 0 };
	const struct opt table[] = {
		OPT_INPUT(&d->files.inputs),
		OPT_CHOICE(0, "for", &w.format, formats, "FORMAT", "the format"),
		OPT_OUTPUT('o', "output", &d->path, "FILE",
			   "where to write (default: standard output)"),
		OPT_CHOICE(0, "by", &w.by, tracks, "TRACK", "the tracks that have the functions"),
		OPT_STRING(0, "interval", &w.interval, "TIME",
			   "least time between two values of a counter (default: 10us)"),
		OPT_NO("inline", &d->timeline.inlines, "leave out inlined functions"),
		OPT_PROGRESS(&w.progress),
		OPT_VERBOSE(&d->recording.verbose),
		OPT_SELECTION(&d->part),
		OPT_STRING(0, "min", &w.min, "TIME",
			   "only slices that last at least this long: a number of ns, us or ms"),
		OPT_FILES_GROUP,
		OPT_SNAPSHOT(&d->recording.snapshot),
		OPT_FILES(dso),
		OPT_KERNEL(dso),
		OPT_SPEED(&d->recording.options.n_threads),
		OPT_END
	};
	int n, status;

	w.progress = true;
	n = options_parse(argc, argv, table, usage);
	status = understand(d, &w);
	if (!status)
		status = recording_choose(&d->recording, &d->files, n, argv, usage);
	if (!status)
		status = open_recording(d);
	if (!status)
		progress_start(&d->progress, "decoding", d->recording.replay->queues->total,
			       w.progress);
	return status;
}

/* ---------------------------------------------------------------- work */

static int open_output(struct drawing *d)
{
	d->out.file = new_file(d->path);
	if (!d->out.file) {
		log_say(LOG_FILE, "csflow: %s: %s\n", d->path, file_words(d->path, -errno));
		return CMD_FAILED;
	}
	return terminal_takes_binary(d->path) ? CMD_OK : CMD_USAGE;
}

static int close_output(struct drawing *d, bool whole)
{
	const int err = new_file_close(d->out.file, whole ? 0 : -ENOMEM);

	if (!err || !whole)
		return err ? CMD_FAILED : CMD_OK;
	log_say(LOG_FILE, "csflow: %s: %s\n",
		d->path ? d->path : "standard output", strerror(-err));
	return CMD_FAILED;
}

/* Says once that the output will be large, as soon as that is known; or that it is. */
static void say_size(struct drawing *d)
{
	const uint64_t written = d->out.gone + d->out.n;
	uint64_t guess = written;

	if (d->said)
		return;
	/* with --time it is unknown how much of the trace is left */
	if (!d->timeline.out.from && d->timeline.out.until == UINT64_MAX)
		guess = timeline_size_guess(&d->size, d->recording.replay->queues->total, written);
	if (guess < written)
		guess = written;
	if (guess <= TIMELINE_SIZE_MAX)
		return;
	d->said = true;
	log_say(LOG_NOTE, "csflow: %s: the timeline will have %s %" PRIu64 " MB; few viewers open more than %u: --time, --min and --tid make it smaller\n",
		d->recording.path, guess > written ? "about" : "more than", guess / 1000000,
		TIMELINE_SIZE_MAX / 1000000);
}

static int draw(struct drawing *d)
{
	struct perf_replay *replay = d->recording.replay;
	struct perf_run run;
	int ret = timeline_start(&d->timeline, replay);

	while (!ret) {
		ret = losses_next(replay, &run);
		if (ret <= 0)
			break;
		ret = timeline_run(&d->timeline, &run,
				   selection_has_run(&d->part, replay, &run));
		if (!ret)
			ret = timeline_size_run(&d->size, &run);
		say_size(d);
		progress_at(&d->progress, replay->queues->done);
	}
	progress_stop(&d->progress);
	if (ret < 0)
		return failed_while(&d->recording.path, 1, "drawing", -ENOMEM);
	timeline_finish(&d->timeline);
	out_flush(&d->out);
	return CMD_OK;
}

static void summary(const struct drawing *d)
{
	const struct timeline_out *o = &d->timeline.out;

	if (!o->n)
		log_say(LOG_EMPTY, "csflow: %s: nothing to show; see 'csflow doctor'\n",
			d->recording.path);
	else if (o->insns)
		log_say(LOG_ROUGH, "csflow: %s: no timestamps of perf's clock: an instruction is shown as 1 ns\n",
			d->recording.path);
}

static void tidy(struct drawing *d)
{
	timeline_size_fini(&d->size);
	timeline_fini(&d->timeline);
	recording_close(&d->recording);
	selection_fini(&d->part);
	free(d->recording.snapshot.elf.value);
	operands_free(&d->files);
	free(d);
}

int cmd_timeline(int argc, char **argv)
{
	struct drawing *d = calloc(1, sizeof(*d));
	int status;

	if (!d)
		return failed_at_once("timeline");
	d->timeline.out.out = &d->out;
	d->timeline.interval = 10000;
	d->timeline.inlines = true;
	status = parse(d, argc, argv);
	if (status == CMD_OK)
		status = open_output(d);
	if (status == CMD_OK) {
		status = draw(d);
		if (close_output(d, !status))
			status = CMD_FAILED;
		summary(d);
		if (recording_report(&d->recording))
			status = CMD_FAILED;
	}
	tidy(d);
	return status;
}
