/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands by which engines take parts, as words with values to be put in. */
#ifndef CSF_SHARD_FORM_H
#define CSF_SHARD_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "limit.h"

/**
 * enum value - what becomes part of a word of a command
 * @RUN, @JOIN: csflow's own command, as one word for a shell; @RUN without the number of a part
 * @RUN_WORDS, @JOIN_WORDS: the same, word by word
 * @TASK: @RUN with the number of a part: that of the task, which the variable @after has, and the
 *        parts of the arrays before this one
 * @FOLDER: of the parts; @PATTERN: the same, for names in which "%%" means a percent sign
 * @MISSING: numbers of the missing parts of this command, as "3,7-9", from 1
 * @NUMBERS: likewise, from the first part of the plan on, a word for each
 * @RANGE: from the first of @NUMBERS to the last, as "3-9"
 * @IDS: of the array jobs
 */
enum value {
	NOTHING, RUN, JOIN, RUN_WORDS, JOIN_WORDS, TASK, FOLDER, PATTERN, MISSING, NUMBERS, RANGE,
	JOBS, IDS
};

/* A word: @before, a value, @after. */
struct word {
	const char *before;
	enum value value;
	const char *after;
};

#define WORDS_MAX	24

/**
 * struct form - an engine
 * @tool: its command; NULL: this machine, without one
 * @run, @join: up to WORDS_MAX words after @tool, or up to an empty one; @join NULL: the counts
 *              are joined here
 * @queued: both print the number of a job; @run does not wait for its end, @join does
 * @has_squeue: squeue tells the states of their tasks
 * @between: numbers of jobs
 * @most: parts of one command
 * @limit: by which the engine may say that it takes fewer
 */
struct form {
	const char *tool;
	const struct word *run, *join;
	bool queued, has_squeue;
	char between;
	size_t most;
	struct limit limit;
};

/* By enum engine. */
extern const struct form forms[];

#endif /* CSF_SHARD_FORM_H */
