// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "../../perf-plugin/array.h"
#include "timeline-size.h"

/* A guess needs this much trace, or this part of all. */
#define ENOUGH		(4u << 20)
#define ENOUGH_PART	16

int timeline_size_run(struct timeline_size *s, const struct perf_run *run)
{
	const size_t number = run->stream->number;
	uint64_t *at;

	if (number >= s->n) {
		if (!array_zeros(&s->at, s->n, 2 * number + 8, sizeof(*s->at)))
			return -ENOMEM;
		s->n = 2 * number + 8;
	}
	at = &s->at[number];
	if (run->run.offset > *at) {
		s->decoded += run->run.offset - *at;
		*at = run->run.offset;
	}
	return 0;
}

uint64_t timeline_size_guess(const struct timeline_size *s, uint64_t total, uint64_t written)
{
	if (s->decoded < ENOUGH && s->decoded < total / ENOUGH_PART)
		return 0;
	if (!s->decoded || s->decoded >= total)
		return written;
	return (double)written * total / s->decoded;
}

void timeline_size_fini(struct timeline_size *s)
{
	free(s->at);
	*s = (struct timeline_size){ 0 };
}
