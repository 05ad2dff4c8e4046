/* SPDX-License-Identifier: GPL-2.0-only */
/* When an instruction ran: an estimate from the timestamps before and after it. */
#ifndef CSF_SAMPLE_CLOCK_H
#define CSF_SAMPLE_CLOCK_H

#include "perf-sample.h"

/* Call when a run begins. */
void sample_clock_start(struct cs_samples *it);

/* Takes the marks before the current step, those at cs_samples.mark_step or earlier. */
void sample_clock_pass(struct cs_samples *it);

/* Call where trace breaks off: what comes next is later, by an unknown time. */
void sample_clock_break(struct cs_samples *it);

/* Call where trace begins: it is not before cs_samples_input.since. */
void sample_clock_since(struct cs_samples *it);

/* Call for a run that is not before cs_samples_input.came. */
void sample_clock_came(struct cs_samples *it);

/* The time when the last executed instruction ran; 0: not known. */
uint64_t sample_clock_now(struct cs_samples *it);

/*
 * Sets the times when each of the next @n instructions will have run, which are all of the current
 * step; not with compat.
 */
void sample_clock_ahead(struct cs_samples *it, uint64_t *time, uint32_t n);

/*
 * Number of instructions from here to the first at @due or later, >= 1; UINT64_MAX: not before a
 * mark.
 */
uint64_t sample_clock_until(struct cs_samples *it, uint64_t due);

/* Is nothing at all known of the speed of time here? */
bool sample_clock_blind(struct cs_samples *it);

#endif /* CSF_SAMPLE_CLOCK_H */
