/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by subcommands that decode a perf.data: opening it, and reporting its problems. */
#ifndef CSF_RECORDING_H
#define CSF_RECORDING_H

#include <stdio.h>

#include "../../perf-plugin/perf-replay.h"
#include "../lib/operands.h"
#include "snapshot-perf.h"

/**
 * struct recording - zero it, set what the options say, then recording_open()
 * @path: NULL: perf.data
 * @cpus: list of CPUs as in -C, or NULL
 * @verbose: show notes too
 * @takes_list: the caller can read a branch list instead of trace
 * @again: problems of a snapshot were reported before
 * @lists_files: the caller names missing files itself
 * @snapshot: what is read if @path is a snapshot; borrowed
 * @copy: the hidden recording that a snapshot, raw trace or a log became; NULL: it is none
 * @log: @path is a log of execution
 */
struct recording {
	const char *path;
	const char *cpus;
	struct perf_replay_options options;
	bool verbose;
	bool takes_list, again, lists_files;
	struct snapshot_choice snapshot;
	struct perf_replay *replay;
	FILE *copy;
	bool log;
	/* private */
	struct perf_cpus *ranges;
	bool bad;
};

/*
 * Sets @path to the one recording of @files, or to perf.data; the rest is as for operands_take().
 */
int recording_choose(struct recording *r, struct operands *files, int n, char **argv,
		     const char *usage);

/**
 * struct recording_log - how a log of execution becomes a recording
 * @is: does a file that begins with these bytes, at @path, have a log?
 * @write: writes a perf.data of it to @fd, an empty file; returns 0, or -errno, and @problems has
 *         the reason
 */
struct recording_log {
	bool (*is)(const char *path, const void *head, size_t n);
	int (*write)(struct problems *problems, const char *path,
		     const struct snapshot_choice *choice, int fd);
};

/*
 * From now on, recording_open() opens logs, too.  The rooms that read and encode them need this
 * one, so the command tells it about them.
 */
void recording_take_logs(const struct recording_log *log);

/*
 * Of a file without trace: what it has instead, and the commands that read that.  @log: logs are
 * such files, too.  Return: NULL: it may have trace.
 */
const char *recording_no_trace(const char *path, bool log);

/* Return: CMD_OK; or reports an error and returns CMD_FAILED, or CMD_USAGE for @cpus. */
int recording_open(struct recording *r);

/*
 * After decoding: reports the problems of the file, and which of its trace was not decoded.
 * Return: CMD_FAILED if something is damaged, else CMD_OK.
 */
int recording_report(const struct recording *r);

void recording_close(struct recording *r);

/* Numbers and ranges, "0,4-7", as in perf; the caller frees *@ranges.  Return: it is valid. */
bool recording_ranges(const char *text, struct perf_cpus **ranges, size_t *n);

/**
 * struct recording_whose - selected threads; zero is all
 * @tids, @pids: lists as in --tid and --pid, or NULL
 */
struct recording_whose {
	const char *tids, *pids;
	/* private */
	struct perf_cpus *tid, *pid;
	size_t n_tid, n_pid;
};

/* Reads the lists, and reports errors.  Return: CMD_OK or CMD_USAGE. */
int recording_whose_read(struct recording_whose *w);
bool recording_whose_has(const struct recording_whose *w, const struct perf_who *who);
void recording_whose_free(struct recording_whose *w);

#endif /* CSF_RECORDING_H */
