/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A log of execution becomes trace: each of its streams that of a trace unit.
 *
 *	err = encode_log(&log, source);
 *	encode_log_tell(&log, NULL);
 *	... log.out has the trace and the code
 *	encode_log_fini(&log);
 */
#ifndef CSF_ENCODE_LOG_H
#define CSF_ENCODE_LOG_H

#include "../lib/progress.h"
#include "encode-blocks.h"
#include "encode-out.h"

/* The process of a log without one, and the replacement of context ID 0 in a perf.data. */
#define ENCODE_OWN_PID	1

/**
 * struct encode_log - zero it, set what is not private
 * @who: begins messages: "csflow encode"; @path: of the log
 * @setup: of all trace units
 * @default_id: context ID where the log has none, or 0
 * @cpus: only these streams, n_cpus of them; 0: all
 * @open_end: do not end with a debug halt
 * @verbose: encode_log_tell() also says how much there is
 * @progress: is told how much of the log is read; or NULL
 * @code: may have code that the log leaves out
 * @out: @path, @name and @formatted are the caller's
 */
struct encode_log {
	const char *who, *path;
	const struct enc_setup *setup;
	uint32_t default_id;
	const struct perf_cpus *cpus;
	size_t n_cpus;
	bool open_end, verbose;
	struct progress *progress;
	struct encode_code code;
	struct encode_out out;
	/* private */
	struct encode encode;
	size_t tids;	/* there is room for this many in out.tid */
};

/* Encodes all streams.  Return: 0; -errno, and what was read before is there. */
int encode_log(struct encode_log *log, struct source *source);

/*
 * Reports what the trace cannot carry.  @why_not_changed: code changed, and will be decoded wrongly
 * for this reason; NULL: it will not.
 */
void encode_log_tell(const struct encode_log *log, const char *why_not_changed);

void encode_log_fini(struct encode_log *log);

#endif /* CSF_ENCODE_LOG_H */
