// SPDX-License-Identifier: GPL-2.0-only
/* Functions that compilers inline: twice, in each other, not executed, with a loop at the start. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int square(int x)
{
	return x * x;
}

static inline int collatz(unsigned int n)
{
	int i = 0;

	for (; n != 1; i++)
		n = n & 1 ? 3 * n + 1 : n / 2;
	return i;
}

static int both(int x)
{
	return square(x) + collatz(x + 1);
}

static void fill(char *p, int n)
{
	while (n--)
		*p++ = n;
}

/* Its loop leads back to its first instruction. */
static void turn(int *p)
{
	do {
		*p += 1;
	} while (*p & 7);
}

__attribute__((noinline)) static void turns(int *p)
{
	turn(p);
}

static void complain(const char *what)
{
	fputs("too large: ", stderr);
	fputs(what, stderr);
}

__attribute__((noinline)) static int sum(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += both(i) ^ square(s & 0xff);
	return s;
}

int main(int argc, char **argv)
{
	static char buf[100];
	static int wheel;
	const int n = argc > 1 ? atoi(argv[1]) : 3;

	if (n > 50) {
		complain(argv[1]);
		return 1;
	}
	fill(buf, n);
	printf("%d %d\n", sum(n), buf[3]);
	for (int i = 0; i < n; i++)
		fill(buf + i, i % 5);
	for (int i = 0; i < n; i++)
		turns(&wheel);
	return printf("%d\n", buf[5] + collatz(n)) < 0;
}
