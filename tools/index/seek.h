/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the place in a recording to begin at, by its index or by a search. */
#ifndef CSF_SEEK_H
#define CSF_SEEK_H

#include "../input/recording.h"

struct index;

/**
 * struct seek_needs - results that depend on earlier trace; zero: none
 * @all: names the results that depend on all of it: decoding begins with a buffer; NULL: none
 * @stacks: call stacks do: decoding begins somewhat earlier, and incomplete stacks are reported
 * @from_start: decoding begins at the beginning
 */
struct seek_needs {
	const char *all;
	bool stacks, from_start;
};

/**
 * seek_time() - make the replay of a recording begin shortly before a time
 * @r: its index is its path and ".tix"; an unusable index is reported
 * @from: perf's clock, ns
 *
 * Call it before the first run is asked for.  Everything that was executed from @from on is the
 * same as if all was decoded, except call stacks.  If much earlier trace must be decoded for that,
 * the reason is reported.
 *
 * Return: 0, -ENOMEM.
 */
int seek_time(const struct recording *r, uint64_t from, const struct seek_needs *needs);

/*
 * The index of the recording at @path, the caller's; NULL: there is none.  One that is damaged, or
 * not of this recording, is reported and not used.  Return: likewise.
 */
int seek_index(struct index **index, const struct perf_replay *replay, const char *path);

#endif /* CSF_SEEK_H */
