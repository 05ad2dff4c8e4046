// SPDX-License-Identifier: GPL-2.0-only
/* syscalls N: system calls of several kinds, N times, and a new process now and then. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void once(const int *pipe, char *buf, size_t n)
{
	int fd = open("/proc/self/status", O_RDONLY);
	struct stat st;

	if (fd < 0 || read(fd, buf, n) <= 0 || stat("/tmp", &st))
		exit(1);
	close(fd);
	syscall(SYS_getppid);
	if (write(pipe[1], buf, 64) != 64 || read(pipe[0], buf, 64) != 64)
		exit(1);
}

static void child(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 1;
	char buf[512];
	int ends[2];

	if (pipe(ends))
		return 1;
	for (int i = 0; i < n; i++) {
		once(ends, buf, sizeof(buf));
		if (i % 16 == 0)
			child();
	}
	return 0;
}
