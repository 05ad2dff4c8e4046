// SPDX-License-Identifier: GPL-2.0-only
/*
 * What programs do besides computing: chores CHORE [ROUNDS]
 *
 * fork: processes that fork, and execute this file anew; faults: maps a file, touches and unmaps
 * it; move: goes to another CPU again and again; work: computes only.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE	4096
#define PAGES	64

static uint32_t work(int rounds)
{
	uint32_t x = 1;

	for (int i = 0; i < 2000 * rounds; i++)
		x = x & 1 ? x * 3 + i : x / 2 + 7;
	return x;
}

/* Each second child only forks, and the others execute the file again, with one less to do. */
static int fork_and_exec(char *self, int rounds)
{
	char left[16];
	int status = 0, all = 0;
	pid_t pid;

	if (!rounds)
		return 0;
	sprintf(left, "%d", rounds - 1);
	for (int i = 0; i < 2; i++) {
		pid = fork();
		if (!pid && i)
			_exit(work(rounds) & 1 ? 0 : work(1) == 0);
		if (!pid) {
			execl(self, self, "fork", left, NULL);
			_exit(9);
		}
	}
	work(rounds);
	while (wait(&status) > 0)
		all |= status;
	return all != 0;
}

static void *map(int fd, int flags)
{
	return mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, flags, fd, 0);
}

static int faults(int rounds)
{
	int fd = open("faults.file", O_RDWR | O_CREAT | O_TRUNC, 0600);
	uint32_t sum = 0;

	if (fd < 0 || ftruncate(fd, PAGES * PAGE))
		return 1;
	for (int round = 0; round < rounds; round++) {
		uint8_t *shared = map(fd, MAP_SHARED), *own = map(fd, MAP_PRIVATE);

		if (shared == MAP_FAILED || own == MAP_FAILED)
			return 1;
		for (int i = 0; i < PAGES; i++) {
			shared[i * PAGE + round % PAGE]++;
			sum += own[i * PAGE + round % PAGE];
			own[i * PAGE]++;
		}
		munmap(shared, PAGES * PAGE);
		munmap(own, PAGES * PAGE);
	}
	unlink("faults.file");
	return sum != (uint32_t)rounds * PAGES;
}

static int move(int rounds)
{
	const int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t x = 0;

	for (int i = 0; i < rounds; i++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(i % cpus, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			return 1;
		x += work(20 + i % 30);
	}
	return x == 1;
}

int main(int argc, char **argv)
{
	const char *chore = argc > 1 ? argv[1] : "work";
	int rounds = argc > 2 ? atoi(argv[2]) : 1;

	if (!strcmp(chore, "fork"))
		return fork_and_exec(argv[0], rounds);
	if (!strcmp(chore, "faults"))
		return faults(rounds);
	if (!strcmp(chore, "move"))
		return move(rounds);
	return work(rounds) == 1;
}
