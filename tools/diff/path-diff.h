/* SPDX-License-Identifier: GPL-2.0-only */
/* Two recordings of one program: where do they part? */
#ifndef CSF_PATH_DIFF_H
#define CSF_PATH_DIFF_H

#include <stdio.h>

#include "path.h"

/**
 * struct path_diff - two recordings, compared
 * @name: their names
 * @replay, @paths: their recordings, borrowed, and paths
 * @context: stretches shown before and after
 * @differ: places where they part
 * @unsure: threads that could not be compared completely
 * @builds: places where they part because files of one name have different build-ids
 */
struct path_diff {
	const char *name[2];
	struct perf_replay *replay[2];
	struct paths paths[2];
	uint32_t context;
	FILE *out;
	uint64_t differ, unsure, builds;
};

/*
 * Do two threads part, as far as their hashes tell?  Not before *@first, and less than PATH_STEP
 * stretches after it.  Return: they may; false: they are equal.
 */
bool path_diff_first(const struct path *a, const struct path *b, uint64_t *first);

/* Prints where two threads with windows part; one may be NULL: there is none. */
void path_diff_print(struct path_diff *d, const struct path *a, const struct path *b);

#endif /* CSF_PATH_DIFF_H */
