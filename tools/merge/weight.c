// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE	/* timegm() */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "weight.h"

/* 2^(-1/2), 2^(-1/4), 2^(-1/8) and so on, times 2^32: for the bits of a part of a half-life. */
static const uint32_t root[16] = {
	0xb504f334, 0xd744fccb, 0xeac0c6e8, 0xf5257d15,
	0xfa83b2db, 0xfd3e0c0d, 0xfe9e115c, 0xff4ecb59,
	0xffa75652, 0xffd3a752, 0xffe9d2b3, 0xfff4e91c,
	0xfffa747f, 0xfffd3a3b, 0xfffe9d1d, 0xffff4e8e
};

uint64_t weight_of_age(int64_t age, uint64_t half)
{
	const uint64_t old = age > 0 ? age : 0, whole = old / half;
	uint64_t part = ((__uint128_t)(old % half) << 16) / half;
	uint64_t weight = (uint64_t)WEIGHT_AGE << 32;

	if (whole > 11)
		return 0;
	for (int i = 0; i < 16; i++)
		if (part >> (15 - i) & 1)
			weight = (__uint128_t)weight * root[i] >> 32;
	weight >>= whole;
	return (weight + (1ull << 31)) >> 32;
}

bool weight_date(const char *text, int64_t *date)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%d", &tm);
	char *stop;

	if (end && !*end) {
		*date = timegm(&tm);
		return true;
	}
	if (*text < '0' || *text > '9')
		return false;
	*date = strtoll(text, &stop, 10);
	return !*stop && *date < INT64_MAX / 2;
}
