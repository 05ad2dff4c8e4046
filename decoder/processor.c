// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#ifdef __linux__
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
#endif

#include "processor.h"

#ifdef __linux__

int processor_here(void)
{
	return sched_getcpu();
}

/* All threads of the machine that run, or would; many if nobody knows. */
static unsigned int n_running(void)
{
	const int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	unsigned int n = UINT_MAX;
	char text[128];
	ssize_t got;

	if (fd < 0)
		return n;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[got < 0 ? 0 : got] = 0;
	return sscanf(text, "%*s %*s %*s %u/", &n) == 1 ? n : UINT_MAX;
}

/* With more than 1,024 processors there is no set, and no need. */
void processor_leave(int cpu)
{
	cpu_set_t may, others;

	if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(may), &may) ||
	    n_running() > CPU_COUNT(&may))
		return;
	others = may;
	CPU_CLR(cpu, &others);
	if (CPU_COUNT(&others) && !sched_setaffinity(0, sizeof(others), &others))
		sched_setaffinity(0, sizeof(may), &may);
}

#else

int processor_here(void)
{
	return -1;
}

void processor_leave(int cpu)
{
}

#endif
