/* SPDX-License-Identifier: GPL-2.0-only */
/* Ticks of a source's clock, and seconds. */
#ifndef CSF_MESSAGES_CLOCK_H
#define CSF_MESSAGES_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_NS	1000000000ull

/* @ticks at @hz, in nanoseconds, rounded down; without @hz a tick is a nanosecond. */
static inline uint64_t clock_ns(uint64_t ticks, uint64_t hz)
{
	__uint128_t ns;

	if (!hz)
		return ticks;
	ns = (__uint128_t)(ticks % hz) * CLOCK_NS / hz + (__uint128_t)(ticks / hz) * CLOCK_NS;
	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* "64000000", "64M", "64MHz", "32.768k".  Return: it is a frequency, in whole Hz, and not 0. */
bool clock_read_hz(const char *text, uint64_t *hz);

/**
 * struct clock_span - from @from up to and with @until
 * @seconds: in nanoseconds; else in ticks
 */
struct clock_span {
	uint64_t from, until;
	bool seconds;
};

/* "START,STOP" in ticks, or in seconds, "0.5s,1s"; either may be missing.  Return: it is one. */
bool clock_read_span(const char *text, struct clock_span *span);

#endif /* CSF_MESSAGES_CLOCK_H */
