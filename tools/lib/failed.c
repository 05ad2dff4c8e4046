// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "status.h"
#include "failed.h"

/* Names in one line */
#define NAMED	3

int failed_while(const char *const *path, size_t n, const char *what, int err)
{
	const enum log_code code = err == -ENOMEM ? LOG_MEMORY : LOG_FILE;
	const size_t named = n > NAMED ? NAMED - 1 : n;

	log_say(code, "csflow: ");
	for (size_t i = 0; i < named; i++)
		log_say(code, "%s%s", i ? ", " : "", path[i]);
	if (named < n)
		log_say(code, " and %zu more", n - named);
	log_say(code, ": %s: %s\n", what, strerror(-err));
	return CMD_FAILED;
}

int failed_at_once(const char *command)
{
	log_say(LOG_MEMORY, "csflow: %s: no memory to start\n", command);
	return CMD_FAILED;
}
