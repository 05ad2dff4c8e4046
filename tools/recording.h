/* SPDX-License-Identifier: GPL-2.0-only */
/* What subcommands that decode a perf.data share: opening it, and saying what was wrong. */
#ifndef CSF_RECORDING_H
#define CSF_RECORDING_H

#include "../perf-plugin/perf-session.h"

/**
 * struct recording - zero it, set what the options say, then recording_open()
 * @path: NULL: perf.data
 * @cpus: list of CPUs as in -C, or NULL
 * @verbose: show notes too
 */
struct recording {
	const char *path;
	const char *cpus;
	struct perf_session_options options;
	bool verbose;
	struct perf_session *session;
	struct perf_cpus *ranges;	/* private */
};

/* Return: CMD_OK; or says what is wrong and returns CMD_FAILED, or CMD_USAGE for @cpus. */
int recording_open(struct recording *r);

/* Says what was wrong with the file.  Return: CMD_FAILED if something is damaged, else CMD_OK. */
int recording_report(const struct recording *r);

void recording_close(struct recording *r);

/* Numbers and ranges, "0,4-7", as perf has them; the caller frees *@ranges.  Return: it is one. */
bool recording_ranges(const char *text, struct perf_cpus **ranges, size_t *n);

#endif /* CSF_RECORDING_H */
