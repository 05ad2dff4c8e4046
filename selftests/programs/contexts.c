// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that behave differently for each caller.  No line has two calls or branches: so no call
 * has a discriminator, of which llvm-profgen has two notions.
 */
#include <stdio.h>

#define noinline __attribute__((noinline))

int sink;

static noinline int odd(int x)
{
	return sink + x;
}

static noinline int even(int x)
{
	return sink - x;
}

static int (*const by_parity[])(int) = { even, odd };

/* Inlined, twice. */
static inline int mixed(int x)
{
	x ^= x << 3;
	if (x & 4)
		x += sink;
	x *= 5;
	return x;
}

/* The first call in it is inlined, too. */
static inline int twice(int x)
{
	x = mixed(x);
	x += sink;
	return x;
}

static noinline int work(int x, int n)
{
	int sum = 0;

	while (n) {
		sum += by_parity[(x ^ n) & 1](n);
		n--;
	}
	return mixed(sum);
}

static noinline int many(int x)
{
	return work(x, 30) + 1;
}

static noinline int few(int x)
{
	int sum = 0;

	sum += work(x, 2);
	sum += twice(x);
	return sum;
}

int main(void)
{
	int sum = 0;
	int i = 50;

	while (i) {
		sum += many(i);
		sum += few(i);
		i--;
	}
	printf("%d\n", sum);
	return 0;
}
