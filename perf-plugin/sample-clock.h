/* SPDX-License-Identifier: GPL-2.0-only */
/* When an instruction ran: an estimate from the timestamps before and behind it. */
#ifndef CSF_SAMPLE_CLOCK_H
#define CSF_SAMPLE_CLOCK_H

#include "perf-sample.h"

/* A run begins. */
void sample_clock_start(struct cs_samples *it);

/* Takes the marks in front of the step at hand, cs_samples.mark_step or earlier. */
void sample_clock_pass(struct cs_samples *it);

/* Trace breaks off: what comes next is later, but nobody knows by how much. */
void sample_clock_break(struct cs_samples *it);

/* Trace begins: not before cs_samples_input.since. */
void sample_clock_since(struct cs_samples *it);

/* A run, not before cs_samples_input.came. */
void sample_clock_came(struct cs_samples *it);

/* When the instruction ran that was executed last; 0: not known. */
uint64_t sample_clock_now(struct cs_samples *it);

/* When each of the next @n instructions will have run, all of the step at hand; not with compat. */
void sample_clock_ahead(struct cs_samples *it, uint64_t *time, uint32_t n);

/* Instructions from here to the first at @due or later, >= 1; UINT64_MAX: not before a mark. */
uint64_t sample_clock_until(struct cs_samples *it, uint64_t due);

/* Nothing at all is known of how time goes by here. */
bool sample_clock_blind(struct cs_samples *it);

#endif /* CSF_SAMPLE_CLOCK_H */
