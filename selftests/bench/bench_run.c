// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_run PROGRAM [ARGS]: runs it with its output thrown away, and prints what it took: seconds
 * of user time, seconds of system time, MiB of memory at its peak.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Only errors are shown, because a program that fails has measured nothing. */
static void run(char **argv)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0)
		_exit(126);
	execvp(argv[0], argv);
	fprintf(stderr, "bench_run: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

int main(int argc, char **argv)
{
	struct rusage used;
	int status;
	pid_t pid;

	if (argc < 2) {
		fprintf(stderr, "usage: bench_run PROGRAM [ARGS]\n");
		return 2;
	}
	pid = fork();
	if (!pid)
		run(argv + 1);
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid) {
		perror("bench_run");
		return 1;
	}
	printf("%.3f %.3f %.1f\n", used.ru_utime.tv_sec + used.ru_utime.tv_usec / 1e6,
	       used.ru_stime.tv_sec + used.ru_stime.tv_usec / 1e6, used.ru_maxrss / 1024.0);
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}
