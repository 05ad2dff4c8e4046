// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_cores: prints how many nanoseconds a line of the cache takes from one processor to another:
 * half of there and back, the least of eight times 20,000.
 *
 * A virtual machine's processors may be near each other now and far a second later, and data takes
 * three times as long from thread to thread then.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define TIMES	20000

/* A line of its own, with the neighbour that hardware fetches with it. */
struct line {
	uint32_t value;
	int cpu;
} __attribute__((aligned(128)));

/* The @i-th processor that may be used; -1: there are fewer. */
static int processor(int i)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && !i--)
			return cpu;
	return -1;
}

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void wait_for(struct line *line, uint32_t value)
{
	while (__atomic_load_n(&line->value, __ATOMIC_ACQUIRE) != value)
		;
}

static void *answer(void *p)
{
	struct line *line = p;

	stay_on(line->cpu);
	for (uint32_t i = 1; i < 2 * TIMES; i += 2) {
		wait_for(line, i);
		__atomic_store_n(&line->value, i + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Return: nanoseconds of all; 0: the thread cannot be created. */
static uint64_t exchange(int cpu)
{
	struct line line = { .cpu = cpu };
	pthread_t thread;
	uint64_t start = 0;

	if (pthread_create(&thread, NULL, answer, &line))
		return 0;
	for (uint32_t i = 0; i < 2 * TIMES; i += 2) {
		/* the first answer shows that the thread runs */
		if (i == 2)
			start = now();
		__atomic_store_n(&line.value, i + 1, __ATOMIC_RELEASE);
		wait_for(&line, i + 2);
	}
	start = now() - start;
	pthread_join(thread, NULL);
	return start;
}

int main(void)
{
	const int here = processor(0), there = processor(1);
	uint64_t least = UINT64_MAX;

	if (there < 0) {
		fputs("bench_cores: there is but one processor\n", stderr);
		return 1;
	}
	stay_on(here);
	for (int i = 0; i < 8; i++) {
		const uint64_t ns = exchange(there);

		least = ns && ns < least ? ns : least;
	}
	printf("%.0f\n", least / (2.0 * (TIMES - 1)));
	return least == UINT64_MAX;
}
