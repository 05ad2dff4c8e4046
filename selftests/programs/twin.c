// SPDX-License-Identifier: GPL-2.0-only
/*
 * To be linked with a program: a function that has the name of one in crtbegin.o, code that never
 * runs between code that does, and an instruction that is no branch and ends a block.
 */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) int frame_dummy(int a, int b)
{
	__asm__ volatile("isb" : : : "memory");
	if (a > 1000) {
		for (int i = 0; i < b; i++)
			puts("twin");
		exit(b);
	}
	return a + b;
}

__attribute__((constructor)) static void twin(void)
{
	int sum = 0;

	for (int i = 0; i < 7; i++)
		sum = frame_dummy(sum, i);
	if (sum != 21)
		abort();
}
