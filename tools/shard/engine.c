// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE	/* asprintf() */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../perf-plugin/array.h"
#include "../lib/log.h"
#include "../lib/progress.h"
#include "../lib/status.h"
#include "../lib/tool.h"
#include "engine.h"
#include "form.h"
#include "limit.h"
#include "part.h"
#include "pool.h"
#include "queue.h"

const char *const engine_names[] = { "local", "parallel", "slurm", "sge", NULL };

/* Seconds from one look at the queue to the next: its server has other users. */
#define QUEUE_EVERY	10

#define MAKING		"making parts"

/**
 * struct attempt - one of the times that the missing parts are made
 * @own: path of this program; @tool: of the engine's command
 * @most: parts of one command
 * @number: numbers of the missing parts; @missing: the same as text
 * @array: those of one command as text, after @before parts; @ids: of all array jobs, "12:13" or
 *         "12,13"
 * @argv: the command that runs next: @n_argv words, owned, and NULL
 * @err: -ENOMEM
 * @there: bytes of the inputs of parts that were there at first
 * @what: begins the line of @progress
 * @looks: how often the queue could be looked at
 */
struct attempt {
	const struct engine_job *job;
	const struct form *form;
	struct parts parts;
	char own[PATH_MAX], tool[PATH_MAX];
	char *missing, *array, *ids;
	size_t most, before;
	uint32_t *number;
	size_t n_number;
	char **argv;
	size_t n_argv, size_argv;
	int err;
	uint64_t there;
	struct progress progress;
	char what[64];
	unsigned int looks;
};

/* ---------------------------------------------------------------- making a command */

static void clear(struct attempt *a)
{
	for (size_t i = 0; i < a->n_argv; i++)
		free(a->argv[i]);
	a->n_argv = 0;
}

/* @word: becomes the attempt's; NULL: no memory */
static void take(struct attempt *a, char *word)
{
	if (!word || !array_room(&a->argv, a->n_argv + 1, &a->size_argv, sizeof(*a->argv))) {
		free(word);
		a->err = -ENOMEM;
		return;
	}
	a->argv[a->n_argv++] = word;
	a->argv[a->n_argv] = NULL;
}

__attribute__((format(printf, 2, 3)))
static void add(struct attempt *a, const char *format, ...)
{
	char *word = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&word, format, args) < 0)
		word = NULL;
	va_end(args);
	take(a, word);
}

static void print(const struct attempt *a, FILE *f)
{
	for (size_t i = 0; i < a->n_argv; i++) {
		if (i)
			fputc(' ', f);
		tool_print_word(f, a->argv[i]);
	}
}

/* csflow shard run, without the number, or csflow shard join */
static void add_own(struct attempt *a, bool join)
{
	add(a, "%s", a->own);
	add(a, "shard");
	add(a, join ? "join" : "run");
	add(a, "--dir=%s", a->job->folder);
	if (join)
		add(a, "--output=%s", a->job->out);
	add(a, "%s", a->job->path);
}

static void make_own(struct attempt *a, bool join)
{
	clear(a);
	add_own(a, join);
}

/* The same as one word for a shell.  NULL: no memory. */
static char *own_words(struct attempt *a, bool join)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f;

	make_own(a, join);
	f = open_memstream(&text, &n);
	if (f && !a->err)
		print(a, f);
	clear(a);
	if (f && !fclose(f) && !a->err)
		return text;
	free(text);
	return NULL;
}

static void add_pattern(struct attempt *a, const char *before, const char *after)
{
	char folder[2 * PATH_MAX], *end = folder;

	for (const char *c = a->job->folder; *c && end < folder + sizeof(folder) - 2; c++) {
		if (*c == '%')
			*end++ = '%';
		*end++ = *c;
	}
	*end = 0;
	add(a, "%s%s%s", before, folder, after);
}

static bool is_in_array(const struct attempt *a, uint32_t number)
{
	return number > a->before && number - a->before <= a->most;
}

static void add_range(struct attempt *a)
{
	uint32_t first = 0, last = 0;

	for (size_t i = 0; i < a->n_number; i++) {
		if (!is_in_array(a, a->number[i]))
			continue;
		last = a->number[i];
		first = first ?: last;
	}
	add(a, "%" PRIu32 "-%" PRIu32, first, last);
}

static void add_word(struct attempt *a, const struct word *w, const char *run, const char *join)
{
	const char *const before = w->before ?: "", *const after = w->after ?: "";

	switch (w->value) {
	case NOTHING:
		add(a, "%s", before);
		break;
	case RUN:
		add(a, "%s%s%s", before, run, after);
		break;
	case JOIN:
		add(a, "%s%s%s", before, join, after);
		break;
	case RUN_WORDS:
	case JOIN_WORDS:
		add_own(a, w->value == JOIN_WORDS);
		break;
	case TASK:
		add(a, "%s%s $((%zu + %s))", before, run, a->before, after);
		break;
	case FOLDER:
		add(a, "%s%s%s", before, a->job->folder, after);
		break;
	case PATTERN:
		add_pattern(a, before, after);
		break;
	case MISSING:
		add(a, "%s%s%s", before, a->array, after);
		break;
	case NUMBERS:
		for (size_t i = 0; i < a->n_number; i++)
			if (is_in_array(a, a->number[i]))
				add(a, "%" PRIu32, a->number[i]);
		break;
	case RANGE:
		add_range(a);
		break;
	case JOBS:
		add(a, "%s%" PRIu32, before, a->job->jobs);
		break;
	case IDS:
		add(a, "%s%s", before, a->ids);
		break;
	}
}

static void make(struct attempt *a, const struct word *words)
{
	char *run = own_words(a, false), *join = own_words(a, true);

	if (!run || !join)
		a->err = -ENOMEM;
	clear(a);
	add(a, "%s", a->tool);
	for (size_t i = 0; !a->err && i < WORDS_MAX && (words[i].before || words[i].value); i++)
		add_word(a, &words[i], run, join);
	free(run);
	free(join);
}

/* ---------------------------------------------------------------- running it */

/* Bytes of the inputs of parts that are there. */
static uint64_t bytes_there(const struct attempt *a)
{
	const struct opt_list folders = { .value = (const char **)&a->job->folder, .n = 1 };
	struct parts parts;
	uint64_t done = 0;

	if (!parts_find(&parts, a->job->plan, &folders, 0, PART_NAMES))
		for (size_t k = 0; k < parts.n; k++)
			done += parts.path[k] ? a->job->plan->part[k].bytes : 0;
	parts_fini(&parts);
	return done;
}

static void forget_queue(struct attempt *a)
{
	free(a->ids);
	a->ids = NULL;
	a->looks = 0;
	strcpy(a->what, MAKING);
}

static void look_at_queue(struct attempt *a)
{
	struct queue queue;

	if (!a->ids || !a->form->has_squeue || !progress_shows(&a->progress) ||
	    a->looks++ % QUEUE_EVERY)
		return;
	if (queue_ask(&queue, a->ids, a->form->between))
		snprintf(a->what, sizeof(a->what), MAKING ", %zu running, %zu waiting",
			 queue.running, queue.waiting);
	else
		strcpy(a->what, MAKING);
}

static void show(void *owner)
{
	struct attempt *a = owner;
	const uint64_t done = bytes_there(a);

	look_at_queue(a);
	progress_at(&a->progress, done > a->there ? done - a->there : 0);
}

static const char *const *whole(void *owner, size_t i)
{
	struct attempt *a = owner;

	(void)i;
	return (const char *const *)a->argv;
}

static const char *const *with_number(void *owner, size_t i)
{
	struct attempt *a = owner;

	make_own(a, false);
	add(a, "%" PRIu32, a->number[i]);
	return (const char *const *)a->argv;
}

static int failed(const struct attempt *a, int err)
{
	log_say(LOG_PROGRAM, "csflow: %s: %s\n", a->form->tool ? a->form->tool : "shard",
		err == -ENODATA ? "it did not print the number of a job" :
		err < 0 ? strerror(-err) : "it failed");
	return CMD_FAILED;
}

/* Prints the command instead, in a dry run.  Return: status of the command, or -errno. */
static int run(struct attempt *a)
{
	const struct pool pool = { .argv = whole, .each = show, .owner = a, .n = 1, .jobs = 1 };

	if (a->err)
		return a->err;
	if (!a->job->dry)
		return pool_run(&pool);
	print(a, stdout);
	putchar('\n');
	return 0;
}

/* One command for each part. */
static int run_each(struct attempt *a)
{
	const struct pool pool = { .argv = with_number, .each = show, .owner = a,
				   .n = a->n_number, .jobs = a->job->jobs };

	for (size_t i = 0; i < a->n_number && !a->err && a->job->dry; i++) {
		with_number(a, i);
		print(a, stdout);
		putchar('\n');
	}
	return a->job->dry ? 0 : pool_run(&pool);
}

/*
 * The number of a job, on a line of its own: "12", "12;cluster" or "12.1-64:1".  Other lines, such
 * as warnings, are for the user.  Return: there is one.
 */
static bool read_id(FILE *said, char id[32])
{
	bool found = false;
	char *line = NULL;
	size_t size = 0;

	while (said && getline(&line, &size, said) >= 0) {
		if (!found && sscanf(line, "%31[0-9]", id) == 1)
			found = true;
		else
			log_say(LOG_ROUGH, "%s", line);
	}
	free(line);
	return found;
}

/* Runs what submits an array, and reads its number. */
static int submit(struct attempt *a, char id[32])
{
	FILE *said = NULL;
	int status;

	strcpy(id, "JOB");
	if (a->job->dry || a->err)
		return run(a);
	status = tool_run((const char *const *)a->argv, &said);
	if (!read_id(said, id) && !status)
		status = -ENODATA;
	if (said)
		fclose(said);
	return status;
}

static int add_id(struct attempt *a, const char *id)
{
	char *ids = NULL;
	int n;

	if (a->ids)
		n = asprintf(&ids, "%s%c%s", a->ids, a->form->between, id);
	else
		n = asprintf(&ids, "%s", id);
	if (n < 0)
		return -ENOMEM;
	free(a->ids);
	a->ids = ids;
	return 0;
}

/* The parts of one command, of @n after @a->before; if none is missing, there is no command. */
static int run_array(struct attempt *a, size_t n)
{
	char id[32];
	int status;

	free(a->array);
	a->array = parts_missing(&a->parts, a->before, n);
	if (!a->array)
		return -ENOMEM;
	if (!*a->array)
		return 0;
	make(a, a->form->run);
	if (!a->form->queued)
		return run(a);
	status = submit(a, id);
	return status ? status : add_id(a, id);
}

static bool is_fatal(const struct attempt *a, int status)
{
	return status < 0 || (status && a->form->queued);
}

/* @a->before: if it fails, how many parts are in jobs that were submitted. */
static int run_arrays(struct attempt *a)
{
	int status = 0;

	forget_queue(a);
	for (a->before = 0; a->before < a->parts.n; a->before += a->most) {
		const size_t left = a->parts.n - a->before;

		status = run_array(a, left < a->most ? left : a->most);
		if (is_fatal(a, status))
			break;
	}
	return status;
}

/* The jobs that were submitted go on. */
static int not_submitted(struct attempt *a, int status)
{
	const size_t n = a->before < a->parts.n ? a->before : a->parts.n;

	failed(a, status);
	if (a->form->queued && a->ids)
		log_say(LOG_NOTE, "csflow: only parts 1 to %zu go on, as jobs %s: submit the plan again when they have ended\n",
			n, a->ids);
	return CMD_FAILED;
}

/*
 * Makes all missing parts.  Their statuses do not matter: those that are there in the end are.
 *
 * Return: CMD_OK; CMD_FAILED: they could not be begun, which was reported.
 */
static int run_parts(struct attempt *a)
{
	const int status = a->form->tool ? run_arrays(a) : run_each(a);

	if (is_fatal(a, status))
		return not_submitted(a, status);
	if (a->ids && !a->job->dry)
		log_say(LOG_NOTE, "csflow: submitted parts %s, as jobs %s\n", a->missing, a->ids);
	return CMD_OK;
}

/* qsub may have said other things before it, without an end of line. */
static bool has_id(FILE *said)
{
	char id[2];

	rewind(said);
	return fscanf(said, "%*[^0-9]%1[0-9]", id) == 1 || fscanf(said, "%1[0-9]", id) == 1;
}

/*
 * Submits the job that joins, and waits for it.  A job that was deleted may have status 0, so the
 * counts have to be a new file.
 *
 * Return: CMD_OK, and whether they are @joined; CMD_FAILED: it could not be submitted, which was
 * reported.
 */
static int join_after(struct attempt *a, bool *joined)
{
	struct pool pool = { .argv = whole, .each = show, .owner = a, .n = 1, .jobs = 1 };
	struct stat old = { 0 }, new;
	bool submitted;
	int status;

	make(a, a->form->join);
	*joined = a->job->dry;
	if (a->err || a->job->dry)
		return run(a) ? failed(a, a->err) : CMD_OK;
	pool.said = tmpfile();
	if (!pool.said)
		return not_submitted(a, -errno);
	stat(a->job->out, &old);
	status = pool_run(&pool);
	submitted = has_id(pool.said);
	fclose(pool.said);
	if (!submitted)
		return not_submitted(a, status ?: -ENODATA);
	*joined = !status && !stat(a->job->out, &new) && new.st_ino != old.st_ino;
	return CMD_OK;
}

static int find_missing(struct attempt *a)
{
	const struct opt_list folders = { .value = (const char **)&a->job->folder, .n = 1 };
	int status;

	parts_fini(&a->parts);
	free(a->missing);
	a->missing = NULL;
	status = parts_find(&a->parts, a->job->plan, &folders, 0, PART_WHOLE);
	if (status)
		return status;
	a->n_number = 0;
	for (size_t k = 0; k < a->parts.n; k++)
		if (!a->parts.path[k])
			a->number[a->n_number++] = k + 1;
	a->missing = parts_missing(&a->parts, 0, a->parts.n);
	return a->missing ? CMD_OK : failed(a, -ENOMEM);
}

/* Return: as engine_run(). */
static int try_all(struct attempt *a)
{
	bool joined = false;
	int status;

	for (uint32_t i = 0; i <= a->job->retries; i++) {
		if (find_missing(a))
			return CMD_FAILED;
		if (!a->n_number)
			break;
		if (i)
			log_say(LOG_NOTE, "csflow: missing parts, made again: %s\n",
				a->missing);
		if (run_parts(a))
			return CMD_FAILED;
		if (a->form->queued && join_after(a, &joined))
			return CMD_FAILED;
		if (joined)
			return CMD_OK;
		if (a->job->dry)
			break;
	}
	/* if some are still missing, this says which */
	make_own(a, true);
	status = run(a);
	if (status < 0)
		return failed(a, status);
	return status ? CMD_FAILED : CMD_OK;
}

static bool find_programs(struct attempt *a)
{
	const ssize_t n = readlink("/proc/self/exe", a->own, sizeof(a->own) - 1);

	if (n <= 0)
		return false;
	a->own[n] = 0;
	if (!a->form->tool || tool_find(a->form->tool, a->tool, sizeof(a->tool)))
		return true;
	if (a->job->dry) {
		snprintf(a->tool, sizeof(a->tool), "%s", a->form->tool);
		return true;
	}
	log_say(LOG_TOOL, "csflow shard: there is no %s on this machine\n", a->form->tool);
	return false;
}

int engine_run(const struct engine_job *job)
{
	struct attempt a = { .job = job, .form = &forms[job->engine], .what = MAKING };
	uint64_t total = 0;
	int status = CMD_FAILED;

	a.number = calloc(job->plan->n_part, sizeof(*a.number));
	if (!a.number)
		return failed(&a, -ENOMEM);
	for (size_t k = 0; k < job->plan->n_part; k++)
		total += job->plan->part[k].bytes;
	if (!job->dry && mkdir(job->folder, 0777) && errno != EEXIST) {
		log_say(LOG_FILE, "csflow: %s: %s\n", job->folder, strerror(errno));
	} else if (find_programs(&a)) {
		a.most = limit_of(&a.form->limit, a.form->most);
		a.there = bytes_there(&a);
		progress_start(&a.progress, a.what, total - a.there,
			       job->progress && !job->dry);
		status = try_all(&a);
		/* nothing is in the queue now */
		forget_queue(&a);
		show(&a);
		progress_stop(&a.progress);
	}
	clear(&a);
	parts_fini(&a.parts);
	free(a.argv);
	free(a.missing);
	free(a.array);
	free(a.ids);
	free(a.number);
	return status;
}
