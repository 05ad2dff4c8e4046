/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adds what ran in some spans of time to the count table.  An instruction has the time of the last
 * timestamp before it, so the counts of adjacent spans add up to those of both.
 */
#ifndef CSF_COUNT_SPAN_H
#define CSF_COUNT_SPAN_H

#include "count-fill.h"
#include "../index/time-span.h"

/**
 * struct count_span - zero it, and set @fill and @spans
 * @state: one for each stream: private
 */
struct count_span {
	struct count_fill *fill;
	const struct time_spans *spans;
	struct span_state *state;
	size_t n_state;
};

/* Instead of count_fill_run().  Return: 0 or -ENOMEM. */
int count_span_run(struct count_span *s, const struct perf_run *run);
void count_span_fini(struct count_span *s);

#endif /* CSF_COUNT_SPAN_H */
