// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "log.h"
#include "operands.h"
#include "status.h"

static int wrong(const struct operands *o, const char *command, const char *usage)
{
	const bool few = o->n < o->least;
	const size_t n = few ? o->least : o->most;
	char what[64];

	snprintf(what, sizeof(what), "give %s%s", n == 1 ? "one file" : "two files",
		 o->least == o->most ? "" : few ? " at least" : " at most");
	return options_wrong(command, usage, what);
}

static int collect(struct operands *o, int n, char **argv)
{
	o->path = calloc(o->inputs.n + n + 1, sizeof(*o->path));
	if (!o->path) {
		log_say(LOG_MEMORY, "csflow: %s: no memory to start\n", argv[0]);
		return CMD_FAILED;
	}
	for (size_t i = 0; i < o->inputs.n; i++)
		o->path[o->n++] = o->inputs.value[i];
	for (int i = 1; i <= n; i++)
		o->path[o->n++] = argv[i];
	if (!o->n && o->otherwise)
		o->path[o->n++] = o->otherwise;
	return CMD_OK;
}

/* A name that is wrong is better known before than after the decoding of the others. */
static int look(const struct operands *o, const char *command)
{
	int status = CMD_OK, pipes = 0;
	struct stat st;

	for (size_t i = 0; i < o->n; i++) {
		if (!strcmp(o->path[i], "-")) {
			pipes++;
		} else if (stat(o->path[i], &st)) {
			log_say(LOG_FILE, "csflow: %s: %s\n", o->path[i], strerror(errno));
			if (o->path[i] == o->otherwise)
				log_say(LOG_NOTE, "csflow: name a file, or record one: perf record -e cs_etm//u -- PROGRAM, or csflow record -- PROGRAM\n");
			status = CMD_FAILED;
		}
	}
	if (pipes < 2)
		return status;
	log_say(LOG_USAGE, "csflow %s: standard input, -, can be read only once\n", command);
	return CMD_USAGE;
}

int operands_take(struct operands *o, int n, char **argv, const char *usage)
{
	int status = collect(o, n, argv);

	if (status)
		return status;
	if (o->n < o->least || (o->most && o->n > o->most))
		return wrong(o, argv[0], usage);
	return look(o, argv[0]);
}

void operands_free(struct operands *o)
{
	free(o->inputs.value);
	free(o->path);
}
