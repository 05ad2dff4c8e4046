/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The output of --itrace=d: csflow.log, with the packets that are decoded, their errors, and where
 * decoding goes on.
 */
#ifndef SHIM_LOG_H
#define SHIM_LOG_H

#include "compat.h"
#include "dump.h"
#include "who.h"
#include "../plugin.h"

#define LOG_NAME	"csflow.log"

/* The error may continue; nothing was executed since then. */
#define LOG_OPEN	1
#define LOG_WAITS	2

/**
 * struct csflow_log - zero: nothing is logged
 * @file: the output file; @out: buffer for it, or for @kept
 * @kept: with d+e: takes the text that is only written if an error follows: the last @keep bytes
 * @dump: the dump of each AUX ring, @n_dump of them; entries may be NULL
 * @error: LOG_x for each stream, @n_error of them
 * @events: d+a was given
 */
struct csflow_log {
	struct plugin *plugin;
	FILE *file, *kept;
	struct out *out;
	struct csflow_dump **dump;
	u64 *piece;
	size_t n_dump;
	u8 *error;
	size_t n_error;
	bool events;
	/* private */
	char *text;
	size_t keep, n;
};

/*
 * Opens the log for @opts.  If the file cannot be written, perf says so and goes on.  Return: 0,
 * -ENOMEM.
 */
int csflow_log_open(struct csflow_log *log, const struct itrace_synth_opts *opts,
		    struct plugin *plugin);

/* Call for each decoded run.  Return: 0, -ENOMEM. */
int csflow_log_run(struct csflow_log *log, const struct plugin_run *run,
		   const struct csflow_who *who);

/* d+a: call when perf processes a record. */
void csflow_log_event(struct csflow_log *log, const union perf_event *event,
		      const struct perf_sample *sample);

/* Call at the end of decoding.  Return: 0, -ENOMEM. */
int csflow_log_end(struct csflow_log *log);

void csflow_log_close(struct csflow_log *log);

#endif /* SHIM_LOG_H */
