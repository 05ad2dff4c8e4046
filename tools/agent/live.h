/* SPDX-License-Identifier: GPL-2.0-only */
/* Records what CPUs of this machine execute, into a perf.data. */
#ifndef CSF_LIVE_H
#define CSF_LIVE_H

#include <stdatomic.h>

#include "apart.h"

/**
 * struct live - a recording: set what the caller knows, then live_record()
 * @fd: an empty file, which becomes the perf.data
 * @most: bytes; a recording that has more ends
 * @stop: a signal came that ends the recording
 * @apart: gets the processes that are left out; the caller frees it
 * @ms: how long it was
 * @size: bytes of the recording: trace, and records, of which a quiet cgroup has many, too
 * @cut: AUX records that say that trace was lost in the kernel, for lack of room
 * @lost: records that the kernel could not write
 */
struct live {
	const struct agent_config *config;
	int fd;
	uint64_t most;
	const atomic_bool *stop;
	struct apart apart;
	uint64_t ms;
	uint64_t size, cut, lost;
};

/*
 * Return: 0; -errno, and *@what failed: "opening cs_etm" or the like.  After an error, what was
 * recorded is not used.
 */
int live_record(struct live *live, const char **what);

#endif /* CSF_LIVE_H */
