// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "etm4-past.h"

#define PAST	65536	/* how many are remembered; a power of two */

/**
 * struct past - the last PAST executed branches
 * @p0: by number, modulo PAST
 * @n: number of the youngest, from 1
 * @last: by hash of their origin, the number of the youngest; 0: none
 */
struct past {
	struct past_p0 p0[PAST];
	uint32_t last[PAST];
	uint32_t n;
};

struct past *past_new(void)
{
	return calloc(1, sizeof(struct past));
}

void past_free(struct past *past)
{
	free(past);
}

static uint32_t slot(uint64_t from, uint8_t isa)
{
	return (from + isa) * 0x9e3779b97f4a7c15 >> 48;
}

static const struct past_p0 *numbered(const struct past *past, uint32_t number)
{
	return number && past->n - number < PAST ? &past->p0[number % PAST] : NULL;
}

static bool is_from(const struct past_p0 *p0, uint64_t from, uint8_t isa)
{
	return p0 && p0->from == from && p0->from_isa == isa;
}

const struct past_p0 *past_from(const struct past *past, uint64_t from, uint8_t isa)
{
	const struct past_p0 *p0 = numbered(past, past->last[slot(from, isa)]);

	return is_from(p0, from, isa) ? p0 : NULL;
}

const struct past_p0 *past_next(const struct past *past, const struct past_p0 *p0)
{
	const struct past_p0 *next = &past->p0[(p0 - past->p0 + 1) % PAST];

	if (p0 == &past->p0[past->n % PAST])
		return NULL;
	return is_from(next, p0->to, p0->to_isa) ? next : NULL;
}

const struct past_p0 *past_before(const struct past *past, const struct past_p0 *p0)
{
	const struct past_p0 *before = numbered(past, p0->before);

	return is_from(before, p0->from, p0->from_isa) ? before : NULL;
}

void past_add(struct past *past, const struct past_p0 *p0)
{
	uint32_t *last = &past->last[slot(p0->from, p0->from_isa)];
	struct past_p0 *own;

	past->n++;
	own = &past->p0[past->n % PAST];
	*own = *p0;
	own->before = *last;
	*last = past->n;
}
