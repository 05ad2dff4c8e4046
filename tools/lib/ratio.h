/* SPDX-License-Identifier: GPL-2.0-only */
/* Shares of 64-bit counts, without intermediate rounding. */
#ifndef CSF_RATIO_H
#define CSF_RATIO_H

#include <stdint.h>

/* @n * @times / @by, rounded down; 0 if @by is 0. */
static inline uint64_t ratio_of(uint64_t n, uint64_t times, uint64_t by)
{
	__uint128_t r = by ? (__uint128_t)n * times / by : 0;

	return r > UINT64_MAX ? UINT64_MAX : r;
}

/* The same, rounded to nearest. */
static inline uint64_t ratio_near(uint64_t n, uint64_t times, uint64_t by)
{
	__uint128_t r = by ? ((__uint128_t)n * times + by / 2) / by : 0;

	return r > UINT64_MAX ? UINT64_MAX : r;
}

/* The share of @n in @all, in hundredths of a per cent. */
static inline uint64_t ratio_share(uint64_t n, uint64_t all)
{
	return ratio_near(n, 10000, all);
}

#endif /* CSF_RATIO_H */
