/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording, decoded: joins perf.data, metadata, maps and decoders.
 *
 *	struct perf_replay *replay;
 *	struct perf_run run;
 *
 *	err = perf_replay_new(&replay, "perf.data", &options);
 *	while ((err = perf_replay_next(replay, &run)) > 0)
 *		... run.run: the blocks, run.stream: the trace stream, run.who: the thread
 */
#ifndef PERF_SESSION_H
#define PERF_SESSION_H

#include "perf-tasks.h"
#include "perf-queues.h"
#include "perf-switch.h"

/**
 * struct perf_replay_options - what to decode
 * @dso: where to look for files
 * @cpus: decode only trace of these CPUs, @n_cpus ranges; 0: of all
 * @marks: for csf_config.marks; @without: for csf_config.without
 * @from: leave out fragments that were complete before this time, perf's clock, ns; 0: none
 * @until: leave out what begins after this time; 0: nothing
 * @first: leave out trace before this offset in the file, and @end: from this offset on; 0:
 *         nothing.  The rest is decoded as if it were everything
 * @timeless: ignore timestamps
 * @trust: timestamps are of perf's clock even if the metadata does not say so
 * @paths: for csf_ask_paths(), but see struct perf_queues_options
 * @n_threads: number of threads to decode with; 0 and 1: only the caller's
 */
struct perf_replay_options {
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
 * struct perf_replay - an open recording
 * @file: the file; @file->problems has its problems
 * @aux: the fragments; @cs: the metadata; NULL: there is none, see @why
 * @tasks: threads and maps
 * @switches: the threads that ran on each CPU
 * @queues: streams, and their progress
 * @timed: runs are ordered, and maps chosen, by timestamps in the trace
 * @why: -errno for the metadata
 * @threads: threads that decode; NULL: only the caller's
 * @name: for messages, set by the caller; borrowed; NULL: none
 * @lender: lets all decoders share what is known of addresses: @threads, or a csf_threads without a
 *          thread
 */
struct perf_replay {
	struct perf_file *file;
	struct perf_aux *aux;
	struct perf_cs *cs;
	struct csf_image *image;
	struct perf_tasks *tasks;
	struct perf_switches switches;
	struct perf_queues *queues;
	bool timed;
	int why;
	struct csf_threads *threads;
	struct csf_threads *lender;
	const char *name;
	/* private */
	int guest;
	struct perf_replay_options options;
};

/**
 * perf_replay_new() - open a recording
 *
 * A file that is damaged, or not a perf.data, opens, too, with problems and perhaps no trace.
 *
 * Return: 0; -errno if it cannot be read; -ENOMEM.
 */
int perf_replay_new(struct perf_replay **replay, const char *path,
		    const struct perf_replay_options *options);
void perf_replay_free(struct perf_replay *replay);

/**
 * perf_replay_again() - begin anew, with other decoders
 * @only: only these CPUs, borrowed; NULL: those of the options
 *
 * perf_queues_start() may choose another place.  What is known of files, maps and blocks stays.
 * After an error only perf_replay_free() may be called.
 *
 * Return: 0, -ENOMEM.
 */
int perf_replay_again(struct perf_replay *replay, const struct perf_cpus *only);

/* Return: 1 and a run; 0: there is no more; -ENOMEM. */
int perf_replay_next(struct perf_replay *replay, struct perf_run *run);

/*
 * Finds the thread that @stream is decoding at @time, perf's clock, 0: not known.  Only fragment,
 * CPU, thread and guest of @stream matter, so it may be one of the caller's own.  Return: 0,
 * -ENOMEM.
 */
int perf_replay_who(struct perf_replay *replay, const struct perf_stream *stream, uint64_t time,
		    struct perf_who *who);

/*
 * Finds what is mapped at @addr for that thread at @time, or will be next: a map may be younger
 * than the last timestamp.  @stream: as for perf_replay_who().  Return: 1; 0: nothing; -ENOMEM.
 */
int perf_replay_find(struct perf_replay *replay, const struct perf_stream *stream,
		     const struct perf_who *who, uint64_t time, uint64_t addr,
		     struct code_place *place);

/* Converts a timestamp of the trace to perf's clock; 0: that is not possible. */
uint64_t perf_replay_time(const struct perf_replay *replay, uint64_t timestamp);

#endif /* PERF_SESSION_H */
