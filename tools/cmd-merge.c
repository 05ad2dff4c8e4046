// SPDX-License-Identifier: GPL-2.0-only
/* csflow merge: merges count tables, and AutoFDO's texts, into one table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "profile/count-load.h"
#include "lib/failed.h"
#include "lib/log.h"
#include "lib/operands.h"
#include "profile/profile.h"

static const char usage[] = "merge [OPTIONS] [WEIGHT:]COUNTS|TEXT|LIST...";

/* "3:FILE": three times; otherwise all of it is a name. */
static char *weight_of(char *arg, uint64_t *weight)
{
	char *colon = strchr(arg, ':');
	bool number;

	*weight = 1;
	if (!colon)
		return arg;
	*colon = 0;
	number = options_number(arg, weight);
	*colon = ':';
	if (number)
		return colon + 1;
	*weight = 1;
	return arg;
}

/* Leaves the files in @argv, with @weight for each. */
static int take_weights(int n, char **argv, uint64_t *weight)
{
	for (int i = 0; i < n; i++) {
		char *path = weight_of(argv[i + 1], &weight[i]);

		if (!weight[i]) {
			log_say(LOG_USAGE, "csflow: %s: a weight is at least 1\n", argv[i + 1]);
			return CMD_USAGE;
		}
		argv[i + 1] = path;
	}
	return CMD_OK;
}

static int load(struct count_table *table, const char *path, uint64_t weight,
		const struct count_load_options *options)
{
	int status = count_load(table, path, weight, options);

	if (status)
		log_say(LOG_NOTE, "csflow: merge reads counts: profile --for=counts makes them of a recording, a snapshot or a log\n");
	return status;
}

static uint64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_size;
}

static int merge(struct count_table *table, const struct operands *files, const uint64_t *weight,
		 const struct count_load_options *options, bool show)
{
	uint64_t total = 0, done = 0;
	struct progress progress;
	int status = CMD_OK;

	for (size_t i = 0; i < files->n; i++)
		total += size_of(files->path[i]);
	progress_start(&progress, "merging", total, show);
	for (size_t i = 0; i < files->n && !status; i++) {
		status = load(table, files->path[i], weight[i], options);
		progress_at(&progress, done += size_of(files->path[i]));
	}
	progress_stop(&progress);
	return status;
}

int cmd_merge(int argc, char **argv)
{
	struct count_load_options options = { .addresses = PROFILE_ANY, .only_counts = true };
	struct dso_options *dso = &options.replay.dso;
	struct count_table table = { 0 };
	struct opt_list binary = { 0 };
	struct operands files = { .least = 1 };
	const char *out = NULL;
	bool progress = true;
	const struct opt opts[] = {
		OPT_OUTPUT('o', "output", &out, "FILE",
			   "where to write (default: standard output)"),
		OPT_PROGRESS(&progress),
		OPT_MEMORY,
		OPT_GROUP("Finding the files of AutoFDO's text:"),
		OPT_LIST(0, "binary", &binary, "FILE", "a program, found by its build-id"),
		OPT_CHOICE(0, "addresses", &options.addresses, profile_address_names, "WHICH",
			   "how addresses are counted (default: what fits)"),
		OPT_FILES(dso),
		OPT_NO_CPUS("counts have no CPUs; csflow profile has it"),
		OPT_NO_THREADS("counts have no threads; csflow profile has it"),
		OPT_NO_TIME("counts have no times; csflow profile has it"),
		OPT_NO_CODE("csflow profile has it"),
		OPT_END
	};
	int n = options_parse(argc, argv, opts, usage), status;
	uint64_t *weight = calloc(n + 1, sizeof(*weight));

	dso->given = binary.value;
	dso->n_given = binary.n;
	status = weight ? take_weights(n, argv, weight) : failed_at_once("merge");
	if (!status)
		status = operands_take(&files, n, argv, usage);
	if (!status)
		status = merge(&table, &files, weight, &options, progress);
	if (!status)
		status = count_save(&table, out);
	count_table_fini(&table);
	operands_free(&files);
	free(weight);
	free(binary.value);
	return status;
}
