// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../perf-plugin/new-file.h"
#include "../lib/failed.h"
#include "../lib/file.h"
#include "../lib/log.h"
#include "../lib/progress.h"
#include "../lib/status.h"
#include "merge.h"
#include "names.h"
#include "sums-write.h"

/* Inputs that are read, or wait for that or for their turn to be reported. */
#define RING	1024

/* The memory of the sums of all threads; each has at least LEAST. */
#define BYTES	(96u << 20)
#define LEAST	(8u << 20)

/**
 * struct job - an input, from its name to its report
 * @status: as input_read()
 * @state: only the thread whose turn it is looks at the rest
 */
struct job {
	char *path;
	uint64_t times, bytes;
	struct input_problem problem;
	int status;
	enum { JOB_FREE, JOB_READY, JOB_DONE } state;
};

/**
 * struct worker - a thread that reads inputs
 * @err: of what it does in the end
 */
struct worker {
	struct merging *m;
	struct sums sums;
	struct input_reader reader;
	pthread_t thread;
	int err;
};

/**
 * struct merging - a merge
 * @code: held while program files are open, and while something is reported
 * @lock: of @job[] and of what follows it, with @ready and @done as signals
 * @first: the oldest job that was not reported; @next: the first that no thread has; @last: after
 *         the newest one
 * @end: there will be no more
 * @n_bad: inputs left out; @n_old: those that are too old
 */
struct merging {
	const struct merge_options *options;
	struct merge_files files;
	pthread_mutex_t code;
	struct worker *worker;
	size_t n_worker;
	pthread_mutex_t lock;
	pthread_cond_t ready, done;
	struct job job[RING];
	uint64_t first, next, last;
	bool end;
	struct progress progress;
	uint64_t total, n_bytes, n_bad, n_good, n_old;
	int err;
};

/* ---------------------------------------------------------------- threads */

static struct job *take_job(struct merging *m)
{
	struct job *job = NULL;

	pthread_mutex_lock(&m->lock);
	while (m->next == m->last && !m->end)
		pthread_cond_wait(&m->ready, &m->lock);
	if (m->next < m->last)
		job = &m->job[m->next++ % RING];
	pthread_mutex_unlock(&m->lock);
	return job;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct merging *m = w->m;
	struct job *job;

	while ((job = take_job(m))) {
		job->status = input_read(&w->reader, job->path, job->times, &job->problem);
		pthread_mutex_lock(&m->lock);
		job->state = JOB_DONE;
		pthread_cond_signal(&m->done);
		pthread_mutex_unlock(&m->lock);
	}
	w->err = lists_drain(&w->reader.lists);
	if (!w->err)
		w->err = sums_end(&w->sums);
	return NULL;
}

static int begin_worker(struct merging *m, size_t max)
{
	struct worker *w = &m->worker[m->n_worker];
	int err;

	w->m = m;
	sums_init(&w->sums, &m->files, max);
	err = input_reader_init(&w->reader, &w->sums, &m->options->input, &m->code);
	if (!err)
		err = -pthread_create(&w->thread, NULL, work, w);
	if (!err)
		m->n_worker++;
	else
		input_reader_fini(&w->reader);
	return err;
}

static int begin_workers(struct merging *m)
{
	const uint32_t n = m->options->n_threads;
	const size_t max = BYTES / n < LEAST ? LEAST : BYTES / n;
	int err;

	m->worker = calloc(n, sizeof(*m->worker));
	err = m->worker ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < n && !err; i++)
		err = begin_worker(m, max);
	return err;
}

/* Waits for all; what they have is sorted then. */
static void end_workers(struct merging *m)
{
	pthread_mutex_lock(&m->lock);
	m->end = true;
	pthread_cond_broadcast(&m->ready);
	pthread_mutex_unlock(&m->lock);
	for (size_t i = 0; i < m->n_worker; i++) {
		pthread_join(m->worker[i].thread, NULL);
		input_reader_fini(&m->worker[i].reader);
		if (!m->err)
			m->err = m->worker[i].err;
	}
}

/* ---------------------------------------------------------------- reports */

/* Threads that have the code report, too: which files were not checked. */
static void report_left_out(struct merging *m, const struct job *job)
{
	/* a line of a text follows its name at once */
	const bool line = job->problem.code == LOG_SYNTAX;

	m->n_bad++;
	pthread_mutex_lock(&m->code);
	log_say(job->problem.code, line ? "csflow: %s:%s%s\n" : "csflow: %s: %s%s\n", job->path,
		job->problem.place, job->problem.why);
	pthread_mutex_unlock(&m->code);
}

/* Reports the oldest job, waiting for it; its place is free then. */
static void report_first(struct merging *m)
{
	struct job *job = &m->job[m->first++ % RING];

	pthread_mutex_lock(&m->lock);
	while (job->state != JOB_DONE)
		pthread_cond_wait(&m->done, &m->lock);
	pthread_mutex_unlock(&m->lock);
	if (job->status == -EBADMSG)
		report_left_out(m, job);
	else if (job->status && !m->err)
		m->err = job->status;
	else
		m->n_good++;
	m->n_bytes += job->bytes;
	progress_at(&m->progress, m->n_bytes);
	free(job->path);
	job->path = NULL;
	job->state = JOB_FREE;
}

static void report_bad(void *owner, const char *path, size_t line, const char *why)
{
	struct merging *m = owner;

	while (m->first < m->last)
		report_first(m);
	m->n_bad++;
	pthread_mutex_lock(&m->code);
	if (line)
		log_say(LOG_SYNTAX, "csflow: %s:%zu: %s\n", path, line, why);
	else
		log_say(LOG_FILE, "csflow: %s: %s\n", path, why);
	pthread_mutex_unlock(&m->code);
}

/* ---------------------------------------------------------------- inputs */

/* The weight of an input, by its age, too; 0: it is too old. */
static uint64_t times_of(const struct merging *m, const struct merge_name *name,
			 const struct stat *st)
{
	const int64_t date = name->dated ? name->date : (int64_t)st->st_mtime;

	if (!m->options->half_life)
		return name->times;
	return count_times(name->times,
			   weight_of_age(m->options->date - date, m->options->half_life));
}

static int take_input(void *owner, const struct merge_name *name)
{
	struct merging *m = owner;
	struct stat st = { .st_mtime = m->options->date };
	struct job *job;
	uint64_t times;

	if (m->options->half_life || m->options->progress)
		stat(name->path, &st);
	times = times_of(m, name, &st);
	m->n_old += !times;
	if (!times)
		return 0;
	if (m->last - m->first == RING)
		report_first(m);
	if (m->err)
		return m->err;
	job = &m->job[m->last % RING];
	*job = (struct job){ .path = strdup(name->path), .times = times, .bytes = st.st_size };
	if (!job->path) {
		m->err = -ENOMEM;
		return m->err;
	}
	pthread_mutex_lock(&m->lock);
	job->state = JOB_READY;
	m->last++;
	pthread_cond_signal(&m->ready);
	pthread_mutex_unlock(&m->lock);
	return 0;
}

static int add_size(void *owner, const struct merge_name *name)
{
	struct merging *m = owner;
	struct stat st;

	if (!stat(name->path, &st))
		m->total += st.st_size;
	return 0;
}

/* Bytes of all inputs; 0: it is not known before they are read. */
static void measure(struct merging *m)
{
	const struct merge_options *o = m->options;
	const struct names names = { .take = add_size, .owner = m };

	for (size_t i = 0; i < o->n_operand; i++)
		if (!names_again(o->operand[i]))
			return;
	for (size_t i = 0; i < o->n_operand; i++)
		names_each(&names, o->operand[i]);
}

static void read_all(struct merging *m)
{
	const struct merge_options *o = m->options;
	const struct names names = { .take = take_input, .bad = report_bad, .owner = m };

	progress_start(&m->progress, "merging", 0, o->progress);
	if (m->progress.on)
		measure(m);
	m->progress.total = m->total;
	for (size_t i = 0; i < o->n_operand && !m->err; i++) {
		const uint64_t before = m->last + m->n_old + m->n_bad;

		names_each(&names, o->operand[i]);
		if (before == m->last + m->n_old + m->n_bad && !m->err)
			report_bad(m, o->operand[i], 0, "no inputs in it");
	}
	while (m->first < m->last)
		report_first(m);
}

/* ---------------------------------------------------------------- the result */

static int save(struct merging *m, const char *path, bool *full)
{
	struct sums *sums = calloc(m->n_worker, sizeof(*sums));
	FILE *f = sums ? new_file(path) : NULL;
	const bool whole = m->options->whole;
	int err = -errno;

	if (f) {
		for (size_t i = 0; i < m->n_worker; i++)
			sums[i] = m->worker[i].sums;
		err = new_file_close(f, sums_write(sums, m->n_worker, f, whole ? NULL : full));
	}
	free(sums);
	if (!err)
		return CMD_OK;
	log_say(LOG_FILE, "csflow: %s: %s\n", path ? path : "standard output",
		err == -EOVERFLOW ? "its counts are too large to be added up" :
				    file_words(path, err));
	return CMD_FAILED;
}

/* Says what is not in the result, or wrong in it. */
static int say(const struct merging *m, bool full)
{
	const char *const command = m->options->command;
	uint64_t lost = 0;

	for (size_t i = 0; i < m->n_worker; i++)
		lost = count_sum(lost, m->worker[i].sums.stat[COUNT_LOST + CSF_GAP_IMAGE]);
	if (m->n_bad)
		log_say(LOG_DAMAGE, "csflow %s: inputs left out: %" PRIu64 " of %" PRIu64 "\n",
			command, m->n_bad, m->n_bad + m->n_good);
	if (m->n_old)
		log_say(LOG_NOTE, "csflow %s: inputs too old to count: %" PRIu64 "\n",
			command, m->n_old);
	if (lost)
		log_say(LOG_LOST, "csflow %s: %" PRIu64 " atoms are lost for want of code: csflow profile --quality names the files\n",
			command, lost);
	if (full)
		log_say(LOG_ROUGH, "csflow %s: counts were too large to be added up, and stand at the largest number, 2^64-1\n",
			command);
	return m->n_bad || full ? CMD_FAILED : CMD_OK;
}

static int finish(struct merging *m, const char *out)
{
	bool full = false;
	int status;

	if (m->err) {
		log_say(m->err == -ENOMEM ? LOG_MEMORY : LOG_FILE, "csflow %s: %s\n",
			m->options->command, strerror(-m->err));
		return CMD_FAILED;
	}
	/* a table without anything would look like a result */
	if (m->n_bad && (m->options->whole || !m->n_good)) {
		say(m, false);
		return CMD_FAILED;
	}
	status = save(m, out, &full);
	return say(m, full) || status ? CMD_FAILED : CMD_OK;
}

int merge(const struct merge_options *options, const char *out)
{
	struct merging *m = calloc(1, sizeof(*m));
	int status;

	if (!m)
		return failed_at_once(options->command);
	m->options = options;
	merge_files_init(&m->files);
	pthread_mutex_init(&m->code, NULL);
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->ready, NULL);
	pthread_cond_init(&m->done, NULL);
	m->err = begin_workers(m);
	if (!m->err)
		read_all(m);
	end_workers(m);
	progress_stop(&m->progress);
	status = finish(m, out);
	for (size_t i = 0; i < m->n_worker; i++)
		sums_fini(&m->worker[i].sums);
	free(m->worker);
	merge_files_fini(&m->files);
	free(m);
	return status;
}
