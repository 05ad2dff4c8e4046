// SPDX-License-Identifier: GPL-2.0-only
/*
 * To be preloaded: the process gets $STOP_SIGNAL when it closes a file in $STOP_IN that was
 * written, but is not yet complete on disk. A recording does not count: its signals wait. $STOP_AT:
 * only at the file of this number, from 1 on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_meant(FILE *f)
{
	const char *folder = getenv("STOP_IN");
	char fd[32], path[PATH_MAX] = "";
	int n = fileno(f);

	if (n < 0 || (fcntl(n, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return false;
	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", n);
	return readlink(fd, path, sizeof(path) - 1) > 0 &&
	       !strncmp(path, folder, strlen(folder)) && !strstr(path, "/perf.data");
}

int fclose(FILE *f)
{
	int (*next)(FILE *f) = dlsym(RTLD_NEXT, "fclose");
	const char *at = getenv("STOP_AT");
	static int n;

	if (is_meant(f) && (++n == (at ? atoi(at) : n)))
		kill(getpid(), atoi(getenv("STOP_SIGNAL")));
	return next(f);
}
