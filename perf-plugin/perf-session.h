/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording, decoded: perf.data, metadata, maps and decoders joined.
 *
 *	struct perf_session *session;
 *	struct perf_run run;
 *
 *	err = perf_session_new(&session, "perf.data", &options);
 *	while ((err = perf_session_next(session, &run)) > 0)
 *		... run.run is what ran, run.stream where, run.who who
 */
#ifndef PERF_SESSION_H
#define PERF_SESSION_H

#include "perf-map.h"
#include "perf-queues.h"
#include "perf-switch.h"

/**
 * struct perf_session_options - what to decode
 * @dso: where files are
 * @cpus: only trace of these, @n_cpus ranges; 0: of all
 * @marks: for csf_config.marks; @without: for csf_config.without
 * @from: leave out what was complete before this time, perf's clock, ns; 0: nothing
 * @until: and what begins behind this one; 0: nothing
 * @first: leave out trace before this place in the file, and @end: from this one on; 0: nothing.
 *         What is left is decoded as if it were all
 * @timeless: do not look at timestamps
 * @trust: timestamps are of perf's clock even if the metadata does not say so
 * @paths: for csf_ask_paths(), but see struct perf_queues_options
 * @n_threads: decode with so many; 0 and 1: only the caller's
 */
struct perf_session_options {
	struct dso_options dso;
	const struct perf_cpus *cpus;
	size_t n_cpus;
	uint32_t marks;
	uint32_t without;
	uint64_t from, until;
	uint64_t first, end;
	bool timeless;
	bool trust;
	bool paths;
	uint32_t n_threads;
};

/**
 * struct perf_session - all of it
 * @file: @file->problems has what is wrong
 * @aux: the fragments; @cs: the metadata; NULL: there is none, @why says why
 * @map: threads and maps
 * @switches: who ran on each CPU
 * @queues: streams, and how far they are
 * @timed: runs are ordered, and maps chosen, by timestamps in the trace
 * @why: -errno of the metadata
 * @threads: that decode; NULL: only the caller
 * @lender: of all decoders, which so share what is known of addresses: @threads, or threads without
 *          a thread
 */
struct perf_session {
	struct perf_file *file;
	struct perf_aux *aux;
	struct perf_cs *cs;
	struct csf_image *image;
	struct perf_map *map;
	struct perf_switches switches;
	struct perf_queues *queues;
	bool timed;
	int why;
	struct csf_threads *threads;
	struct csf_threads *lender;
	/* private */
	int guest;
	struct perf_session_options options;
};

/**
 * perf_session_new() - open a recording
 *
 * A file that is damaged, or no perf.data at all, opens too, with problems and perhaps no trace.
 *
 * Return: 0; -errno if it cannot be read; -ENOMEM.
 */
int perf_session_new(struct perf_session **session, const char *path,
		     const struct perf_session_options *options);
void perf_session_free(struct perf_session *session);

/* Return: 1 and a run; 0: there is no more; -ENOMEM. */
int perf_session_next(struct perf_session *session, struct perf_run *run);

/*
 * Who @stream is decoding at @time, perf's clock, 0: that is not known.  Of @stream what counts is
 * its fragment, CPU, thread and guest, so it may be one of the caller's.  Return: 0, -ENOMEM.
 */
int perf_session_who(struct perf_session *session, const struct perf_stream *stream, uint64_t time,
		     struct perf_who *who);

/*
 * What is mapped at @addr for @who at @time, or will be next: a map may be younger than the last
 * timestamp.  @stream: as for perf_session_who().  Return: 1; 0: nothing; -ENOMEM.
 */
int perf_session_find(struct perf_session *session, const struct perf_stream *stream,
		      const struct perf_who *who, uint64_t time, uint64_t addr,
		      struct code_place *place);

/* A timestamp of the trace in perf's clock; 0: it cannot be told. */
uint64_t perf_session_time(const struct perf_session *session, uint64_t timestamp);

#endif /* PERF_SESSION_H */
