// SPDX-License-Identifier: GPL-2.0-only
/* Runs a program that no other one interrupts: fifo PROGRAM [ARGS] */
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sched_param first = { .sched_priority = 50 };

	if (argc < 2 || sched_setscheduler(0, SCHED_FIFO, &first)) {
		perror("fifo");
		return 1;
	}
	execv(argv[1], argv + 1);
	perror(argv[1]);
	return 1;
}
