// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../perf-plugin/new-file.h"
#include "autofdo.h"
#include "branch-list.h"
#include "branch-stream.h"
#include "../lib/log.h"
#include "../lib/status.h"
#include "../lib/terminal.h"
#include "../count/count-file.h"
#include "../count/count-fill.h"
#include "count-load.h"
#include "../count/count-span.h"
#include "../lib/file.h"
#include "../quick/quick-count.h"
#include "../quick/quick-file.h"
#include "../quick/quick-load.h"
#include "../input/losses.h"
#include "../input/recording.h"
#include "../index/seek.h"
#include "../lib/spool.h"

static int failed(const char *path, const char *why)
{
	log_say(LOG_FILE, "csflow: %s: %s\n", path, why);
	return CMD_FAILED;
}

/* The users of a recording; @calls: NULL: calls are not needed. */
struct viewers {
	struct count_fill fill;
	struct context_fill *calls;
};

static int view(void *viewers, const struct perf_run *run)
{
	struct viewers *v = viewers;

	return count_fill_run(&v->fill, run);
}

/* Callers are known only to those that follow everything. */
static int follow(void *viewers, const struct perf_run *run, bool chosen)
{
	struct viewers *v = viewers;

	return v->calls ? context_fill_run(v->calls, run, chosen) : 0;
}

static int view_all(struct viewers *v, struct perf_replay *replay, struct selection *part)
{
	struct count_span span = {
		.fill = &v->fill, .part = part, .take = view, .follow = follow, .owner = v,
	};
	const bool all = !part->spans.n && !selection_of_threads(part);
	struct perf_run run;
	int err;

	v->fill.partly = !all;
	/* if only some runs are counted, the selecting code walks the steps */
	if (all)
		count_fill_threads(&v->fill, replay->threads);
	while ((err = losses_next(replay, &run)) > 0) {
		err = all ? view(v, &run) : count_span_run(&span, &run);
		if (all && !err)
			err = follow(v, &run, true);
		if (err)
			break;
	}
	count_span_fini(&span);
	return err;
}

/* @contexts: NULL: calls are not needed. */
static int decode(struct count_table *table, struct contexts *contexts,
		  struct perf_replay *replay, struct selection *part)
{
	struct viewers v = { .calls = NULL };
	int err = contexts ? context_fill_new(&v.calls, contexts, replay) : 0;

	count_fill_init(&v.fill, replay);
	if (!err)
		err = view_all(&v, replay, part);
	if (!err)
		err = count_fill_fold(&v.fill, table);
	if (!err && v.calls)
		err = context_fill_fold(v.calls);
	count_fill_fini(&v.fill);
	context_fill_free(v.calls);
	return err;
}

/* Are only some runs of a recording counted? */
static bool is_partly(const struct count_load_options *options)
{
	return options && options->part && selection_of_runs(options->part);
}

/* Counts before the damage are added. */
static int load_list(struct count_table *table, const char *path, const struct branch_list *list,
		     const struct dso_options *options)
{
	struct branch_list_problem problem;
	int err = branch_list_read(table, list, options, &problem);

	if (problem.n_odd)
		log_say(LOG_INPUT, "csflow: %s: offset 0x%zx: %s, passed over: %zu such fields\n",
			path, problem.odd, problem.what, problem.n_odd);
	if (!err)
		return problem.n_odd ? CMD_FAILED : CMD_OK;
	if (err != -EBADMSG)
		return failed(path, strerror(-err));
	log_say(LOG_DAMAGE, "csflow: %s: offset 0x%zx: %s\n", path, problem.offset, problem.why);
	return CMD_FAILED;
}

static int load_section(struct count_table *table, const struct contexts *contexts,
			const struct recording *r, const struct count_load_options *options)
{
	const struct perf_section section =
		perf_file_feature(r->replay->file, PERF_FEATURE_ETM_BRANCH_LIST);
	const struct branch_list list = { section.bytes, section.size };

	if (is_partly(options))
		return failed(r->path, "it has a branch list and no trace: a branch list has no threads, CPUs and times");
	if (contexts)
		return failed(r->path, "it has a branch list and no trace: a branch list has no callers");
	return load_list(table, r->path, &list, &options->replay.dso);
}

static int load_recording(struct count_table *table, struct contexts *contexts, const char *path,
			  const struct count_load_options *options)
{
	struct recording r = { .path = path, .options = options->replay, .takes_list = true,
			       .snapshot = options->snapshot };
	struct selection part = { .spans = { .until = UINT64_MAX } };
	/* callers are those that called since the recording began */
	const struct seek_needs needs = { .from_start = contexts };
	int status;

	/* each recording has its own times */
	if (options->part)
		part = *options->part;
	r.cpus = part.cpus;
	/* contexts and spans need single steps, not paths */
	r.options.paths = !contexts && !part.spans.n;
	status = recording_open(&r);
	if (status)
		return status;
	if (perf_file_has_list(r.replay->file))
		status = load_section(table, contexts, &r, options);
	else if (time_spans_open(&part.spans, &r, &needs))
		status = CMD_FAILED;
	else if (decode(table, contexts, r.replay, &part))
		status = failed(path, "no memory");
	if (recording_report(&r))
		status = CMD_FAILED;
	recording_close(&r);
	return status;
}

/* Loads atom runs of csflow quick, which are executed once more. */
static int load_quick(struct count_table *table, const char *path, const struct file *file,
		      const struct dso_options *options)
{
	struct quick quick = { 0 };
	int status = quick_read(&quick, path, file);
	int err = status ? 0 : quick_count_table(&quick, table, options);

	quick_fini(&quick);
	if (err == -EOVERFLOW)
		return failed(path, "its counts are too large to be added up");
	return err ? failed(path, strerror(-err)) : status;
}

/* Is it a file of counts, not a recording? */
static bool is_bare(const struct file *file)
{
	return count_file_is(file->data, file->n) || branch_stream_is(file->data, file->n) ||
	       quick_file_is(file->data, file->n) || autofdo_is(file->data, file->n);
}

/* A damaged table is not used: its checksum covers everything. */
static int load_counts(struct count_table *table, const char *path, const struct file *file)
{
	struct packed_problem problem;
	int err = count_file_read(table, file->data, file->n, &problem);

	if (!err)
		return CMD_OK;
	count_table_fini(table);
	if (err != -EBADMSG)
		return failed(path, strerror(-err));
	log_say(LOG_DAMAGE, "csflow: %s: offset 0x%zx: %s\n", path, problem.offset, problem.why);
	return CMD_FAILED;
}

/* Counts before a wrong line are added. */
static int load_autofdo(struct count_table *table, const char *path, const struct file *file,
			const struct count_load_options *options)
{
	struct autofdo_problem problem;
	int err = autofdo_read(table, file->data, file->n, &options->replay.dso,
			       options->addresses, &problem);

	if (problem.n_odd)
		log_say(LOG_INPUT, "csflow: %s:%zu: neither a text nor a comment, passed over: %zu such lines\n",
			path, problem.odd, problem.n_odd);
	if (!err)
		return problem.n_odd ? CMD_FAILED : CMD_OK;
	if (err != -EBADMSG)
		return failed(path, strerror(-err));
	if (!problem.line)
		return failed(path, problem.why);
	log_say(LOG_SYNTAX, "csflow: %s:%zu: %s\n", path, problem.line, problem.why);
	return CMD_FAILED;
}

/* @options: if not NULL, any format is read. */
static int load_any(struct count_table *table, const char *path, const struct file *file,
		    const struct count_load_options *options)
{
	if (is_bare(file) && is_partly(options))
		return failed(path, "counts have no threads, CPUs and times; give the recording");
	if (autofdo_is(file->data, file->n))
		return load_autofdo(table, path, file, options);
	if (branch_stream_is(file->data, file->n))
		return load_list(table, path, &(struct branch_list){ file->data, file->n },
				 &options->replay.dso);
	if (quick_file_is(file->data, file->n))
		return load_quick(table, path, file, &options->replay.dso);
	if (count_file_is(file->data, file->n))
		return load_counts(table, path, file);
	return load_recording(table, NULL, path, options);
}

int count_load(struct count_table *table, const char *path, uint64_t weight,
	       const struct count_load_options *options)
{
	struct count_table one = { 0 };
	struct spool spool = { .n_head = 0 };
	struct file file = { .n = 0 };
	const bool recording = options && spool_perf_pipe(path);
	int err = recording ? 0 : spool_map(&spool, &file, path), status;

	if (recording || (err == -EISDIR && options))
		status = load_recording(&one, NULL, path, options);
	else if (err)
		status = failed(path, file_words(path, err));
	else if (options)
		status = load_any(&one, path, &file, options);
	else
		status = load_counts(&one, path, &file);
	file_unmap(&file);
	spool_end(&spool);
	/* The decoded part of a damaged recording is added, too. */
	err = count_table_merge(table, &one, weight);
	if (!err)
		err = count_table_settle(table);
	count_table_fini(&one);
	if (!err && (count_table_full(table) || count_sums_full(table)))
		log_say(LOG_ROUGH, "csflow: %s: counts are so large that sums of them stand at the largest "
			"number, 2^64-1: shares of these are wrong\n", path);
	return err ? failed(path, strerror(-err)) : status;
}

int count_load_contexts(struct count_table *table, struct contexts *contexts, const char *path,
			const struct count_load_options *options)
{
	struct spool spool = { .n_head = 0 };
	struct file file = { .n = 0 };
	struct count_table one = { 0 };
	bool counts = false;
	int status, err;

	if (!spool_perf_pipe(path) && !spool_map(&spool, &file, path)) {
		counts = is_bare(&file);
		file_unmap(&file);
	}
	if (counts)
		status = failed(path, "counts have no callers; give the recording");
	else
		status = load_recording(&one, contexts, path, options);
	spool_end(&spool);
	if (counts)
		return status;
	err = count_table_merge(table, &one, 1);
	if (!err)
		err = count_table_settle(table);
	count_table_fini(&one);
	return err ? failed(path, strerror(-err)) : status;
}

int count_save(const struct count_table *table, const char *path)
{
	FILE *f;
	int err;

	if (!terminal_takes_binary(path))
		return CMD_USAGE;
	f = new_file(path);
	if (!f)
		return failed(path, file_words(path, -errno));
	err = new_file_close(f, count_file_write(table, f));
	return err ? failed(path ? path : "standard output", strerror(-err)) : CMD_OK;
}
