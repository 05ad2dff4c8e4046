/* SPDX-License-Identifier: GPL-2.0-only */
/* Shares of counts, which take 64 bits, without rounding in between. */
#ifndef CSF_RATIO_H
#define CSF_RATIO_H

#include <stdint.h>

/* @n * @times / @by, rounded down; 0 where @by is. */
static inline uint64_t ratio_of(uint64_t n, uint64_t times, uint64_t by)
{
	__uint128_t r = by ? (__uint128_t)n * times / by : 0;

	return r > UINT64_MAX ? UINT64_MAX : r;
}

/* The same to the nearest. */
static inline uint64_t ratio_near(uint64_t n, uint64_t times, uint64_t by)
{
	__uint128_t r = by ? ((__uint128_t)n * times + by / 2) / by : 0;

	return r > UINT64_MAX ? UINT64_MAX : r;
}

/* Of @all, in hundredths of a per cent. */
static inline uint64_t ratio_share(uint64_t n, uint64_t all)
{
	return ratio_near(n, 10000, all);
}

#endif /* CSF_RATIO_H */
