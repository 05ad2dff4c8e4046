/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Passes on what chosen threads executed in chosen spans of time.  An instruction has the time of
 * the last timestamp before it, so the counts of adjacent spans add up to those of both.
 */
#ifndef CSF_COUNT_SPAN_H
#define CSF_COUNT_SPAN_H

#include "count-fill.h"
#include "../index/selection.h"

/**
 * struct count_span - zero it, and set all but @state
 * @fill: gets the statistics of the trace, which it must not count itself: count_fill.partly
 * @take: called with @owner and each part of a run that is chosen; returns 0 or -ENOMEM
 * @follow: the same for all that chosen threads executed, and whether it is chosen; before @take.
 *          NULL: not needed
 * @state: one for each stream: private
 */
struct count_span {
	struct count_fill *fill;
	struct selection *part;
	int (*take)(void *owner, const struct perf_run *part);
	int (*follow)(void *owner, const struct perf_run *part, bool chosen);
	void *owner;
	struct span_state *state;
	size_t n_state;
};

/* Passes on the chosen parts of @run.  Return: 0 or -ENOMEM. */
int count_span_run(struct count_span *s, const struct perf_run *run);
void count_span_fini(struct count_span *s);

#endif /* CSF_COUNT_SPAN_H */
