// SPDX-License-Identifier: GPL-2.0-only
/* Signals by a timer, by itself, one in another; faults of data, of code, of instructions. */
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define TICKS	8

static atomic_int ticks, inner;
static atomic_ulong spin;
/* State that a jump out of a handler must not forget. */
static int n_fault, tried;
static atomic_int local;
static sigjmp_buf back;

static void on_tick(int signo)
{
	ticks++;
}

static void on_inner(int signo, siginfo_t *info, void *context)
{
	inner++;
}

static void on_outer(int signo)
{
	kill(getpid(), SIGUSR2);
}

static void on_fault(int signo, siginfo_t *info, void *context)
{
	siglongjmp(back, signo);
}

static void handle(int signo, void (*handler)(int), void (*action)(int, siginfo_t *, void *))
{
	struct sigaction sa = { .sa_handler = handler };

	if (action) {
		sa.sa_sigaction = action;
		sa.sa_flags = SA_SIGINFO | SA_NODEFER;
	}
	sigaction(signo, &sa, NULL);
}

/* Signals come between any two blocks of this. */
static void wait_for_ticks(void)
{
	struct itimerval it = { { 0, 2000 }, { 0, 2000 } };

	setitimer(ITIMER_REAL, &it, NULL);
	while (ticks < TICKS) {
		spin++;
		if (spin & 3)
			spin += ticks;
		if (spin % 1000 == 0)
			usleep(100);
	}
	memset(&it, 0, sizeof(it));
	setitimer(ITIMER_REAL, &it, NULL);
}

static int faults(void)
{
	for (tried = 0; tried < 5; tried++) {
		if (sigsetjmp(back, 1)) {
			n_fault++;
			continue;
		}
		local += 3;
		local ^= atomic_load((atomic_int *)(uintptr_t)(8 + tried * 8));
		local += 7;
	}
	if (sigsetjmp(back, 1))
		n_fault++;
	else
		((void (*)(void))(uintptr_t)0x1000)();
	if (sigsetjmp(back, 1))
		n_fault++;
	else
		asm volatile("udf #0");
	if (sigsetjmp(back, 1))
		n_fault++;
	else
		__builtin_trap();
	return n_fault;
}

int main(void)
{
	handle(SIGALRM, on_tick, NULL);
	handle(SIGUSR1, on_outer, NULL);
	handle(SIGUSR2, NULL, on_inner);
	handle(SIGSEGV, NULL, on_fault);
	handle(SIGBUS, NULL, on_fault);
	handle(SIGILL, NULL, on_fault);
	handle(SIGTRAP, NULL, on_fault);
	wait_for_ticks();
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
	printf("%d %d\n", inner, faults());
	return 0;
}
