/* SPDX-License-Identifier: GPL-2.0-only */
/* How large the output will be, from what the first part of the trace gave. */
#ifndef CSF_TIMELINE_SIZE_H
#define CSF_TIMELINE_SIZE_H

#include "../../perf-plugin/perf-replay.h"

/* Viewers do not open more, about */
#define TIMELINE_SIZE_MAX	100000000u

/**
 * struct timeline_size - zero it
 * @decoded: bytes of trace, by all streams
 */
struct timeline_size {
	uint64_t decoded;
	/* private */
	uint64_t *at;		/* by stream: decoded so far */
	size_t n;
};

/* Call this for each run.  Return: 0 or -ENOMEM. */
int timeline_size_run(struct timeline_size *s, const struct perf_run *run);

/*
 * The bytes of output for all @total bytes of trace, if there are @written so far; 0: it is too
 * early to tell.
 */
uint64_t timeline_size_guess(const struct timeline_size *s, uint64_t total, uint64_t written);

void timeline_size_fini(struct timeline_size *s);

#endif /* CSF_TIMELINE_SIZE_H */
