// SPDX-License-Identifier: GPL-2.0-only
/* A32 and T32 that call each other: directly, by pointer, in IT blocks, over pages. */
#include <stdio.h>
#include <stdlib.h>

#include "over-page.h"

#define A32	__attribute__((noinline, target("arm")))
#define T32	__attribute__((noinline, target("thumb")))

A32 static int a32_leaf(int x)
{
	return x & 1 ? x * 3 + 1 : x / 2;
}

T32 static int t32_leaf(int x)
{
	int y = x > 7 ? x - 3 : x + 5;

	return y & 2 ? y : -y;
}

A32 static int a32_calls(int x, int (*f)(int))
{
	return f(x) + t32_leaf(x) + a32_leaf(x);
}

T32 static int t32_calls(int x, int (*f)(int))
{
	return f(x) + a32_leaf(x) + t32_leaf(x);
}

T32 static int t32_switch(int x)
{
	switch (x % 6) {
	case 0:
		return a32_leaf(x);
	case 1:
		return 11;
	case 2:
		return x + 3;
	case 3:
		return -x;
	case 4:
		return t32_leaf(x);
	default:
		return 1;
	}
}

int main(int argc, char **argv)
{
	static int (*const leaf[])(int) = { a32_leaf, t32_leaf, t32_switch };
	int rounds = argc > 1 ? atoi(argv[1]) : 1, x = 1;

	for (int i = 0; i < 300 * rounds; i++) {
		x += a32_calls(i, leaf[i % 3]);
		x += t32_calls(x & 0xff, leaf[(i + 1) % 3]);
		x += t32_switch(i) + over_page(i) + it_over_page(i % 8);
	}
	printf("%d\n", x);
	return 0;
}
