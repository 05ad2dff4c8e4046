// SPDX-License-Identifier: GPL-2.0-only
/* Calls: recursion, jumps in place of calls, longjmp(), signals, calls from libraries. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define noinline __attribute__((noipa))

static jmp_buf out;
static sigjmp_buf after;
static int sink;

static noinline int leaf(int x)
{
	sink += x;
	return x ^ sink;
}

/* Ends by a jump. */
static noinline int tail(int x)
{
	sink++;
	return leaf(x + 1);
}

static noinline int fib(int n)
{
	return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2);
}

static int even(int n);

static noinline int odd(int n)
{
	int r = n ? even(n - 1) + 1 : leaf(0);

	sink ^= r;
	return r;
}

static noinline int even(int n)
{
	int r = n ? odd(n - 1) + 1 : tail(1);

	sink += r;
	return r;
}

static noinline int deep(int n)
{
	if (!n)
		longjmp(out, 1);
	return deep(n - 1) + leaf(n);
}

/* It jumps back neither to the innermost call nor to the outermost. */
static noinline int jump(int n)
{
	int r;

	if (n == 2) {
		if (setjmp(out))
			return leaf(3);
		r = jump(n - 1) + 1;
	} else if (n) {
		r = jump(n - 1) + 1;
	} else {
		r = deep(5);
	}
	sink += r;
	return r;
}

static void on_signal(int signo)
{
	sink += tail(signo);
}

static void on_other(int signo)
{
	raise(SIGUSR1);
	sink += leaf(signo);
}

static void on_third(int signo)
{
	siglongjmp(after, signo);
}

static int compare(const void *a, const void *b)
{
	sink++;
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	int number[20];

	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_other);
	signal(SIGTERM, on_third);
	for (int i = 0; i < 20; i++)
		number[i] = i * 7 % 20;
	qsort(number, 20, sizeof(*number), compare);
	fib(10);
	even(9);
	jump(4);
	raise(SIGUSR1);
	raise(SIGUSR2);
	if (!sigsetjmp(after, 1))
		raise(SIGTERM);
	tail(2);
	printf("%d\n", sink);
	return 0;
}
