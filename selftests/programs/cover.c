// SPDX-License-Identifier: GPL-2.0-only
/* Lines that run, lines that do not, and branches of both kinds. */
#include <stdio.h>
#include <stdlib.h>

static int never(int x)
{
	return x * 3;
}

static int sign(int x)
{
	if (x < 0)
		return -1;
	if (x > 0)
		return 1;
	return 0;
}

static inline __attribute__((always_inline)) int half(int x)
{
	return x / 2;
}

static int sum(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++) {
		if (i % 3 == 1)
			s += half(i);
		else
			s -= sign(i - 2);
	}
	return s + half(n);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10;

	if (n > 1000)
		return never(n);
	printf("%d\n", sum(n));
	switch (n & 3) {
	case 0:
		puts("zero");
		break;
	case 1:
		puts("one");
		break;
	default:
		puts("more");
	}
	return 0;
}
