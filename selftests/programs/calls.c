// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that do not simply return: recursion, tail calls, longjmp() out of a recursion and out of a
 * handler, signals one after the other and one in another, functions called by pointer.
 *
 * calls [N]: in round N there is one call more.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ALONE __attribute__((noinline, noclone))

static jmp_buf back;
static sigjmp_buf out;
static atomic_int sum, caught;
/* State that a jump must not forget. */
static int turn;

ALONE static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/* Each is the last call of the one before. */
ALONE static int third(int n)
{
	sum += n;
	return fib(n & 3);
}

ALONE static int second(int n)
{
	sum ^= n;
	return third(n + 1);
}

ALONE static int first(int n)
{
	sum += 2 * n;
	return second(n + 1);
}

ALONE static void even(int n);

ALONE static void odd(int n)
{
	sum += n;
	if (n)
		even(n - 1);
}

ALONE static void even(int n)
{
	sum -= n;
	if (n)
		odd(n - 1);
}

ALONE static int dive(int n)
{
	if (n < 0)
		return 0;
	if (!n)
		longjmp(back, 1);
	return dive(n - 1) + n;
}

ALONE static void jump(int deep)
{
	if (!setjmp(back))
		sum += dive(deep);
	else
		sum++;
}

static void on_first(int signo)
{
	caught++;
	raise(SIGUSR2);
	caught += fib(3);
}

static void on_second(int signo)
{
	caught += fib(2);
}

static void on_third(int signo)
{
	siglongjmp(out, fib(4));
}

/* Both are pending when they are unblocked: one comes after the other. */
static void two_at_once(void)
{
	sigset_t both;

	sigemptyset(&both);
	sigaddset(&both, SIGHUP);
	sigaddset(&both, SIGTERM);
	sigprocmask(SIG_BLOCK, &both, NULL);
	raise(SIGHUP);
	raise(SIGTERM);
	sigprocmask(SIG_UNBLOCK, &both, NULL);
}

static int by_size(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
	const int more = argc > 1 ? atoi(argv[1]) : -1;
	int v[20];

	signal(SIGUSR1, on_first);
	signal(SIGUSR2, on_second);
	signal(SIGHUP, on_second);
	signal(SIGTERM, on_second);
	signal(SIGINT, on_third);
	for (int i = 0; i < 20; i++)
		v[i] = i * 7 % 20;
	qsort(v, 20, sizeof(*v), by_size);
	for (turn = 0; turn < 5; turn++) {
		if (turn == more)
			sum += fib(5);
		sum += first(turn);
		even(turn + 6);
		jump(turn);
		raise(SIGUSR1);
		if (!sigsetjmp(out, 1))
			raise(SIGINT);
	}
	two_at_once();
	printf("%d %d\n", sum, caught);
	return 0;
}
