/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signals that ask csflow to end: SIGINT, SIGTERM, SIGQUIT and SIGHUP.  While they are held back,
 * they wait until the command looks at them, so they cannot spoil anything that it writes.
 *
 *	stop_hold(&stop);
 *	... poll() for stop.fd, stop_look(&stop) ...
 *	stop_child(&stop, pid, &status);
 *	stop_release(&stop);
 */
#ifndef CSF_STOP_H
#define CSF_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/**
 * struct stop - signals that are held back
 * @fd: can be read when one came, or when a child ended; -1: none is held back
 * @signal: the first that came; 0: none
 * @told: the child has the signal, too: a terminal sends it to all its processes
 * @deadline: when a child that was asked to end is killed; 0: it was not asked
 * @before: signals that were blocked before
 */
struct stop {
	int fd;
	int signal;
	bool told;
	long deadline;
	sigset_t before;
};

/* Return: 0, -errno. */
int stop_hold(struct stop *stop);

/* Discards signals that came, whether looked at or not; the next one ends the process. */
void stop_release(struct stop *stop);

/* For a child, before it executes another program: restores the state before stop_hold(). */
void stop_in_child(const struct stop *stop);

/* Return: a signal that has come since the last look; 0: none. */
int stop_look(struct stop *stop);

/* Milliseconds up to the deadline; -1: there is none. */
int stop_left(const struct stop *stop);

/* After a second signal: moves the deadline to at most a second from now. */
void stop_hurry(struct stop *stop);

/* Asks a child to end with @signo. */
void stop_ask(struct stop *stop, pid_t pid, int signo);

/**
 * stop_child() - wait for the end of a child
 * @status: as waitpid() gives it
 *
 * A signal that came, or comes, is passed on.  The child is killed if it does not end in time, or
 * if another signal comes.
 */
void stop_child(struct stop *stop, pid_t pid, int *status);

/* "SIGINT" */
const char *stop_name(int signo);

#endif /* CSF_STOP_H */
