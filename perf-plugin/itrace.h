/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of --itrace: perf's grammar, with the meaning that perf gives it for Intel PT. */
#ifndef CSF_ITRACE_H
#define CSF_ITRACE_H

#include "perf-sample.h"

#define ITRACE_PERIOD		100000	/* of 'i' and 'y' without a number, ns */
#define ITRACE_CHAIN		16	/* of 'g' without a number */
#define ITRACE_BRANCHES		64	/* of 'l' without a number */
#define ITRACE_SIZE_MAX		1024	/* of both */

enum itrace_unit { ITRACE_NS, ITRACE_INSNS, ITRACE_TICKS };

/**
 * struct itrace - what to make of a trace
 * @samples: kinds and filters; the period and the clock are for the caller to set, by
 *           itrace_period()
 * @unit: enum itrace_unit of @period
 * @period: 0: every instruction
 * @chain: 'g': most entries of a call chain; 0: none
 * @branches: 'l': most entries of a last-branch stack; 0: none
 * @add_chain, @add_branches: likewise 'G' and 'L', for what is in the recording besides trace
 * @log: 'd': a log of what is decoded; @log_stdout: 'd+o': not into a file
 * @timeless: 'Z'; @trust: 'T'
 */
struct itrace {
	struct cs_samples_options samples;
	uint8_t unit;
	uint64_t period;
	unsigned int chain, branches;
	unsigned int add_chain, add_branches;
	bool log, log_stdout;
	bool timeless, trust;
};

/*
 * Takes words as perf does.  @it: zero; what it is afterwards if the words are wrong, nobody
 * should use.  Letters of events that this trace has not (w p o I f m t a M) are let pass.
 *
 * Return: NULL, or what is wrong.
 */
const char *itrace_parse(struct itrace *it, const char *text);

/*
 * Sets the period of @it->samples, whose clock is in ns.  @ticks of the timestamps take @ns; if
 * that is not known, both 0, a tick is taken for 1 ns.
 */
void itrace_period(struct itrace *it, uint64_t ns, uint64_t ticks);

#endif /* CSF_ITRACE_H */
