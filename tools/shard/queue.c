// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE	/* asprintf() */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tool.h"
#include "queue.h"

/* One state in each line, as "RUNNING"; other lines are of other programs. */
static void count(struct queue *queue, FILE *said)
{
	size_t size = 0;
	char *line = NULL;

	while (getline(&line, &size, said) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		queue->waiting += !strcmp(line, "PENDING") || !strcmp(line, "SUSPENDED");
		queue->running += !strcmp(line, "RUNNING") || !strcmp(line, "CONFIGURING") ||
				  !strcmp(line, "COMPLETING");
	}
	free(line);
}

bool queue_ask(struct queue *queue, const char *ids, char between)
{
	const char *argv[6] = { NULL, "--noheader", "--array", "--format=%T" };
	char path[PATH_MAX], *jobs;
	FILE *said = NULL;
	bool answered;

	*queue = (struct queue){ 0 };
	if (!tool_find("squeue", path, sizeof(path)) || asprintf(&jobs, "--jobs=%s", ids) < 0)
		return false;
	for (char *c = jobs; *c; c++)
		if (*c == between)
			*c = ',';
	argv[0] = path;
	argv[4] = jobs;
	answered = !tool_run(argv, &said) && said;
	if (answered)
		count(queue, said);
	if (said)
		fclose(said);
	free(jobs);
	return answered;
}
