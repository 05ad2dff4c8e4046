/* SPDX-License-Identifier: GPL-2.0-only */
/* Random trace cases: configurations, programs, packets; the same seed always makes the same. */
#ifndef RANDOM_CASE_H
#define RANDOM_CASE_H

#include "case.h"

struct dice {
	uint64_t state;
};

/* A number below @n, which is not 0. */
static inline uint32_t roll(struct dice *d, uint32_t n)
{
	d->state = d->state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(d->state >> 33) % n;
}

/* A configuration, with sections, maps and rules for spaces. */
void random_program(struct trace_case *c, struct dice *d);

/* Packets of any kind that name addresses in the program, most of them where they are allowed. */
void random_packets(struct trace_case *c, struct dice *d, int n);

/* The trace of one way through a program, as a trace unit sends it; @truth: the steps, in words. */
void random_execution(struct trace_case *c, struct dice *d, int n, struct text *truth);

/* Some bytes become others. */
void random_damage(struct trace_case *c, struct dice *d);

/*
 * Every second unit that speculates has branch broadcast, and every second has cycle counts: that
 * only changes how packets are read.
 */
void random_modes(struct csf_config *config);

/* Adds bytes to the last piece. */
void random_put(struct trace_case *c, const void *bytes, size_t n);

/* As a file that case_read() reads, without the expected flow. */
void random_print(const struct trace_case *c, struct text *out);

#endif /* RANDOM_CASE_H */
