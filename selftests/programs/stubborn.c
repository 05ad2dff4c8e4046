// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that does not end because of a signal: it ignores the signal, blocks it, or handles it
 * and then ends by itself, "handle", or goes on, "go-on".
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static atomic_int came;

static void on_signal(int signo)
{
	came = signo;
}

int main(int argc, char **argv)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	const char *how = argc > 1 ? argv[1] : "ignore";
	unsigned int sum = 0;
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < 4; i++) {
		sigaddset(&set, signals[i]);
		if (!strcmp(how, "ignore"))
			signal(signals[i], SIG_IGN);
		else if (strcmp(how, "block"))
			signal(signals[i], on_signal);
	}
	if (!strcmp(how, "block"))
		sigprocmask(SIG_BLOCK, &set, NULL);
	puts("ready");
	fflush(stdout);
	for (;;) {
		for (unsigned int i = 0; i < 100000; i++)
			sum += i ^ sum >> 3;
		if (came && !strcmp(how, "handle")) {
			printf("signal %d, cleaned up\n", (int)came);
			return 0;
		}
		if (sum == 1)
			puts("one");
	}
}
