// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"

#define SECOND 1000000000ull

bool progress_asked;

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

void progress_start(struct progress *p, const char *what, uint64_t total, bool wanted)
{
	memset(p, 0, sizeof(*p));
	p->what = what;
	p->total = total;
	p->lines = !isatty(STDERR_FILENO);
	p->on = wanted && (progress_asked || !p->lines);
	if (p->on)
		p->started = now();
}

int progress_line(const struct progress *p, uint64_t done, uint64_t ns, char *buf, size_t n)
{
	double seconds = ns / (double)SECOND;
	double rate = seconds > 0 ? done / seconds : 0;
	uint64_t left;
	int len;

	len = snprintf(buf, n, "%s: %.1f MB, %.1f MB/s", p->what, done / 1e6, rate / 1e6);
	if (!p->total || done > p->total || rate <= 0 || len < 0 || (size_t)len >= n)
		return len;
	left = (p->total - done) / rate;
	return len + snprintf(buf + len, n - len, ", %u %%, %" PRIu64 ":%02u left",
			      (unsigned int)(100.0 * done / p->total), left / 60,
			      (unsigned int)(left % 60));
}

static void show(struct progress *p, uint64_t t)
{
	char line[160];

	p->shown = t;
	progress_line(p, p->done, t - p->started, line, sizeof(line));
	fprintf(stderr, p->lines ? "%s\n" : "\r%s\033[K", line);
}

void progress_at(struct progress *p, uint64_t done)
{
	uint64_t t;

	if (!p->on)
		return;
	p->done = done;
	t = now();
	if (t - p->started >= SECOND &&
	    (!p->shown || t - p->shown >= (p->lines ? SECOND : SECOND / 5)))
		show(p, t);
}

void progress_stop(struct progress *p)
{
	if (p->on && p->lines)
		show(p, now());
	else if (p->shown)
		fprintf(stderr, "\r\033[K");
	p->on = false;
	p->shown = 0;
}
