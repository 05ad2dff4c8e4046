// SPDX-License-Identifier: GPL-2.0-only
/* csflow doctor: one page that explains a recording. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "doctor/doctor.h"
#include "lib/failed.h"
#include "lib/operands.h"
#include "input/losses.h"

static const char usage[] = "doctor [OPTIONS] [PERF.DATA|SNAPSHOT|LOG]";

static int parse(struct doctor *d, struct operands *files, int argc, char **argv)
{
	struct dso_options *dso = &d->recording.options.dso;
	const struct opt table[] = {
		OPT_INPUT(&files->inputs),
		OPT_CPUS(&d->recording.cpus),
		OPT_VERBOSE(&d->recording.verbose),
		OPT_FILES_GROUP,
		OPT_SNAPSHOT(&d->recording.snapshot),
		OPT_FILES(dso),
		OPT_KERNEL(dso),
		OPT_SPEED(&d->recording.options.n_threads),
		OPT_PROGRESS(losses_progress()),
		OPT_NO_THREADS("it explains the whole recording; csflow report has it"),
		OPT_NO_TIME("it explains the whole recording; csflow report has it"),
		OPT_NO_CODE("it explains the whole recording; csflow report has it"),
		OPT_END
	};
	int n = options_parse(argc, argv, table, usage);
	int status = recording_choose(&d->recording, files, n, argv, usage);

	d->recording.options.paths = true;
	return status ? status : recording_open(&d->recording);
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor *d = calloc(1, sizeof(*d));
	struct operands files = { 0 };
	int status;

	if (!d)
		return failed_at_once("doctor");
	d->recording.lists_files = true;
	status = parse(d, &files, argc, argv);
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
	operands_free(&files);
	return status;
}
