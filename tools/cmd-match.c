// SPDX-License-Identifier: GPL-2.0-only
/* csflow match: compares two traces of the same execution. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lib/failed.h"
#include "match/match.h"
#include "lib/log.h"
#include "lib/memory.h"
#include "lib/operands.h"
#include "lib/output.h"
#include "lib/progress.h"

static const char usage[] = "match [OPTIONS] A B...";

enum { MATCH_EQUAL, MATCH_DIFFERENT, MATCH_FAILED };

/* The default number of places to show; JSON shows all. */
#define PLACES	10

#define RESYNC_MAX	1000000
#define CONFIRM_MAX	1000
#define WINDOW_MAX	10000

/**
 * struct job - the state of the command
 * @start: as given, or NULL
 * @rules, @rule_lines: files, and lines of the command line
 * @by: enum source_by
 * @max_given: --max was given
 */
struct job {
	struct match_options options;
	struct source_options source;
	const char *start;
	struct opt_list rules, rule_lines;
	bool max_given, progress, debug;
};

/* ---------------------------------------------------------------- options */

/* As for the Trace Matcher, the number after -w may be missing, and is then 1. */
static char *translate(const char *word, const char *next, bool *takes_next)
{
	uint64_t number;
	char *text = NULL;

	*takes_next = false;
	if (strcmp(word, "-w") && strcmp(word, "--window-size"))
		return strdup(word);
	*takes_next = next && options_number(next, &number);
	if (asprintf(&text, "--window-size=%s", *takes_next ? next : "1") < 0)
		return NULL;
	return text;
}

/* The words that options_parse() knows; owned, for the life of the program. */
static char **translate_all(int *argc, char **argv)
{
	char **words = calloc(*argc + 1, sizeof(*words));
	int n = 0;

	for (int i = 0; words && i < *argc; i++) {
		bool takes_next = false;

		words[n] = i ? translate(argv[i], argv[i + 1], &takes_next) : strdup(argv[0]);
		if (!words[n++]) {
			while (n)
				free(words[--n]);
			free(words);
			return NULL;
		}
		i += takes_next;
	}
	*argc = n;
	return words;
}

static void free_words(char **all, char **words, int n)
{
	for (int i = 0; all && i < n; i++)
		free(all[i]);
	free(all);
	free(words);
}

static bool hex(const char *text, uint64_t *v)
{
	char *end;

	errno = 0;
	*v = strtoull(text, &end, 16);
	return *text && *text != '-' && !*end && !errno;
}

static int wrong(const char *what, const char *value, const char *why)
{
	log_say(LOG_USAGE, "csflow match: %s %s: %s\n", what, value, why);
	return MATCH_FAILED;
}

static int too_large(const char *option, uint32_t v, uint32_t max)
{
	log_say(LOG_USAGE, "csflow match: --%s: %u is not from 1 to %u\n", option, v, max);
	return MATCH_FAILED;
}

static int read_rules(struct job *j)
{
	struct match_rules *rules = &j->options.rules;
	struct problems problems = { 0 };
	int err = 0;

	for (size_t i = 0; i < j->rule_lines.n; i++) {
		const char *why = match_rules_parse(rules, j->rule_lines.value[i]);

		if (why)
			return wrong("--rule", j->rule_lines.value[i], why);
	}
	for (size_t i = 0; i < j->rules.n; i++)
		err |= match_rules_read(rules, j->rules.value[i], &problems);
	problems_print(&problems, "csflow match: ");
	problems_free(&problems);
	match_rules_ready(rules);
	return err ? MATCH_FAILED : 0;
}

static int check(struct job *j)
{
	struct match_options *o = &j->options;

	o->has_start = j->start;
	if (j->start && !hex(j->start, &o->start))
		return wrong("--start-addr", j->start, "not an address");
	if (!o->window || o->window > WINDOW_MAX)
		return too_large("window-size", o->window, WINDOW_MAX);
	if (!o->resync || o->resync > RESYNC_MAX)
		return too_large("resync", o->resync, RESYNC_MAX);
	if (!o->confirm || o->confirm > CONFIRM_MAX)
		return too_large("confirm", o->confirm, CONFIRM_MAX);
	if (o->context > MATCH_PAST)
		o->context = MATCH_PAST;
	if (!j->max_given)
		o->max = o->format == MATCH_JSON ? 0 : PLACES;
	return read_rules(j);
}

/* An option of the Trace Matcher, with its name there */
#define OPT_MATCHER(w, k, n, t, v, a, h) \
	{ OPT_ROW(k, 0, n, OPT_TYPED(t, v), a, h), .word = (w) }

/* Long because it is the table of all options.  Return: number of operands, at words[1] and on. */
static int parse(struct job *j, int argc, char **words)
{
	static const char *const formats[] = { "side", "unified", "json", NULL };
	static const char *const aligns[] = { "address", "id", NULL };
	static const char *const bys[] = { "auto", "cpu", "thread", NULL };
	struct match_options *o = &j->options;
	struct dso_options *dso = &j->source.dso;
	const struct opt table[] = {
		OPT_GROUP("What is compared:"),
		OPT_MATCHER("bs", OPT_KIND_U64, "boot-size", uint64_t, &o->boot, "N",
			    "skip the first N instructions"),
		OPT_MATCHER("sa", OPT_KIND_STRING, "start-addr", const char *, &j->start, "ADDR",
			    "skip everything up to the first instruction at ADDR"),
		OPT_MATCHER("se", OPT_KIND_FLAG, "skip-equal", bool, &o->skip_equal, NULL,
			    "of records that differ only in time, use the first"),
		OPT_MATCHER("sr", OPT_KIND_FLAG, "skip-rest", bool, &o->skip_rest, NULL,
			    "ignore what the longer trace has in addition"),
		OPT_U32('w', "window-size", &o->window, "N",
			"N records may be in any order (default: 1)"),
		OPT_U64_SEEN(0, "window-ticks", &o->ticks, &o->has_ticks, "N",
			     "records up to N apart in time may be in any order"),
		OPT_CHOICE(0, "align", &o->align, aligns, "HOW",
			   "how to find instructions that belong together"),
		OPT_CHOICE(0, "by", &j->source.by, bys, "WHAT",
			   "one stream for each CPU, for each thread, or as recorded"),
		OPT_LIST(0, "rule", &j->rule_lines, "RULE",
			 "a rule, such as \"ignore kind=R name=cnt*\"; may be repeated"),
		OPT_LIST(0, "rules", &j->rules, "FILE",
			 "a file with one rule on each line; may be repeated"),
		OPT_FLAG(0, "timeless", &j->source.timeless, "ignore timestamps in the trace"),
		OPT_GROUP("Differences:"),
		OPT_MATCHER("fds", OPT_KIND_FLAG, "first-dif-stop", bool, &o->first_stop, NULL,
			    "stop after the first difference"),
		OPT_U32(0, "resync", &o->resync, "N",
			"look N instructions ahead for where both agree (default: 1000)"),
		OPT_U32(0, "confirm", &o->confirm, "N",
			"how many equal instructions in a row that takes (default: 3)"),
		OPT_CHOICE(0, "format", &o->format, formats, "FORMAT", "how to print differences"),
		OPT_U32(0, "context", &o->context, "N",
			"records to show before and after a place (default: 3)"),
		OPT_U32_SEEN('n', "max", &o->max, &j->max_given, "N",
			     "places to show, 0: all (default: 10, with json all)"),
		OPT_FLAG('q', "quiet", &o->quiet, "print nothing, set only the exit status"),
		OPT_PROGRESS(&j->progress),
		OPT_FLAG('d', "debug", &j->debug, "report which streams are compared"),
		OPT_GROUP("Finding files:"),
		OPT_PATH(0, "symfs", &dso->symfs, "DIR", "look for files below DIR"),
		OPT_PATH('k', "vmlinux", &dso->vmlinux, "FILE", "the kernel that was traced"),
		OPT_BUILDID_DIR(dso),
		OPT_BUFFER(&j->source.snapshot.buffer),
		OPT_IMPLICIT_THUMB(&j->source.snapshot),
		OPT_SPEED(&j->source.n_threads),
		OPT_REFUSED(0, "raw",
			    "csflow tarmac --raw=UNIT makes a log of it, which can be compared"),
		OPT_NO_CPUS("whole traces are compared; csflow tarmac chooses CPUs"),
		OPT_NO_THREADS("whole traces are compared; csflow tarmac chooses threads"),
		OPT_NO_TIME("whole traces are compared; csflow script has it"),
		OPT_NO_CODE("whole traces are compared; csflow script has it"),
		OPT_END
	};

	return options_parse(argc, words, table, usage);
}

/* ---------------------------------------------------------------- streams */

/* Finds the stream of @s that is of the same CPU, or thread, as @wanted. */
static bool numbered(struct source *s, const struct source_stream *wanted,
		     struct source_stream *stream)
{
	for (size_t i = 0; source_stream(s, i, stream); i++)
		if (source_stream_same(stream, wanted))
			return true;
	return false;
}

static bool only_one(struct source *s)
{
	struct source_stream stream;

	return source_stream(s, 0, &stream) && !source_stream(s, 1, &stream);
}

/* The stream of B for the @n-th of A; if both have only one, these. */
static bool partner(struct source *const *s, size_t n, const struct source_stream *a,
		    struct source_stream *b)
{
	if (numbered(s[1], a, b))
		return true;
	return !n && only_one(s[0]) && only_one(s[1]) && source_stream(s[1], 0, b);
}

static int compare(struct job *j, struct match *m, const struct source_stream *a,
		   const struct source_stream *b)
{
	const struct source_stream *stream = a ? a : b;
	char name[SOURCE_STREAM_NAME];
	struct progress progress;
	int err;

	j->options.rules.cpu = stream->number;
	if (j->debug)
		log_say(LOG_NOTE, "csflow match: %s\n", source_stream_name(stream, name));
	progress_start(&progress, "comparing", source_total(m->side[0].source), j->progress);
	m->progress = &progress;
	err = match_streams(m, a, b);
	m->progress = NULL;
	progress_at(&progress, source_done(m->side[0].source));
	progress_stop(&progress);
	for (int i = 0; i < 2 && j->debug; i++)
		log_say(LOG_NOTE, "csflow match: %c: %llu instructions, %llu other records\n",
			'A' + i, (unsigned long long)m->side[i].insns,
			(unsigned long long)m->side[i].records);
	return err;
}

static bool done(const struct job *j, const struct match *m)
{
	return j->options.first_stop && m->count.places;
}

/* Compares every stream of A with its partner in B, and those that only B has. */
static int all_streams(struct job *j, struct match *m, struct source *const *s)
{
	struct source_stream a, b, used = { 0 };
	bool other = false;
	int err = 0;

	for (size_t n = 0; !err && !done(j, m) && source_stream(s[0], n, &a); n++) {
		bool both = partner(s, n, &a, &b);

		if (both && !source_stream_same(&a, &b)) {
			used = b;
			other = true;
		}
		err = compare(j, m, &a, both ? &b : NULL);
	}
	for (size_t n = 0; !err && !done(j, m) && source_stream(s[1], n, &b); n++)
		if (!numbered(s[0], &b, &a) && !(other && source_stream_same(&b, &used)))
			err = compare(j, m, NULL, &b);
	return err;
}

/* ---------------------------------------------------------------- a pair of files */

static int open_one(struct job *j, struct source **s, const char *path, int by)
{
	struct source_options options = j->source;
	int err;

	options.by = by;
	options.tasks = true;
	source_close(*s);
	err = source_open(s, path, &options);
	if (err && *s)
		problems_print(source_problems(*s), "csflow match: ");
	else if (err)
		log_say(LOG_FILE, "csflow match: %s: %s\n", path, strerror(-err));
	return err;
}

/* Opens both by CPU, or both by thread. */
static int open_both(struct job *j, struct source **s, const char *const *path)
{
	int err = open_one(j, &s[0], path[0], j->source.by);

	if (!err)
		err = open_one(j, &s[1], path[1], j->source.by);
	for (int i = 0; i < 2 && !err; i++)
		if (source_by(s[i]) == SOURCE_CPU && source_by(s[!i]) == SOURCE_THREAD)
			err = open_one(j, &s[i], path[i], SOURCE_THREAD);
	if (err || source_by(s[0]) == source_by(s[1]) || (only_one(s[0]) && only_one(s[1])))
		return err;
	log_say(LOG_USAGE, "csflow match: one has streams of threads, the other of processors\n");
	return -EINVAL;
}

static int verdict(struct job *j, struct match *m, struct source *const *s,
		   const char *const *path)
{
	static const char *const names[] = { "A", "B" };
	int status = match_differences(&m->count) ? MATCH_DIFFERENT : MATCH_EQUAL;

	match_report_summary(m, path[0], path[1]);
	for (int i = 0; i < 2; i++) {
		bool records = source_format(s[i]) == SOURCE_TARMAC && m->count.all[i];

		problems_print(source_problems(s[i]), "csflow match: ");
		if (!m->count.insns[i] && !records) {
			log_say(LOG_EMPTY, "csflow match: %s: %s has nothing to compare%s\n",
				path[i], names[i], j->start ? " after that address" : "");
			status = MATCH_FAILED;
		}
		if (source_damaged(s[i]) && status == MATCH_EQUAL)
			status = MATCH_FAILED;
	}
	return status;
}

static int match_two(struct job *j, const char *const *path)
{
	struct source *s[2] = { NULL };
	struct match m = { 0 };
	int status = MATCH_FAILED;
	int err = open_both(j, s, path);

	if (!err) {
		err = match_init(&m, &j->options, s[0], s[1]);
		if (!err)
			err = all_streams(j, &m, s);
		if (!err)
			status = verdict(j, &m, s, path);
		else
			failed_while((const char *const *)path, 2, "comparing", err);
	}
	match_fini(&m);
	source_close(s[0]);
	source_close(s[1]);
	return status;
}

int cmd_match(int argc, char **argv)
{
	struct job j = { .progress = true, .options = { .window = 1, .resync = MATCH_RESYNC,
				      .confirm = MATCH_CONFIRM, .context = 3, .out = stdout } };
	char **words = translate_all(&argc, argv), **all;
	struct operands files = { .least = 2 };
	int n, status = MATCH_FAILED;

	memory_set_status(MATCH_FAILED);
	all = words ? calloc(argc + 1, sizeof(*all)) : NULL;
	if (!all) {
		free(words);
		failed_at_once("match");
		return MATCH_FAILED;
	}
	memcpy(all, words, argc * sizeof(*all));
	n = parse(&j, argc, words);
	if (!operands_take(&files, n, words, usage))
		status = check(&j);
	for (size_t i = 1; status != MATCH_FAILED && i < files.n; i++) {
		const char *path[2] = { files.path[0], files.path[i] };
		const int now = match_two(&j, path);

		status = now > status ? now : status;
	}
	/* differences that did not arrive are trouble */
	if (status != MATCH_FAILED && !output_arrived())
		status = MATCH_FAILED;
	match_rules_free(&j.options.rules);
	operands_free(&files);
	free(j.rules.value);
	free(j.rule_lines.value);
	free_words(all, words, argc);
	return status;
}
