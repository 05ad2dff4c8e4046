// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_rusage FILE COMMAND [ARGS]: runs it, adds to FILE a line with its CPU time in ms and the
 * most memory it had in KiB, and returns what it returned.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long ms(const struct timeval *t)
{
	return t->tv_sec * 1000 + t->tv_usec / 1000;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	pid_t pid;
	FILE *f;

	if (argc < 3) {
		fprintf(stderr, "usage: bench_rusage FILE COMMAND [ARGS]\n");
		return 2;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	f = fopen(argv[1], "a");
	if (pid < 0 || !f || wait4(pid, &status, 0, &usage) < 0) {
		perror("bench_rusage");
		return 1;
	}
	fprintf(f, "%ld %ld\n", ms(&usage.ru_utime) + ms(&usage.ru_stime), usage.ru_maxrss);
	fclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
