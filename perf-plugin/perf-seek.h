/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds where in a recording decode must begin to show what was executed from some time on, without
 * reading everything before that.
 */
#ifndef PERF_SEEK_H
#define PERF_SEEK_H

#include "perf-replay.h"

/*
 * Decode begins this many pieces of PERF_START_ALIGN before the one that is needed: the first has
 * an A-sync, and in the others contexts, timestamps and the ends of runs become the same as in a
 * decode from the beginning.
 */
#define PERF_SEEK_BEFORE	3

/*
 * Can execution at EL0 be a guest's because of what ran long before?  Then decode must begin at the
 * beginning, unless it is known that there was no EL1.
 */
bool perf_seek_guests(const struct perf_replay *replay);

/* Was there EL1 in the fragment before @start?  Reads all of that.  Return: 1, 0, -ENOMEM. */
int perf_seek_el1(const struct perf_replay *replay, const struct perf_start *start);

/*
 * Can it help to begin in the middle of a fragment?  Not if, after fragment @from, the thread comes
 * to another CPU than the one it was on just before: each CPU has its own clock.
 */
bool perf_seek_may(const struct perf_replay *replay, size_t queue, size_t from);

/* The first fragment of @queue that was complete at @from or later; or the one after the last. */
size_t perf_seek_fragment(const struct perf_replay *replay, size_t queue, uint64_t from);

/**
 * perf_seek_id() - find the current trace ID at a place
 * @start: the place; its @id is set
 * @known: offset in the fragment up to which it is known to be @id: the search ends there
 */
void perf_seek_id(const struct perf_replay *replay, struct perf_start *start, uint64_t known,
		  uint8_t id);

/**
 * perf_seek() - find where @queue may begin, by timestamps
 * @from: perf's clock, ns
 * @start: the result; if there is none, how far what is wanted may be away
 *
 * Does not consider guests.  Timestamps that go backwards, which only damage causes, may mislead
 * it.
 *
 * Return: 1 and a result; 0; -ENOMEM.
 */
int perf_seek(const struct perf_replay *replay, size_t queue, uint64_t from,
	      struct perf_start *start);

/**
 * perf_seek_ends() - find when a recording began and ended
 * @first: set to the first timestamp, or to the time when the first fragment was complete
 * @last: set to the time when the last fragment was complete
 *
 * Return: 0; -ENODATA: not known; -ENOMEM.
 */
int perf_seek_ends(const struct perf_replay *replay, uint64_t *first, uint64_t *last);

#endif /* PERF_SEEK_H */
