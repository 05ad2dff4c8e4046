/* SPDX-License-Identifier: GPL-2.0-only */
/* The log of --itrace=d: the decoded trace, run by run, in the words of 'csflow dump'. */
#ifndef CSF_SCRIPT_LOG_H
#define CSF_SCRIPT_LOG_H

#include "../../perf-plugin/out.h"
#include "../../perf-plugin/perf-replay.h"

#define SCRIPT_LOG	"csflow.log"

/**
 * struct script_log - zero it
 * @out: @out->file NULL: there is no log
 */
struct script_log {
	struct out out;
	struct csf_elements *elements;	/* by stream */
	size_t n;
	bool failed;
};

/* Writes to @file; NULL: SCRIPT_LOG.  Return: 0, or -errno. */
int script_log_open(struct script_log *log, FILE *file);
void script_log_run(struct script_log *log, const struct perf_run *run);

/* Return: 0, or -errno: the log is incomplete. */
int script_log_close(struct script_log *log);

#endif /* CSF_SCRIPT_LOG_H */
