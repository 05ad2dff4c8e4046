// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "clock.h"

/*
 * Reads a decimal number, times @unit, a power of ten, and moves *@at after it.  Digits below one
 * are dropped.
 */
static bool decimal(const char **at, uint64_t unit, uint64_t *value)
{
	const char *s = *at;
	uint64_t v = 0;

	if (*s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *s - '0', &v))
			return false;
	if (__builtin_mul_overflow(v, unit, &v))
		return false;
	if (*s == '.') {
		for (s++; *s >= '0' && *s <= '9'; s++) {
			unit /= 10;
			if (__builtin_add_overflow(v, (*s - '0') * unit, &v))
				return false;
		}
	}
	*at = s;
	*value = v;
	return true;
}

bool clock_read_hz(const char *text, uint64_t *hz)
{
	const char *unit = text + strspn(text, "0123456789.");
	uint64_t times = 1;

	switch (*unit) {
	case 'k':
	case 'K':
		times = 1000;
		break;
	case 'M':
		times = 1000000;
		break;
	case 'G':
		times = 1000000000;
		break;
	default:
		break;
	}
	if (!decimal(&text, times, hz) || text != unit || !*hz)
		return false;
	unit += times > 1;
	return !*unit || !strcmp(unit, "Hz") || !strcmp(unit, "hz");
}

static bool is_seconds(const char *text)
{
	return strchr(text, 's') || strchr(text, '.');
}

static bool point(const char **at, bool seconds, uint64_t *value)
{
	if (**at == ',' || !**at)
		return true;
	if (!decimal(at, seconds ? CLOCK_NS : 1, value))
		return false;
	if (seconds && **at == 's')
		++*at;
	return true;
}

bool clock_read_span(const char *text, struct clock_span *span)
{
	*span = (struct clock_span){ .until = UINT64_MAX, .seconds = is_seconds(text) };
	if (!point(&text, span->seconds, &span->from) || *text++ != ',')
		return false;
	return point(&text, span->seconds, &span->until) && !*text && span->from <= span->until;
}
