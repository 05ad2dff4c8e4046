// SPDX-License-Identifier: GPL-2.0-only
/* A small program with every kind of branch: loops, calls, calls by pointer, a switch, a sort. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned int state = 12345;

static unsigned int next(void)
{
	state = state * 1103515245 + 12345;
	return state >> 16;
}

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mix(int a, int b) { return a ^ (b << 3); }

static int (*const op[])(int, int) = { add, sub, mix };

static int by_size(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static const char *name(unsigned int n)
{
	switch (n % 7) {
	case 0: return "zero";
	case 1: return "one";
	case 2: return "two";
	case 3: return "three";
	case 4: return "four";
	default: return "many";
	}
}

int main(void)
{
	static int v[500];
	int sum = 0;

	for (int i = 0; i < 500; i++)
		v[i] = next() % 1000;
	qsort(v, 500, sizeof(*v), by_size);
	for (int i = 0; i < 500; i++)
		sum = op[next() % 3](sum, v[i]) + strlen(name(v[i]));
	printf("%d %d\n", sum, fib(12));
	return 0;
}
