// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/log.h"
#include "../lib/status.h"
#include "../lib/file.h"
#include "../lib/packed.h"
#include "../lib/problems.h"
#include "recording.h"
#include "snapshot-perf.h"
#include "unchecked.h"
#include "../lib/spool.h"
#include "../lib/without.h"

/* The most trace IDs to name in a line. */
#define IDS_MAX	8

static const struct recording_log *logs;

void recording_take_logs(const struct recording_log *log)
{
	logs = log;
}

static bool number(const char **p, uint32_t *v)
{
	char *end;
	unsigned long n;

	if (**p < '0' || **p > '9')
		return false;
	n = strtoul(*p, &end, 10);
	if (n > INT32_MAX)
		return false;
	*p = end;
	*v = n;
	return true;
}

bool recording_ranges(const char *text, struct perf_cpus **out, size_t *n)
{
	size_t max = 1;
	struct perf_cpus *ranges;

	for (const char *p = text; *p; p++)
		max += *p == ',';
	ranges = calloc(max, sizeof(*ranges));
	*out = ranges;
	*n = 0;
	for (const char *p = text; ranges; p++) {
		struct perf_cpus *r = &ranges[*n];

		if (!number(&p, &r->first))
			break;
		r->last = r->first;
		if (*p == '-') {
			p++;
			if (!number(&p, &r->last) || r->last < r->first)
				break;
		}
		++*n;
		if (!*p)
			return true;
		if (*p != ',')
			break;
	}
	free(ranges);
	*out = NULL;
	return false;
}

/* Is @v in one of the ranges, or are there none? */
static bool is_in(const struct perf_cpus *ranges, size_t n, uint32_t v)
{
	for (size_t i = 0; i < n; i++)
		if (v >= ranges[i].first && v <= ranges[i].last)
			return true;
	return !n;
}

static int no_list(const char *option, const char *text)
{
	log_say(LOG_USAGE, "csflow: %s %s: not a list of numbers\n", option, text);
	return CMD_USAGE;
}

int recording_whose_read(struct recording_whose *w)
{
	if (w->tids && !recording_ranges(w->tids, &w->tid, &w->n_tid))
		return no_list("--tid", w->tids);
	if (w->pids && !recording_ranges(w->pids, &w->pid, &w->n_pid))
		return no_list("--pid", w->pids);
	return CMD_OK;
}

bool recording_whose_has(const struct recording_whose *w, const struct perf_who *who)
{
	return is_in(w->tid, w->n_tid, who->tid) && is_in(w->pid, w->n_pid, who->pid);
}

void recording_whose_free(struct recording_whose *w)
{
	free(w->tid);
	free(w->pid);
}

static int open_replay(struct recording *r, const char *path)
{
	int err = perf_replay_new(&r->replay, path, &r->options);

	if (err)
		log_say(LOG_FILE, "csflow: %s: %s\n", r->path, file_words(r->path, err));
	else
		r->replay->name = r->path;
	return err;
}

/* A log of execution?  Nothing is taken out of a pipe. */
static bool is_log(const struct recording *r)
{
	uint8_t head[SPOOL_HEAD];
	ssize_t n = logs ? spool_peek(r->path, head, sizeof(head)) : 0;

	return n > 0 && logs->is(r->path, head, n);
}

const char *recording_no_trace(const char *path, bool log)
{
	uint8_t head[SPOOL_HEAD];
	/* some commands do not read a pipe with a name, and must not wait for it */
	ssize_t n = file_is_pipe(path) ? 0 : spool_peek(path, head, sizeof(head));

	if (n >= 8 && !memcmp(head, COUNT_MAGIC, 8))
		return "it has counts, which do not tell what ran after what: report, annotate, "
		       "coverage, profile, diff --counts and merge read it";
	if (n >= 8 && !memcmp(head, QUICK_MAGIC, 8))
		return "it has atom runs: profile and quick read it";
	if (n >= 4 && !memcmp(head, "\177ELF", 4))
		return "it is an ELF file, such as a program, and no recording: options such as --binary and "
		       "--elf take those";
	/* of a pipe only these bytes are seen: they may be text by chance */
	if (log && n > 0 && logs && strcmp(path, "-") && logs->is(path, head, n))
		return "it is a log of execution, and no trace: encode makes trace of it, and the "
		       "commands that show what ran read it";
	return NULL;
}

/* Opens what is no recording as a hidden one.  Return: 0, -errno: it was reported. */
static int open_hidden(struct recording *r)
{
	struct problems problems = { 0 };
	char copy[32];
	int err;

	r->copy = tmpfile();
	if (!r->copy) {
		err = -errno;
		log_say(LOG_FILE, "csflow: a temporary file: %s\n", strerror(-err));
		return err;
	}
	if (r->log)
		err = logs->write(&problems, r->path, &r->snapshot, fileno(r->copy));
	else if (r->snapshot.raw)
		err = snapshot_perf_write_raw(&problems, r->path, &r->snapshot, fileno(r->copy));
	else
		err = snapshot_perf_write(&problems, r->path, &r->snapshot, fileno(r->copy));
	if (!r->again)
		problems_print(&problems, "csflow: ");
	/* a line that cannot be read may have been executed */
	r->bad = r->log && problems.n > problems.notes;
	problems_free(&problems);
	snprintf(copy, sizeof(copy), "/proc/self/fd/%d", fileno(r->copy));
	return err ? err : open_replay(r, copy);
}

static void drop(struct recording *r)
{
	if (r->copy)
		fclose(r->copy);
	r->copy = NULL;
	free(r->ranges);
	r->ranges = NULL;
}

int recording_choose(struct recording *r, struct operands *files, int n, char **argv,
		     const char *usage)
{
	int status;

	files->most = 1;
	files->otherwise = "perf.data";
	status = operands_take(files, n, argv, usage);
	if (!status)
		r->path = files->path[0];
	return status;
}

int recording_open(struct recording *r)
{
	const char *other;
	int err;

	if (!r->path)
		r->path = "perf.data";
	other = r->snapshot.raw ? NULL : recording_no_trace(r->path, false);
	if (other) {
		log_say(LOG_INPUT, "csflow: %s: %s\n", r->path, other);
		return CMD_FAILED;
	}
	if (r->cpus && !recording_ranges(r->cpus, &r->ranges, &r->options.n_cpus)) {
		log_say(LOG_USAGE, "csflow: '%s' is not a list of CPUs\n", r->cpus);
		return CMD_USAGE;
	}
	r->options.cpus = r->ranges;
	r->options.n_threads = options_threads(r->options.n_threads);
	r->options.without = without_layers();
	r->log = !r->snapshot.raw && is_log(r);
	if (r->log || r->snapshot.raw || snapshot_perf_is(r->path))
		err = open_hidden(r);
	else
		err = open_replay(r, r->path);
	if (err) {
		drop(r);
		return CMD_FAILED;
	}
	return CMD_OK;
}

static void report_ids(const struct recording *r, const struct perf_unread *unread)
{
	uint64_t left = unread->total - unread->raw - unread->cut - unread->nameless;
	const char *separator = ": ";
	int n = 0;

	if (!left)
		return;
	log_say(LOG_UNREAD, "csflow: %s: %" PRIu64 " bytes of trace not decoded", r->path, left);
	for (int id = 0; id < CSF_ID_MAX && n < IDS_MAX; id++) {
		if (!unread->id[id])
			continue;
		log_say(LOG_UNREAD, "%s%" PRIu64 " of ID %02x", separator, unread->id[id], id);
		separator = ", ";
		left -= unread->id[id];
		n++;
	}
	log_say(LOG_UNREAD, "%s, which no trace unit has\n", left ? " and others" : "");
}

/* Reports trace that no decoder took. */
static void report_unread(const struct recording *r)
{
	struct perf_unread unread;

	perf_queues_unread(r->replay->queues, &unread);
	report_ids(r, &unread);
	if (unread.raw)
		log_say(LOG_UNREAD, "csflow: %s: %" PRIu64 " bytes of raw trace not decoded: of CPUs "
			"that have no trace unit\n", r->path, unread.raw);
	if (unread.nameless)
		log_say(LOG_UNREAD, "csflow: %s: %" PRIu64 " bytes of trace not decoded: of frames "
			"before the first trace ID\n", r->path, unread.nameless);
	if (unread.cut)
		log_say(LOG_UNREAD, "csflow: %s: %" PRIu64 " bytes of trace not decoded: of frames "
			"whose end is missing\n", r->path, unread.cut);
}

/* Reports code of a kernel that may be other code than what ran. */
static void report_kernel(const struct recording *r)
{
	const struct dso *kernel = perf_code_as_linked(&r->replay->tasks->code);

	if (kernel)
		log_say(LOG_UNCHECKED, "csflow: %s: the kernel's code is that of %s, but a kernel changes its "
			"code when it boots: what is shown of it may be wrong; "
			"record with perf record --kcore\n", r->path, kernel->path);
}

/* Reports code of the kernel of which it is not known what ran. */
static void report_changes(const struct recording *r)
{
	if (r->replay->tasks->code.met_changed)
		log_say(LOG_UNCHECKED, "csflow: %s: the kernel changed code while it was recorded, such as static "
			"keys: what ran there is not known, up to the next address in the trace; see csflow "
			"doctor\n", r->path);
}

int recording_report(const struct recording *r)
{
	const struct perf_file *file = r->replay->file;
	struct problems problems = { 0 };

	report_unread(r);
	unchecked_tell(&r->replay->tasks->code.dsos);
	if (!r->lists_files)
		missing_tell(r->path, &r->replay->tasks->code.dsos);
	report_kernel(r);
	report_changes(r);
	problems_warn_perf(&problems, r->path, file, r->verbose);
	problems_print(&problems, "csflow: ");
	problems_free(&problems);
	if (!file->usable && file->size)
		log_say(LOG_NOTE, "csflow: %s: if it is raw trace, --raw=UNIT says of which trace unit\n",
			r->path);
	if (perf_file_has_list(file) && !r->takes_list) {
		log_say(LOG_EMPTY, "csflow: %s: it has a branch list and no trace: csflow profile reads it\n",
			r->path);
		return CMD_FAILED;
	}
	return file->problems.damage || r->bad ? CMD_FAILED : CMD_OK;
}

void recording_close(struct recording *r)
{
	perf_replay_free(r->replay);
	r->replay = NULL;
	drop(r);
}
