/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in a recording to begin, by its index or by a search. */
#ifndef CSF_SEEK_H
#define CSF_SEEK_H

#include "../input/recording.h"

/**
 * struct seek_needs - what depends on what ran before; zero: nothing
 * @all: words for what depends on all of it: decode begins with a buffer; NULL: nothing does
 * @stacks: call stacks do: it begins somewhat earlier, and what they lack is said
 * @from_start: decode begins at the beginning
 */
struct seek_needs {
	const char *all;
	bool stacks, from_start;
};

/**
 * seek_time() - have the session of a recording begin not long before a time
 * @r: its index is its path and ".tix"; one that is of no use is said to be that
 * @from: perf's clock, ns
 *
 * Before the first run is asked for.  What was executed from @from on comes as it would come if
 * all was decoded, but for call stacks.  If that takes a decode of much that was before, it is said
 * why.
 *
 * Return: 0, -ENOMEM.
 */
int seek_time(const struct recording *r, uint64_t from, const struct seek_needs *needs);

#endif /* CSF_SEEK_H */
