// SPDX-License-Identifier: GPL-2.0-only
/* csflow merge: several count tables to one. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "count-load.h"
#include "options.h"

static const char usage[] = "merge [OPTIONS] [WEIGHT:]COUNTS...";

/* "3:FILE": three times; a name that begins otherwise is all name. */
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
	struct count_table table = { 0 };
	const char *out = NULL;
	const struct opt opts[] = {
		OPT_OUTPUT('o', "output", &out, "FILE", "write there; standard output"),
		OPT_MEMORY,
		OPT_END
	};
	int n = options_parse(argc, argv, opts, usage), status = CMD_OK;

	if (!n) {
		fprintf(stderr, "csflow: merge: no count tables; csflow profile --for=counts writes them\n");
		return CMD_USAGE;
	}
	for (int i = 1; i <= n && !status; i++) {
		uint64_t weight;
		const char *path = weight_of(argv[i], &weight);

		if (!weight) {
			fprintf(stderr, "csflow: %s: a weight is at least 1\n", argv[i]);
			status = CMD_USAGE;
		} else {
			status = count_load(&table, path, weight, NULL);
		}
	}
	if (!status)
		status = count_save(&table, out);
	count_table_fini(&table);
	return status;
}
