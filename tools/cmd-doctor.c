// SPDX-License-Identifier: GPL-2.0-only
/* csflow doctor: one page that explains a recording. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "doctor/doctor.h"
#include "lib/failed.h"
#include "lib/options.h"

static const char usage[] = "doctor [OPTIONS] [PERF.DATA]";

static int parse(struct doctor *d, int argc, char **argv)
{
	struct dso_options *dso = &d->recording.options.dso;
	const struct opt table[] = {
		OPT_RECORDING(&d->recording),
		OPT_SNAPSHOT(&d->recording.snapshot),
		OPT_FILES(dso),
		OPT_KERNEL(dso),
		OPT_THREADS(&d->recording.options.n_threads),
		OPT_MEMORY,
		OPT_END
	};
	int n = options_parse(argc, argv, table, usage);

	if (n > 1) {
		fprintf(stderr, "csflow: doctor: one recording at a time\n");
		return CMD_USAGE;
	}
	if (n)
		d->recording.path = argv[1];
	d->recording.options.paths = true;
	return recording_open(&d->recording);
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor *d = calloc(1, sizeof(*d));
	int status;

	if (!d)
		return failed_at_once("doctor");
	status = parse(d, argc, argv);
	if (status == CMD_OK) {
		if (doctor_count(d)) {
			status = failed_while(&d->recording.path, 1, "counting", -ENOMEM);
		} else {
			doctor_print(d);
			fflush(stdout);
			status = recording_report(&d->recording);
		}
	}
	free(d->recording.snapshot.elf.value);
	doctor_free(d);
	free(d);
	return status;
}
