/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the parts of a plan on an engine, and joins them. */
#ifndef CSF_SHARD_ENGINE_H
#define CSF_SHARD_ENGINE_H

#include "plan.h"

enum engine { ENGINE_LOCAL, ENGINE_PARALLEL, ENGINE_SLURM, ENGINE_SGE };

/* By enum engine, ended by NULL. */
extern const char *const engine_names[];

/**
 * struct engine_job - what is to be done
 * @path: of the plan, absolute, as are @folder of the parts and @out of the joined counts
 * @jobs: processes at a time, on this machine
 * @retries: how often missing parts are made again
 * @dry: print the commands
 * @progress: show progress
 */
struct engine_job {
	enum engine engine;
	const struct plan *plan;
	const char *path, *folder, *out;
	uint32_t jobs, retries;
	bool dry, progress;
};

/*
 * Makes the parts that are missing, waits for them, and joins all.  Reports errors, and each part
 * that is missing in the end.  Return: CMD_OK; CMD_FAILED: nothing was joined.
 */
int engine_run(const struct engine_job *job);

#endif /* CSF_SHARD_ENGINE_H */
