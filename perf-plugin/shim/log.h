/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What --itrace=d asks for: csflow.log, with the packets that are decoded, what is wrong with
 * them, and where decoding goes on.
 */
#ifndef SHIM_LOG_H
#define SHIM_LOG_H

#include "compat.h"
#include "dump.h"
#include "who.h"
#include "../plugin.h"

#define LOG_NAME	"csflow.log"

/* What more of it may follow; nothing was executed since. */
#define LOG_OPEN	1
#define LOG_WAITS	2

/**
 * struct csflow_log - zero: nothing is logged
 * @file: where it goes; @out: in front of that, or of @kept
 * @kept: with d+e: takes what is only written if an error follows: the last @keep bytes
 * @dump: what is decoded of each AUX ring, @n_dump of them; may be NULL
 * @error: LOG_x of each stream, @n_error of them
 * @events: d+a
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

/* As @opts say.  If the file cannot be written perf says so, and goes on.  Return: 0, -ENOMEM. */
int csflow_log_open(struct csflow_log *log, const struct itrace_synth_opts *opts,
		    struct plugin *plugin);

/* A run is decoded.  Return: 0, -ENOMEM. */
int csflow_log_run(struct csflow_log *log, const struct plugin_run *run,
		   const struct csflow_who *who);

/* d+a: perf takes in a record. */
void csflow_log_event(struct csflow_log *log, const union perf_event *event,
		      const struct perf_sample *sample);

/* Nothing more is decoded.  Return: 0, -ENOMEM. */
int csflow_log_end(struct csflow_log *log);

void csflow_log_close(struct csflow_log *log);

#endif /* SHIM_LOG_H */
