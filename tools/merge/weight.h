/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much an input weighs.  All of it is whole numbers, and each input is weighed for itself: so
 * sums do not depend on the order of inputs, on threads, or on the machine.
 */
#ifndef CSF_WEIGHT_H
#define CSF_WEIGHT_H

#include "../count/count.h"

/* The blocks that each input has executed after it was made equal to the others. */
#define WEIGHT_EQUAL	(1ull << 40)

/* The weight of an input without age; it has half of that after a half-life. */
#define WEIGHT_AGE	1024

#define WEIGHT_DAY	86400

/**
 * struct weight - a factor, @times * @num / @den
 * @times: the part that counts recordings, too
 */
struct weight {
	uint64_t times, num, den;
};

/* A count, so many times; halves are rounded up, and sums saturate. */
static inline uint64_t weight_of(const struct weight *w, uint64_t count)
{
	__uint128_t v;

	if (w->num == w->den)
		return count_times(count, w->times);
	v = ((__uint128_t)count * w->num + w->den / 2) / w->den;
	return v > UINT64_MAX ? UINT64_MAX : count_times(v, w->times);
}

/**
 * weight_of_age() - the weight of an input that is @age seconds old
 * @age: less than 0 is 0
 * @half: seconds; not 0
 *
 * Return: WEIGHT_AGE * 2^(-@age / @half), rounded; 0 from eleven half-lives on.
 */
uint64_t weight_of_age(int64_t age, uint64_t half);

/* "2026-11-28", or seconds since 1970.  Return: it is a date. */
bool weight_date(const char *text, int64_t *date);

#endif /* CSF_WEIGHT_H */
