// SPDX-License-Identifier: GPL-2.0-only
/*
 * Computes and sleeps in turn, so that a kernel takes it off its CPU many times, and prints a sum.
 *
 *	naps [TIMES]
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned int fib(unsigned int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
	unsigned int sum = 0;
	const int times = argc > 1 ? atoi(argv[1]) : 20;

	for (int i = 0; i < times; i++) {
		sum += fib(8 + i % 4);
		usleep(2000);
	}
	printf("%u\n", sum);
	return 0;
}
