// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/perf-seek.h"
#include "../lib/log.h"
#include "../lib/status.h"
#include "../input/recording.h"
#include "seek.h"
#include "time-span.h"

#define SECOND		1000000000u
#define PERCENT		10000000u	/* of 10^9 */

/* ---------------------------------------------------------------- words */

/* "12.345678901", in units of 10^-9. */
static bool number(const char **p, uint64_t *v)
{
	uint64_t n = 0, unit = SECOND;

	if (**p < '0' || **p > '9')
		return false;
	for (; **p >= '0' && **p <= '9'; ++*p) {
		n = n * 10 + **p - '0';
		if (n > UINT64_MAX / SECOND / 10)
			return false;
	}
	n *= SECOND;
	if (**p == '.')
		for (++*p; **p >= '0' && **p <= '9'; ++*p) {
			unit /= 10;
			n += unit * (**p - '0');
		}
	*v = n;
	return true;
}

static bool word(const char **p, const char *w)
{
	size_t n = strlen(w);

	if (strncmp(*p, w, n))
		return false;
	*p += n;
	return true;
}

/* "START,STOP", either of which may be left out. */
static bool clock_span(const char **p, struct time_span *span)
{
	*span = (struct time_span){ .until = UINT64_MAX };
	if (**p != ',' && !number(p, &span->from))
		return false;
	if (!word(p, ","))
		return false;
	if (**p && **p != ' ' && !number(p, &span->until))
		return false;
	return span->from <= span->until;
}

/* "10%/2" or "0%-10%": parts of 10^9. */
static bool percent_span(const char **p, struct time_span *span)
{
	uint64_t a, b;

	if (!number(p, &a) || !word(p, "%") || a > 100ull * SECOND)
		return false;
	a /= SECOND / PERCENT;
	if (word(p, "/")) {
		if (!number(p, &b) || b % SECOND || !b)
			return false;
		b /= SECOND;
		*span = (struct time_span){ (b - 1) * a, b * a };
		return a && b <= SECOND / a + !!(SECOND % a);
	}
	if (!word(p, "-") || !number(p, &b) || !word(p, "%") || b > 100ull * SECOND)
		return false;
	*span = (struct time_span){ a, b / (SECOND / PERCENT) };
	return span->from <= span->until;
}

static void find_ends(struct time_spans *s)
{
	s->from = s->n ? UINT64_MAX : 0;
	s->until = s->n ? 0 : UINT64_MAX;
	for (size_t i = 0; i < s->n; i++) {
		if (s->span[i].from < s->from)
			s->from = s->span[i].from;
		if (s->span[i].until > s->until)
			s->until = s->span[i].until;
	}
}

bool time_spans_parse(struct time_spans *s, const char *p)
{
	*s = (struct time_spans){ .percent = p && strchr(p, '%') };
	while (p && *p) {
		if (s->n == TIME_SPANS_MAX)
			return false;
		if (s->percent ? !percent_span(&p, &s->span[s->n]) :
				 !clock_span(&p, &s->span[s->n]))
			return false;
		s->n++;
		if (*p && !word(&p, s->percent ? "," : " "))
			return false;
		if (!*p && (p[-1] == ' ' || (s->percent && p[-1] == ',')))
			return false;
	}
	find_ends(s);
	return !p || s->n;
}

static bool offset(const char **p, uint64_t *v)
{
	char *end;

	*v = 0;
	if (**p < '0' || **p > '9')
		return true;
	errno = 0;
	*v = strtoull(*p, &end, 0);
	*p = end;
	return !errno;
}

bool time_range_parse(const char *p, uint64_t *first, uint64_t *end)
{
	if (!offset(&p, first) || !word(&p, ",") || !offset(&p, end))
		return false;
	return !*p && (!*end || *first < *end);
}

/* ---------------------------------------------------------------- the recording */

/* @part of 10^9 of @all */
static uint64_t part_of(uint64_t all, uint64_t part)
{
	return all / SECOND * part + all % SECOND * part / SECOND;
}

/*
 * Adjacent parts have no moment in common.  Code before the first timestamp and after the last one
 * has estimated times: it is in the first part and in the last one, whatever the estimates are.
 */
static int settle(struct time_spans *s, const struct recording *r)
{
	uint64_t first, last;
	int err = perf_seek_ends(r->replay, &first, &last);

	if (err)
		return err;
	for (size_t i = 0; i < s->n; i++) {
		struct time_span *span = &s->span[i];
		const uint64_t from = first + part_of(last - first, span->from);
		const uint64_t until = first + part_of(last - first, span->until);

		if (span->from)
			span->from = from;
		if (span->until >= SECOND)
			span->until = UINT64_MAX;
		else
			span->until = until - (until > from);
	}
	s->percent = false;
	find_ends(s);
	return 0;
}

static int tell(const struct recording *r, int err)
{
	if (err)
		log_say(LOG_FILE, "csflow: %s: %s\n", r->path, err == -ENODATA ?
			"it does not say when it began and ended" : strerror(-err));
	return err ? CMD_FAILED : CMD_OK;
}

int time_spans_settle(struct time_spans *s, const struct recording *r)
{
	return tell(r, s->percent ? settle(s, r) : 0);
}

int time_spans_open(struct time_spans *s, const struct recording *r,
		    const struct seek_needs *needs)
{
	if (time_spans_settle(s, r))
		return CMD_FAILED;
	if (!s->n)
		return CMD_OK;
	perf_queues_span(r->replay->queues, needs->from_start ? 0 : s->from,
			 s->until == UINT64_MAX ? 0 : s->until);
	return tell(r, needs->from_start ? 0 : seek_time(r, s->from, needs));
}
