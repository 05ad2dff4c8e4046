// SPDX-License-Identifier: GPL-2.0-only
/* csflow merge: merges count tables, and AutoFDO's texts, into one table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "profile/count-load.h"
#include "lib/options.h"
#include "profile/profile.h"

static const char usage[] = "merge [OPTIONS] [WEIGHT:]COUNTS|TEXT...";

/* "3:FILE": three times; otherwise all of it is a name. */
static const char *weight_of(char *arg, uint64_t *weight)
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

int cmd_merge(int argc, char **argv)
{
	struct count_load_options options = { .addresses = PROFILE_ANY, .only_counts = true };
	struct dso_options *dso = &options.replay.dso;
	struct count_table table = { 0 };
	struct opt_list binary = { 0 };
	const char *out = NULL;
	const struct opt opts[] = {
		OPT_OUTPUT('o', "output", &out, "FILE",
			   "where to write (default: standard output)"),
		OPT_GROUP("Finding the files of AutoFDO's text:"),
		OPT_LIST(0, "binary", &binary, "FILE", "a program, found by its build-id"),
		OPT_CHOICE(0, "addresses", &options.addresses, profile_address_names, "WHICH",
			   "how addresses are counted (default: what fits)"),
		OPT_FILES(dso),
		OPT_MEMORY,
		OPT_END
	};
	int n = options_parse(argc, argv, opts, usage), status = CMD_OK;

	dso->given = binary.value;
	dso->n_given = binary.n;
	if (!n) {
		fprintf(stderr, "csflow: merge: no count tables; csflow profile --for=counts writes them\n");
		status = CMD_USAGE;
	}
	for (int i = 1; i <= n && !status; i++) {
		uint64_t weight;
		const char *path = weight_of(argv[i], &weight);

		if (!weight) {
			fprintf(stderr, "csflow: %s: a weight is at least 1\n", argv[i]);
			status = CMD_USAGE;
		} else {
			status = count_load(&table, path, weight, &options);
		}
	}
	if (!status)
		status = count_save(&table, out);
	count_table_fini(&table);
	free(binary.value);
	return status;
}
