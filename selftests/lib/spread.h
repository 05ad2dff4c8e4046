/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run without paths: each becomes the steps that it stands for.
 *
 *	struct spread spread = { 0 };
 *
 *	while (csf_next(dec, &run) > 0) {
 *		spread_run(&spread, image, &run);
 *		...
 *	}
 *	free(spread.step);
 */
#ifndef SELFTESTS_SPREAD_H
#define SELFTESTS_SPREAD_H

#include <stdlib.h>
#include <string.h>

#include "../../decoder/csflow.h"

/* @paths: the number of paths that there were. */
struct spread {
	uint32_t *step;
	size_t n, size;
	uint64_t paths;
};

static inline void spread_add(struct spread *s, const uint32_t *step, size_t n)
{
	if (s->n + n > s->size) {
		s->size = 2 * (s->n + n);
		s->step = realloc(s->step, s->size * sizeof(*s->step));
		if (!s->step)
			abort();
	}
	memcpy(s->step + s->n, step, n * sizeof(*step));
	s->n += n;
}

/* Aborts if the number of steps is not that of the run. */
static inline void spread_run(struct spread *s, const struct csf_image *image,
			      struct csf_run *run)
{
	s->n = 0;
	for (size_t i = 0; i < run->n; i++) {
		const uint32_t *step = &run->step[i];
		size_t n = 1;

		if (*step & CSF_PATH) {
			n = csf_path(image, *step, &step);
			s->paths++;
			if (!n)
				abort();
		}
		spread_add(s, step, n);
	}
	if (s->n != run->n_ran)
		abort();
	run->step = s->step;
	run->n = s->n;
}

#endif /* SELFTESTS_SPREAD_H */
