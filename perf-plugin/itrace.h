/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of --itrace: perf's grammar, with the meaning that perf has for Intel PT. */
#ifndef CSF_ITRACE_H
#define CSF_ITRACE_H

#include "perf-sample.h"

#define ITRACE_PERIOD		100000	/* 'i' and 'y' without a number, ns */
#define ITRACE_CHAIN		16	/* 'g' without a number */
#define ITRACE_BRANCHES		64	/* 'l' without a number */
#define ITRACE_SIZE_MAX		1024	/* maximum of both */

enum itrace_unit { ITRACE_NS, ITRACE_INSNS, ITRACE_TICKS };

/**
 * struct itrace - the output that is wanted from a trace
 * @samples: kinds and filters; the caller sets the period and the clock, with itrace_period()
 * @unit: enum itrace_unit of @period
 * @period: 0: every instruction
 * @chain: 'g': maximum entries of a call chain; 0: none
 * @branches: 'l': maximum entries of a last-branch stack; 0: none
 * @add_chain, @add_branches: likewise 'G' and 'L', for samples in the recording besides trace
 * @log: 'd': write a log of the decode; @log_stdout: 'd+o': to standard output, not into a file
 * @timeless: 'Z'; @trust: 'T'
 * @unknown: the letter that perf does not know, if this is what is wrong; else 0
 */
struct itrace {
	struct cs_samples_options samples;
	uint8_t unit;
	uint64_t period;
	unsigned int chain, branches;
	unsigned int add_chain, add_branches;
	bool log, log_stdout;
	bool timeless, trust;
	char unknown;
};

/* All letters that have an effect, and their meaning: a line for each. */
extern const char itrace_letters[];

/*
 * Parses words as perf does.  @it: zero; it must not be used if the words are wrong.  Letters for
 * events that this trace does not have (w p o I f m t a M) are accepted.
 *
 * Return: NULL, or what is wrong.
 */
const char *itrace_parse(struct itrace *it, const char *text);

/*
 * Sets the period of @it->samples, with a clock in ns.  @ticks of the timestamps take @ns; if that
 * is not known, both are 0, and a tick counts as 1 ns.
 */
void itrace_period(struct itrace *it, uint64_t ns, uint64_t ticks);

#endif /* CSF_ITRACE_H */
