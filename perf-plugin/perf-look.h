/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A look at trace that is not decoded yet: whose it is, and when it begins.
 */
#ifndef PERF_LOOK_H
#define PERF_LOOK_H

#include "perf-cs.h"

/* Sets @seen[id] for each trace ID, below CSF_ID_MAX, in @n bytes of frames. */
void perf_look_ids(const uint8_t *bytes, uint64_t n, bool *seen);

/**
 * perf_look() - the first timestamp of a fragment
 * @nothing: an image without code
 * @bytes: of @fragment
 * @timestamp: the least of those that come first in each trace ID; 0: none is near the beginning
 *
 * Return: 0, -ENOMEM.
 */
int perf_look(const struct perf_cs *cs, struct csf_image *nothing,
	      const struct perf_fragment *fragment, const uint8_t *bytes, uint64_t *timestamp);

#endif /* PERF_LOOK_H */
