// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/log.h"
#include "../lib/options.h"
#include "../lib/status.h"
#include "task.h"

/* @first: the number that the engine gives to its first task. */
static const struct engine {
	const char *name;
	uint32_t first;
} engines[] = {
	{ "SLURM_ARRAY_TASK_ID", 1 },	/* with --array=1-N */
	{ "SGE_TASK_ID", 1 },
	{ "JOB_COMPLETION_INDEX", 0 },	/* Kubernetes */
	{ "PARALLEL_SEQ", 1 },
};

#define N_ENGINES	(sizeof(engines) / sizeof(*engines))

/* SGE sets the variable to "undefined" for a job that is no array. */
static const char *value_of(const struct engine *e)
{
	const char *value = getenv(e->name);

	return value && *value && strcmp(value, "undefined") ? value : NULL;
}

static int take(const char *what, const char *word, uint32_t first, uint32_t n, uint32_t *k)
{
	uint64_t number;

	if (!options_number(word, &number)) {
		log_say(LOG_USAGE, "csflow shard: %s%s: it is no number\n", what, word);
		return CMD_USAGE;
	}
	if (number < first || number - first >= n) {
		log_say(LOG_USAGE, "csflow shard: %s%s: the plan has parts %u to %u\n", what,
			word, first, n - 1 + first);
		return CMD_USAGE;
	}
	*k = number - first + 1;
	return CMD_OK;
}

int task_part(const char *word, uint32_t n, uint32_t *k)
{
	const struct engine *found = NULL;

	if (word)
		return take("part ", word, 1, n, k);
	for (size_t i = 0; i < N_ENGINES; i++) {
		const struct engine *e = &engines[i];
		char what[40];
		uint32_t one;

		if (!value_of(e))
			continue;
		snprintf(what, sizeof(what), "%s=", e->name);
		if (take(what, value_of(e), e->first, n, &one))
			return CMD_USAGE;
		if (found && one != *k) {
			log_say(LOG_USAGE, "csflow shard: %s and %s mean different parts: give the number\n",
				found->name, e->name);
			return CMD_USAGE;
		}
		found = e;
		*k = one;
	}
	if (!found)
		log_say(LOG_USAGE, "csflow shard: which part? give its number, or run it as a task of Slurm, SGE, Kubernetes or GNU parallel\n");
	return found ? CMD_OK : CMD_USAGE;
}
