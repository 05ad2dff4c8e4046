// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_threads N PROGRAM [ARGS]: runs N of it at once with their output thrown away, and prints
 * milliseconds: of the clock until the last is done, of the processor by all threads, and by the
 * busiest thread.
 *
 * A thread is stopped where it exits (ptrace), and nowhere else: its processor time is read then,
 * to the nanosecond, so the figure means something even on a busy machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct use {
	uint64_t all, most;
	int failed;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Only errors are shown, because a program that fails has measured nothing. */
static void run(char **argv)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0)
		_exit(126);
	if (ptrace(PTRACE_TRACEME, 0, 0, 0)) {
		perror("bench_threads: ptrace");
		_exit(126);
	}
	raise(SIGSTOP);
	execvp(argv[0], argv);
	fprintf(stderr, "bench_threads: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Stops before it becomes the program: so the clock starts when all are ready. */
static int begin(char **argv)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		run(argv);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXIT |
		   PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL))
		return -1;
	return pid;
}

/* It is about to exit. */
static void add(struct use *use, pid_t tid)
{
	uint64_t ns = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", tid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%" SCNu64, &ns) != 1)
		use->failed = 1;
	if (f)
		fclose(f);
	use->all += ns;
	if (ns > use->most)
		use->most = ns;
}

static void go_on(struct use *use, pid_t tid, int status)
{
	const int event = status >> 16;
	int sig = 0;

	if (event == PTRACE_EVENT_EXIT)
		add(use, tid);
	else if (!event && WSTOPSIG(status) != SIGSTOP)
		sig = WSTOPSIG(status);
	ptrace(PTRACE_CONT, tid, 0, sig);
}

static struct use wait_for_all(void)
{
	struct use use = { 0 };
	pid_t tid;
	int status;

	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status))
			go_on(&use, tid, status);
		else if (WIFSIGNALED(status) || WEXITSTATUS(status))
			use.failed = 1;
	}
	return use;
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 0;
	uint64_t start;
	struct use use;
	pid_t pid[64];

	if (argc < 3 || n < 1 || n > 64) {
		fprintf(stderr, "usage: bench_threads N PROGRAM [ARGS]\n");
		return 2;
	}
	for (int i = 0; i < n; i++) {
		pid[i] = begin(argv + 2);
		if (pid[i] < 0) {
			perror("bench_threads");
			return 1;
		}
	}
	start = now();
	for (int i = 0; i < n; i++)
		ptrace(PTRACE_CONT, pid[i], 0, 0);
	use = wait_for_all();
	printf("%.3f %.3f %.3f\n", (now() - start) / 1e6, use.all / 1e6, use.most / 1e6);
	return use.failed;
}
