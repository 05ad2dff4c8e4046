// SPDX-License-Identifier: GPL-2.0-only
/* Threads that meet at a mutex, at an atomic counter, and come and go: threads[ROUNDS]. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS	4

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_long atomic;
static long locked;
static int rounds = 1;

static void *work(void *arg)
{
	unsigned int x = (unsigned long)arg;

	for (int i = 0; i < 300 * rounds; i++) {
		for (int k = 0; k < 20; k++)
			x = x & 1 ? x * 3 + 1 : x / 2 + k;
		atomic_fetch_add(&atomic, x & 3);
		pthread_mutex_lock(&mutex);
		locked++;
		pthread_mutex_unlock(&mutex);
	}
#ifdef __aarch64__
	/* Where the host cannot do that, QEMU stops all other threads for it. */
	for (int i = 0; i < 10; i++) {
		static __int128 wide __attribute__((aligned(16)));
		__int128 v;

		asm volatile("1: ldaxp %0, %H0, [%1]\n"
			     "add %0, %0, #1\n"
			     "stlxp w9, %0, %H0, [%1]\n"
			     "cbnz w9, 1b" : "=&r" (v) : "r" (&wide) : "w9", "memory");
	}
#endif
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	if (argc > 1)
		rounds = atoi(argv[1]);
	for (int round = 0; round < 2; round++) {
		for (long i = 0; i < THREADS; i++)
			pthread_create(&thread[i], NULL, work, (void *)i);
		for (int i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
	}
	printf("%ld\n", locked);
	return 0;
}
