/* SPDX-License-Identifier: GPL-2.0-only */
/* What is missing in a trace goes to the log, if there is one: see ../lib/log.h. */
#ifndef CSF_LOSSES_H
#define CSF_LOSSES_H

#include "../../perf-plugin/perf-replay.h"

/*
 * For OPT_PROGRESS(): from now on losses_next() shows the progress of decoding, unless the variable
 * is set to false.
 */
bool *losses_progress(void);

/* As perf_replay_next(); reports the gap that ends the run. */
int losses_next(struct perf_replay *replay, struct perf_run *run);

/*
 * Reports the gap that ends @run, of trace ID @id in the buffer @name; @frames: NULL: the trace is
 * raw.
 */
void losses_run(const char *name, uint8_t id, const struct csf_frames *frames,
		const struct csf_run *run);

/* Likewise, a message that says that something is lost. */
void losses_message(const char *name, uint8_t id, const struct csf_frames *frames,
		    const struct csf_message *message);

#endif /* CSF_LOSSES_H */
