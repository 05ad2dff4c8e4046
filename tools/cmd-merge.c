// SPDX-License-Identifier: GPL-2.0-only
/* csflow merge: adds up count tables and other files of counts, any number of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "lib/log.h"
#include "lib/options.h"
#include "lib/terminal.h"
#include "merge/merge.h"
#include "merge/names.h"
#include "profile/profile.h"

static const char usage[] = "merge [OPTIONS] [WEIGHT:]FILE|FOLDER|@LIST|@-...";

#define LONGEST	36500	/* days */

/* A name that is wrong is better known before than after the reading of the others. */
static int look(int n, char **argv)
{
	int pipes = 0;

	for (int i = 1; i <= n; i++) {
		uint64_t times;
		const char *name = *argv[i] == '@' ? argv[i] : names_weight(argv[i], &times);

		if (!name) {
			log_say(LOG_USAGE, "csflow: %s: a weight is at least 1\n", argv[i]);
			return CMD_USAGE;
		}
		pipes += !strcmp(name, "-") || !strcmp(name, "@-");
	}
	if (!n)
		return options_wrong(argv[0], usage, "give one file at least");
	if (pipes < 2)
		return CMD_OK;
	log_say(LOG_USAGE, "csflow merge: standard input, -, can be read only once\n");
	return CMD_USAGE;
}

#define NO_AGE	UINT64_MAX

/* @days: as given, or NO_AGE; @date: NULL: today, so that one day has one result */
static int take_age(struct merge_options *o, uint64_t days, const char *date)
{
	if (days != NO_AGE && (!days || days > LONGEST)) {
		log_say(LOG_USAGE, "csflow merge: --half-life: 1 to %u days\n", LONGEST);
		return CMD_USAGE;
	}
	o->half_life = days != NO_AGE ? days * WEIGHT_DAY : 0;
	o->date = time(NULL) / WEIGHT_DAY * WEIGHT_DAY;
	if (!date || weight_date(date, &o->date))
		return CMD_OK;
	log_say(LOG_USAGE, "csflow merge: --date: neither YYYY-MM-DD nor seconds since 1970\n");
	return CMD_USAGE;
}

int cmd_merge(int argc, char **argv)
{
	struct merge_options o = { .input.addresses = PROFILE_ANY, .command = "merge",
				   .progress = true };
	struct dso_options *dso = &o.input.dso;
	const char *out = NULL, *date = NULL;
	struct opt_list binary = { 0 };
	uint64_t days = NO_AGE;
	uint32_t threads = 0;
	const struct opt opts[] = {
		OPT_OUTPUT('o', "output", &out, "FILE",
			   "where to write (default: standard output)"),
		OPT_GROUP("Weights:"),
		OPT_FLAG(0, "equal", &o.input.equal,
			 "each input counts as much as any other, times its weight"),
		OPT_U64(0, "half-life", &days, "DAYS",
			"an input loses half of its weight in this time"),
		OPT_STRING(0, "date", &date, "DATE",
			   "the day at which inputs have no age (default: today)"),
		OPT_GROUP("Finding the files of branch lists, atom runs and AutoFDO's text:"),
		OPT_BINARY(&binary),
		OPT_CHOICE(0, "addresses", &o.input.addresses, profile_address_names, "WHICH",
			   "how AutoFDO's text counts addresses (default: what fits)"),
		OPT_FILES(dso),
		OPT_SPEED(&threads),
		OPT_PROGRESS(&o.progress),
		OPT_NO_CPUS("counts have no CPUs; csflow profile has it"),
		OPT_NO_THREADS("counts have no threads; csflow profile has it"),
		OPT_NO_TIME("counts have no times; csflow profile has it"),
		OPT_NO_CODE("csflow profile has it"),
		OPT_END
	};
	int n = options_parse(argc, argv, opts, usage), status = look(n, argv);

	dso->given = binary.value;
	dso->n_given = binary.n;
	o.operand = argv + 1;
	o.n_operand = n;
	o.n_threads = options_threads(threads);
	if (!status)
		status = take_age(&o, days, date);
	if (!status && !terminal_takes_binary(out))
		status = CMD_USAGE;
	if (!status)
		status = merge(&o, out);
	free(binary.value);
	return status;
}
