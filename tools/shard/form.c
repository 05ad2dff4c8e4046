// SPDX-License-Identifier: GPL-2.0-only
#include "engine.h"
#include "form.h"

/*
 * The parts of one array.  Slurm has them as a list in one word, for which Linux has 128 KiB; SGE
 * takes this many unless it is configured otherwise.
 */
#define SLURM_PARTS	1000
#define SGE_PARTS	75000

/* The parts of one command of GNU parallel: their numbers are words, for which Linux has 2 MiB. */
#define WORD_PARTS	50000

static const struct word parallel_run[WORDS_MAX] = {
	{ "--jobs=", JOBS }, { NULL, RUN, " {}" }, { ":::" }, { NULL, NUMBERS },
};

static const struct word slurm_run[WORDS_MAX] = {
	{ "--parsable" }, { "--job-name=csflow-shard" }, { "--array=", MISSING }, { "--requeue" },
	{ "--open-mode=append" }, { "--output=", PATTERN, "/part-%A_%a.log" },
	{ "--wrap=", TASK, "SLURM_ARRAY_TASK_ID" },
};

/* However the parts end: csflow shard join says which are missing. */
static const struct word slurm_join[WORDS_MAX] = {
	{ "--wait" }, { "--parsable" }, { "--job-name=csflow-join" },
	{ "--dependency=afterany:", IDS }, { "--output=", PATTERN, "/join-%j.log" },
	{ "--wrap=", JOIN },
};

/*
 * SGE takes one range: parts that are there do nothing.  With "-shell n" the words arrive as they
 * are.  SGE takes a path apart at colons, commas and dollars, and a task whose output or folder
 * is not there waits for ever, so the task itself opens its log.
 */
#define SGE_TASK \
	{ "-wd" }, { "/" }, { "-j" }, { "y" }, { "-o" }, { "/dev/null" }, { "-shell" }, { "n" }, \
	{ "-b" }, { "y" }, { "/bin/sh" }, { "-c" }

static const struct word sge_run[WORDS_MAX] = {
	{ "-terse" }, { "-N" }, { "csflow-shard" }, { "-t" }, { NULL, RANGE }, { "-r" }, { "y" },
	SGE_TASK, { "exec \"$@\" >> \"$0/part-${JOB_ID}_$SGE_TASK_ID.log\" 2>&1" },
	{ NULL, FOLDER }, { NULL, RUN_WORDS },
};

static const struct word sge_join[WORDS_MAX] = {
	{ "-terse" }, { "-sync" }, { "y" }, { "-N" }, { "csflow-join" }, { "-hold_jid" },
	{ NULL, IDS }, SGE_TASK, { "exec \"$@\" >> \"$0/join-$JOB_ID.log\" 2>&1" },
	{ NULL, FOLDER }, { NULL, JOIN_WORDS },
};

const struct form forms[] = {
	[ENGINE_LOCAL] = { 0 },
	[ENGINE_PARALLEL] = { "parallel", parallel_run, .most = WORD_PARTS },
	/* tasks of Slurm have numbers below the limit; SGE's limit of 0 is none */
	[ENGINE_SLURM] = { "sbatch", slurm_run, slurm_join, true, true, ':', SLURM_PARTS,
			   { { "scontrol", "show", "config" }, "MaxArraySize", 1 } },
	[ENGINE_SGE] = { "qsub", sge_run, sge_join, true, false, ',', SGE_PARTS,
			 { { "qconf", "-sconf" }, "max_aj_tasks" } },
};
