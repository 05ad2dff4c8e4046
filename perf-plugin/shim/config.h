/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of the user: the keys csflow.* of perf config, and --itrace. */
#ifndef SHIM_CONFIG_H
#define SHIM_CONFIG_H

#include <stdbool.h>

#include "compat.h"

/**
 * struct csflow_config - the options of the user
 * @compat: output as of perf with OpenCSD, see cs_samples_options.compat; and threads that no
 *          record names are "swapper"
 * @commit_tail: elements that are uncommitted at the end of trace count as executed
 * @threads: number of threads that decode, including perf's own
 */
struct csflow_config {
	bool compat;
	bool commit_tail;
	u32 threads;
};

void csflow_config_read(struct csflow_config *config);

/*
 * @from: options of the session; may be NULL, or empty: then they depend on the perf tool.
 *
 * Return: is anything to be decoded?
 */
bool csflow_options(struct itrace_synth_opts *opts, const struct itrace_synth_opts *from);

#endif /* SHIM_CONFIG_H */
