// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "status.h"
#include "failed.h"

/* Names in one line */
#define NAMED	3

int failed_while(const char *const *path, size_t n, const char *what, int err)
{
	const size_t named = n > NAMED ? NAMED - 1 : n;

	fprintf(stderr, "csflow: ");
	for (size_t i = 0; i < named; i++)
		fprintf(stderr, "%s%s", i ? ", " : "", path[i]);
	if (named < n)
		fprintf(stderr, " and %zu more", n - named);
	fprintf(stderr, ": %s: %s\n", what, strerror(-err));
	return CMD_FAILED;
}

int failed_at_once(const char *command)
{
	fprintf(stderr, "csflow: %s: no memory to start\n", command);
	return CMD_FAILED;
}
