// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "agent.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "../lib/log.h"
#include "../lib/status.h"
#include "clock.h"
#include "notify.h"
#include "round.h"
#include "units.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Set by signals. */
static atomic_bool terminated, hurried, reload, keep_next;

/**
 * struct agent - all of it
 * @begin: of the last round, on the clock that no one sets; @next: of the next round
 * @used: CPU time of the last round, ms
 * @paused: since when there is no room; 0: there is
 * @left_out: rounds since then
 */
struct agent {
	const char *path;
	struct agent_config config;
	struct count_spool spool;
	struct round round;
	uint64_t begin, next, used;
	uint64_t paused, left_out;
};

/* ---------------------------------------------------------------- signals */

static void take_signal(int number)
{
	switch (number) {
	case SIGHUP:
		reload = true;
		break;
	case SIGUSR1:
		keep_next = true;
		break;
	default:
		hurried = atomic_exchange(&terminated, true);
	}
}

/* They come only while the agent waits, and at any time between two looks of a round. */
static void take_signals(void)
{
	static const int signals[] = { SIGHUP, SIGUSR1, SIGTERM, SIGINT, SIGQUIT };
	struct sigaction act = { .sa_handler = take_signal };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &act, NULL);
}

/* No signal is missed between the look at the flags and the wait. */
static void wait_until(uint64_t when)
{
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	while (!terminated && !reload && clock_ms() < when) {
		const uint64_t left = when - clock_ms();
		const struct timespec time = { left / 1000, left % 1000 * 1000000 };

		ppoll(NULL, 0, &time, &before);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* ---------------------------------------------------------------- limits */

static uint64_t cpu_ms(void)
{
	static const int who[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
	uint64_t us = 0;

	for (int i = 0; i < 2; i++) {
		struct rusage usage = { 0 };

		getrusage(who[i], &usage);
		us += (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000ull +
		      usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
	}
	return us / 1000;
}

/* The next round begins when this one's share of a CPU is within the limit, and not before. */
static void plan(struct agent *a)
{
	const uint64_t period = a->begin + a->config.period;
	const uint64_t share = a->begin + a->used * 1000 / a->config.cpu;

	a->next = period;
	if (share <= period)
		return;
	a->next = share;
	log_say(LOG_LOST, "csflow: the next round begins %" PRIu64 " ms late: ", share - period);
	log_say(LOG_LOST, "this one took %" PRIu64 " ms of CPU time, of %.1f %% of a CPU\n",
		a->used, a->config.cpu / 10.0);
}

/* ---------------------------------------------------------------- rounds */

/* After there was no room. */
static void say_left_out(struct agent *a, const char *now)
{
	if (a->paused)
		log_say(LOG_NOTE, "csflow: %s: %s after %" PRIu64 " ms; %" PRIu64 " rounds were left out\n",
			a->spool.folder, now, clock_ms() - a->paused, a->left_out);
	a->paused = 0;
}

/* Return: there is room in the spool; else the round is left out. */
static bool has_room(struct agent *a)
{
	const int err = count_spool_room(&a->spool);

	if (err && !a->paused) {
		log_say(LOG_LOST, "csflow: %s: %s: paused, until there is room\n", a->spool.folder,
			strerror(-err));
		notify_status("paused: there is no room in the spool");
		a->paused = clock_ms();
		a->left_out = 0;
	}
	if (err) {
		a->left_out++;
		return false;
	}
	say_left_out(a, "goes on");
	return true;
}

static int run_round(struct agent *a)
{
	const uint64_t before = cpu_ms();
	int err = -ENOSPC;

	a->begin = clock_ms();
	if (has_room(a)) {
		a->round.config = &a->config;
		a->round.spool = &a->spool;
		a->round.stop = &terminated;
		a->round.hurry = &hurried;
		a->round.keep = keep_next && a->config.keep == AGENT_ON_DEMAND;
		if (keep_next && !a->round.keep)
			log_say(LOG_NOTE, "csflow: keep-trace is never: no trace is kept\n");
		keep_next = false;
		err = round_run(&a->round);
		if (!err)
			notify_status(a->round.name);
		a->spool.number++;
	}
	a->used = cpu_ms() - before;
	plan(a);
	return err;
}

static bool can_record(const struct agent_config *config)
{
	if (config->source == AGENT_REPLAY || units_are_here())
		return true;
	log_say(LOG_UNKNOWN, "csflow: agent: there are no trace units here: no PMU cs_etm\n");
	return false;
}

/* A configuration that cannot be used changes nothing. */
static void read_again(struct agent *a)
{
	struct count_spool spool = a->spool;
	struct agent_config config;
	bool usable;

	reload = false;
	notify_reloading();
	usable = agent_config_read(&config, a->path) && can_record(&config);
	if (usable && strcmp(config.folder, a->config.folder))
		usable = count_spool_open(&spool, config.folder, config.size);
	if (usable) {
		if (spool.fd != a->spool.fd)
			count_spool_close(&a->spool);
		a->spool = spool;
		a->spool.folder = config.folder;
		a->spool.most = config.size;
		agent_config_free(&a->config);
		a->config = config;
		plan(a);
		log_say(LOG_NOTE, "csflow: %s: read again\n", a->path);
	} else {
		log_say(LOG_NOTE, "csflow: %s: the configuration from before stays\n", a->path);
		agent_config_free(&config);
	}
	notify_ready("reloaded");
}

static int run_rounds(struct agent *a)
{
	notify_ready("recording");
	while (!terminated) {
		wait_until(a->next);
		if (reload)
			read_again(a);
		else if (!terminated)
			run_round(a);
	}
	say_left_out(a, "ends");
	notify_stopping();
	return CMD_OK;
}

int agent_run(const char *path, bool once)
{
	struct agent a = { .path = path };
	int status = CMD_FAILED;

	take_signals();
	if (agent_config_read(&a.config, path) && can_record(&a.config) &&
	    count_spool_open(&a.spool, a.config.folder, a.config.size)) {
		status = once ? (run_round(&a) ? CMD_FAILED : CMD_OK) : run_rounds(&a);
		count_spool_close(&a.spool);
	}
	agent_config_free(&a.config);
	return status;
}
