/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spans of time, as in --time:
 *
 *	12.5,12.6		seconds of perf's clock; either may be left out
 *	12.5,12.6 13.1,13.2	several
 *	10%/2			the second 10 % of the recording
 *	10%/1,10%/10		the first and the last 10 %
 *	0%-10%,95%-100%		from and to
 */
#ifndef CSF_TIME_SPAN_H
#define CSF_TIME_SPAN_H

#include <stdbool.h>
#include <stdint.h>

#define TIME_SPANS_MAX	32

struct recording;
struct seek_needs;

/* Both included; ns. */
struct time_span {
	uint64_t from, until;
};

/**
 * struct time_spans - zero is all of time
 * @span: @n of them; 0: everything
 * @from, @until: the first and the last moment of all; UINT64_MAX: no end
 * @percent: they are parts of a recording, in units of 10^-9 of it, until time_spans_open()
 */
struct time_spans {
	struct time_span span[TIME_SPANS_MAX];
	size_t n;
	uint64_t from, until;
	bool percent;
};

/* NULL: everything.  Return: @text is valid. */
bool time_spans_parse(struct time_spans *spans, const char *text);

/* "FIRST,END", offsets, either of which may be left out: 0.  Return: @text is that. */
bool time_range_parse(const char *text, uint64_t *first, uint64_t *end);

/*
 * Limits an open recording to these spans, and makes it begin near the first moment: see
 * seek_time().
 *
 * Return: CMD_OK; or reports an error, such as unknown limits of the recording, and CMD_FAILED.
 */
int time_spans_open(struct time_spans *spans, const struct recording *r,
		    const struct seek_needs *needs);

/*
 * Turns parts of an open recording into times.  time_spans_open() does so, too.
 *
 * Return: likewise.
 */
int time_spans_settle(struct time_spans *spans, const struct recording *r);

/* Is @time in one of them? */
static inline bool time_spans_have(const struct time_spans *spans, uint64_t time)
{
	if (spans->n <= 1)
		return time >= spans->from && time <= spans->until;
	for (size_t i = 0; i < spans->n; i++)
		if (time >= spans->span[i].from && time <= spans->span[i].until)
			return true;
	return false;
}

#endif /* CSF_TIME_SPAN_H */
