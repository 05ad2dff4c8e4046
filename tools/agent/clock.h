/* SPDX-License-Identifier: GPL-2.0-only */
/* Time that no one sets. */
#ifndef CSF_CLOCK_H
#define CSF_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

#endif /* CSF_CLOCK_H */
