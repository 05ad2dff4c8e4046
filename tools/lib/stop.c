// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stop.h"

/* Time in milliseconds that a child has to end before it is killed. */
#define GRACE	3000
/* The same after a second signal. */
#define HURRY	1000

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* SIGHUP stays ignored, for nohup; SIGINT does not: shells ignore it for background jobs. */
static void wanted(sigset_t *set)
{
	struct sigaction hup;

	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGQUIT);
	sigaddset(set, SIGCHLD);
	if (sigaction(SIGHUP, NULL, &hup) || hup.sa_handler != SIG_IGN)
		sigaddset(set, SIGHUP);
}

int stop_hold(struct stop *stop)
{
	sigset_t set;
	int err;

	*stop = (struct stop){ .fd = -1 };
	wanted(&set);
	/* If SIGCHLD is ignored, the end of a child is not reported. */
	signal(SIGCHLD, SIG_DFL);
	if (sigprocmask(SIG_BLOCK, &set, &stop->before))
		return -errno;
	stop->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (stop->fd >= 0)
		return 0;
	err = -errno;
	sigprocmask(SIG_SETMASK, &stop->before, NULL);
	return err;
}

void stop_release(struct stop *stop)
{
	if (stop->fd < 0)
		return;
	while (stop_look(stop))
		;
	close(stop->fd);
	stop->fd = -1;
	sigprocmask(SIG_SETMASK, &stop->before, NULL);
}

void stop_in_child(const struct stop *stop)
{
	signal(SIGXFSZ, SIG_DFL);
	if (stop->fd >= 0)
		sigprocmask(SIG_SETMASK, &stop->before, NULL);
}

int stop_look(struct stop *stop)
{
	struct signalfd_siginfo info;

	while (stop->fd >= 0 && read(stop->fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (!stop->signal) {
			stop->signal = info.ssi_signo;
			stop->told = info.ssi_code == SI_KERNEL;
			stop->deadline = now() + GRACE;
		}
		return info.ssi_signo;
	}
	return 0;
}

int stop_left(const struct stop *stop)
{
	long left = stop->deadline - now();

	if (!stop->deadline)
		return -1;
	return left > 0 ? left : 0;
}

void stop_hurry(struct stop *stop)
{
	const long soon = now() + HURRY;

	if (stop->deadline > soon)
		stop->deadline = soon;
}

void stop_ask(struct stop *stop, pid_t pid, int signo)
{
	kill(pid, signo);
	stop->told = true;
	stop->deadline = now() + GRACE;
}

void stop_child(struct stop *stop, pid_t pid, int *status)
{
	struct pollfd ready = { .fd = stop->fd, .events = POLLIN };
	bool killed = false;

	while (!waitpid(pid, status, WNOHANG)) {
		bool late = stop->deadline;

		if (stop->signal && !stop->told)
			stop_ask(stop, pid, stop->signal);
		if (!poll(&ready, 1, killed ? -1 : stop_left(stop)) || (stop_look(stop) && late)) {
			kill(pid, SIGKILL);
			killed = true;
		}
	}
}

const char *stop_name(int signo)
{
	static char name[16];
	const char *abbreviation = sigabbrev_np(signo);

	if (abbreviation)
		snprintf(name, sizeof(name), "SIG%s", abbreviation);
	else
		snprintf(name, sizeof(name), "signal %d", signo);
	return name;
}
