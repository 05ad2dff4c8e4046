// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tool.h"
#include "limit.h"

/* The number after the @name that a line begins with.  Return: 0: there is none. */
static size_t number_in(FILE *f, const char *name)
{
	const size_t n = strlen(name);
	size_t size = 0, number = 0;
	char *line = NULL;

	while (!number && getline(&line, &size, f) >= 0)
		if (!strncmp(line, name, n) && strchr(" \t=", line[n]))
			number = strtoul(line + n + strspn(line + n, " \t="), NULL, 10);
	free(line);
	return number;
}

size_t limit_of(const struct limit *limit, size_t most)
{
	struct limit found = *limit;
	char path[PATH_MAX];
	FILE *said = NULL;
	size_t number;

	if (!limit->argv[0] || !tool_find(limit->argv[0], path, sizeof(path)))
		return most;
	found.argv[0] = path;
	number = tool_run(found.argv, &said) || !said ? 0 : number_in(said, limit->name);
	if (said)
		fclose(said);
	return number > limit->less && number - limit->less < most ? number - limit->less : most;
}
