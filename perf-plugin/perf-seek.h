/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where in a recording decode must begin to show what was executed from a time on, found
 * without reading all that comes before.
 */
#ifndef PERF_SEEK_H
#define PERF_SEEK_H

#include "perf-session.h"

/*
 * Decode begins so many pieces of PERF_START_ALIGN before the one that is asked for: in the first
 * there is an A-sync, in the others contexts, timestamps and the ends of runs come to be those of a
 * decode from the beginning.
 */
#define PERF_SEEK_BEFORE	3

/*
 * May EL0 be a guest's because of what ran long before?  Then decode has to begin at the beginning,
 * unless it is known that there was no EL1.
 */
bool perf_seek_guests(const struct perf_session *session);

/* Was there EL1 in the fragment before @start?  All of that is read.  Return: 1, 0, -ENOMEM. */
int perf_seek_el1(const struct perf_session *session, const struct perf_start *start);

/*
 * May it be of use to begin in the middle of a fragment?  Not if a thread comes to a CPU behind
 * fragment @from on which it was not just before: each CPU has its clock.
 */
bool perf_seek_may(const struct perf_session *session, size_t queue, size_t from);

/* The first fragment of @queue that was complete at @from or later; or the one behind the last. */
size_t perf_seek_fragment(const struct perf_session *session, size_t queue, uint64_t from);

/**
 * perf_seek_id() - the trace ID in force at a place
 * @start: its @id is set
 * @known: place in the fragment up to which it is known to be @id: the search stops there
 */
void perf_seek_id(const struct perf_session *session, struct perf_start *start, uint64_t known,
		  uint8_t id);

/**
 * perf_seek() - where @queue may begin, looked for among timestamps
 * @from: perf's clock, ns
 * @start: the answer; if there is none, how far it may be to what is asked for
 *
 * Guests are not thought of here. Timestamps that go back, which only damage makes, may mislead it.
 *
 * Return: 1 and an answer; 0; -ENOMEM.
 */
int perf_seek(const struct perf_session *session, size_t queue, uint64_t from,
	      struct perf_start *start);

/**
 * perf_seek_ends() - when a recording began and ended
 * @first: the first timestamp, or when the first fragment was complete
 * @last: when the last fragment was complete
 *
 * Return: 0; -ENODATA: nobody knows; -ENOMEM.
 */
int perf_seek_ends(const struct perf_session *session, uint64_t *first, uint64_t *last);

#endif /* PERF_SEEK_H */
