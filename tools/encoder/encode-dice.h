/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers that are the same in every run. */
#ifndef CSF_ENCODE_DICE_H
#define CSF_ENCODE_DICE_H

#include <stdbool.h>
#include <stdint.h>

struct dice {
	uint64_t state;
};

static inline void dice_seed(struct dice *d, uint64_t seed)
{
	/* Neighbouring seeds give different numbers, and none gives 0, which would stay 0. */
	d->state = (seed + 1) * 0x9e3779b97f4a7c15 | 1;
}

static inline uint64_t dice_any(struct dice *d)
{
	d->state ^= d->state >> 12;
	d->state ^= d->state << 25;
	d->state ^= d->state >> 27;
	return d->state * 0x2545f4914f6cdd1d;
}

/* 0..@n - 1 */
static inline uint32_t dice_below(struct dice *d, uint32_t n)
{
	return (dice_any(d) >> 32) * n >> 32;
}

static inline bool dice_once_in(struct dice *d, uint32_t n)
{
	return !dice_below(d, n);
}

#endif /* CSF_ENCODE_DICE_H */
