/* SPDX-License-Identifier: GPL-2.0-only */
/* What subcommands that decode a perf.data share: opening it, and saying what was wrong. */
#ifndef CSF_RECORDING_H
#define CSF_RECORDING_H

#include <stdio.h>

#include "../../perf-plugin/perf-session.h"

/**
 * struct recording - zero it, set what the options say, then recording_open()
 * @path: NULL: perf.data
 * @cpus: list of CPUs as in -C, or NULL
 * @verbose: show notes too
 * @takes_list: a branch list in the place of trace is read by the caller
 * @takes_snapshot: @path may be a snapshot
 * @again: what is wrong with a snapshot was said before
 * @buffer: trace buffer of a snapshot; NULL: the first
 */
struct recording {
	const char *path;
	const char *cpus;
	struct perf_session_options options;
	bool verbose;
	bool takes_list, takes_snapshot, again;
	const char *buffer;
	struct perf_session *session;
	/* private */
	struct perf_cpus *ranges;
	FILE *copy;
};

/* Return: CMD_OK; or says what is wrong and returns CMD_FAILED, or CMD_USAGE for @cpus. */
int recording_open(struct recording *r);

/*
 * Behind decode: says what was wrong with the file, and what of its trace nobody decoded.
 * Return: CMD_FAILED if something is damaged, else CMD_OK.
 */
int recording_report(const struct recording *r);

void recording_close(struct recording *r);

/* Numbers and ranges, "0,4-7", as perf has them; the caller frees *@ranges.  Return: it is one. */
bool recording_ranges(const char *text, struct perf_cpus **ranges, size_t *n);

/**
 * struct recording_whose - which threads; zero is all
 * @tids, @pids: lists as in --tid and --pid, or NULL
 */
struct recording_whose {
	const char *tids, *pids;
	/* private */
	struct perf_cpus *tid, *pid;
	size_t n_tid, n_pid;
};

/* Reads the lists; says what is wrong.  Return: CMD_OK or CMD_USAGE. */
int recording_whose_read(struct recording_whose *w);
bool recording_whose_has(const struct recording_whose *w, const struct perf_who *who);
void recording_whose_free(struct recording_whose *w);

#endif /* CSF_RECORDING_H */
