// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include <unistd.h>

#include <util/config.h>

#include "compat.h"
#include "config.h"
#include "../plugin.h"

/* 0: the number of processors.  perf itself reports values that are no numbers. */
static void set_threads(struct csflow_config *config, const char *key, const char *value)
{
	int n;

	if (perf_config_int(&n, key, value))
		return;
	if (n < 0 || n > CSF_THREADS_MAX)
		pr_warning("csflow: perf config has %s=%s: wanted are 0 to %d\n", key, value,
			   CSF_THREADS_MAX);
	else
		config->threads = n ? n : sysconf(_SC_NPROCESSORS_ONLN);
}

static int set(const char *key, const char *value, void *data)
{
	struct csflow_config *config = data;

	if (!strcmp(key, "csflow.compat"))
		config->compat = perf_config_bool(key, value);
	else if (!strcmp(key, "csflow.commit-tail"))
		config->commit_tail = perf_config_bool(key, value);
	else if (!strcmp(key, "csflow.threads"))
		set_threads(config, key, value);
	else if (!strncmp(key, "csflow.", 7) && strcmp(key, "csflow.columns"))
		pr_warning("csflow: perf config has %s, which means nothing: known are csflow.compat, csflow.commit-tail, csflow.threads and, for csflow script, csflow.columns\n",
			   key);
	return 0;
}

void csflow_config_read(struct csflow_config *config)
{
	*config = (struct csflow_config){ .threads = 1 };
	perf_config(set, config);
}

/*
 * A bare --itrace, or none, means all letters.  Of these only events that every trace can have are
 * meant: events that never occur would only be in the way.
 */
static bool is_default(const struct itrace_synth_opts *opts)
{
	return opts->ptwrites && opts->pwr_events && opts->other_events && opts->intr_events;
}

bool csflow_options(struct itrace_synth_opts *opts, const struct itrace_synth_opts *from)
{
	*opts = from ? *from : (struct itrace_synth_opts){ 0 };
	if (opts->dont_decode)
		return false;
	if (!opts->set)
		itrace_synth_opts__set_default(opts, opts->default_no_sample);
	if (is_default(opts)) {
		opts->transactions = false;
		shim_no_cycles(opts);
		/* perf script wants one line for each useful event; that is every branch */
		if (!opts->instructions)
			opts->calls = false;
	}
	return true;
}
