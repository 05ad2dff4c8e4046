/* SPDX-License-Identifier: GPL-2.0-only */
/* What the user wants: the keys csflow.* of perf config, and --itrace. */
#ifndef SHIM_CONFIG_H
#define SHIM_CONFIG_H

#include <stdbool.h>

#include "compat.h"

/**
 * struct csflow_config - what the user chose
 * @compat: as perf with OpenCSD chooses where there is a choice: see cs_samples_options.compat; and
 *          threads that no record names are "swapper"
 * @commit_tail: what trace leaves undecided at its end counts as executed
 * @threads: that decode, perf's own included
 */
struct csflow_config {
	bool compat;
	bool commit_tail;
	u32 threads;
};

void csflow_config_read(struct csflow_config *config);

/*
 * @from: of the session; may be NULL, or say nothing: then what perf's tool is for decides.
 *
 * Return: whether anything is to be decoded.
 */
bool csflow_options(struct itrace_synth_opts *opts, const struct itrace_synth_opts *from);

#endif /* SHIM_CONFIG_H */
