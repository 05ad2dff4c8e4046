// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../lib/log.h"
#include "pool.h"

#define TICK		10000000	/* ns */
#define TICKS		100		/* up to the next look at the progress */

static void set_apart(FILE *said)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	if (dup2(fileno(said), STDOUT_FILENO) < 0)
		_exit(127);
}

static int start(const char *const *argv, FILE *said)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		signal(SIGXFSZ, SIG_DFL);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (said)
			set_apart(said);
		execv(argv[0], (char *const *)argv);
		log_say(LOG_PROGRAM, "csflow: %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	return pid < 0 ? -errno : 0;
}

static int status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int pool_run(const struct pool *pool)
{
	const struct timespec tick = { .tv_nsec = TICK };
	size_t begun = 0, running = 0;
	unsigned int ticks = 0;
	int last = 0, status, err = 0;

	while (running || (begun < pool->n && !err)) {
		if (begun < pool->n && running < pool->jobs && !err) {
			err = start(pool->argv(pool->owner, begun++), pool->said);
			running += !err;
			continue;
		}
		if (waitpid(-1, &status, WNOHANG) > 0) {
			running--;
			last = status_of(status);
			continue;
		}
		nanosleep(&tick, NULL);
		if (++ticks % TICKS == 0 && pool->each)
			pool->each(pool->owner);
	}
	return err ? err : last;
}
