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
 *
 * Fragments are decoded one after the other and nothing of them is kept, so
 * memory does not grow with the recording.
 *
 * The order is that of time: with virtual timestamps in the trace, of those;
 * else of the AUX records, that is, of when a buffer was emptied.  Whatever the
 * order, each stream is in the order of its trace.
 */
#ifndef PERF_SESSION_H
#define PERF_SESSION_H

#include "perf-cs.h"
#include "perf-map.h"

/* From @first to @last, both included. */
struct perf_cpus {
	uint32_t first, last;
};

/**
 * struct perf_session_options - what to decode
 * @dso: where files are
 * @cpus: only trace of these, @n_cpus ranges; 0: of all
 * @marks: for csf_config.marks
 * @timeless: do not look at timestamps
 */
struct perf_session_options {
	struct dso_options dso;
	const struct perf_cpus *cpus;
	size_t n_cpus;
	uint32_t marks;
	bool timeless;
};

/**
 * struct perf_stream - the trace of one CPU in one queue
 * @dec: its decoder
 * @unit: its metadata
 * @number: from 0, in the order in which they were found
 * @queue: of perf_aux
 * @cpu: number; @id: trace ID, 0 if the trace is raw
 * @tid: thread that it speaks of; PERF_NO_TID: unknown
 * @time: perf's clock, ns: up to here it is decoded; 0: not known
 */
struct perf_stream {
	struct csf_decoder *dec;
	const struct perf_cs_cpu *unit;
	uint32_t number;
	uint32_t queue;
	uint32_t cpu;
	uint8_t id;
	uint32_t tid;
	uint64_t time;
	/* private */
	struct perf_who who;
	bool dirty;		/* space, time or limit are to be set */
	bool starts;		/* the next run is the first of a fragment */
};

/**
 * struct perf_run - a run and where it belongs
 * @run: blocks and what ended them; good until the next call
 * @stream: whose
 * @fragment: it comes from
 * @who: thread and address space of the steps
 * @time: of maps in force: perf's clock, ns
 * @starts: it is the first one of a fragment: what came before is not joined to it
 */
struct perf_run {
	struct csf_run run;
	struct perf_stream *stream;
	const struct perf_fragment *fragment;
	struct perf_who who;
	uint64_t time;
	bool starts;
};

/**
 * struct perf_session - all of it
 * @file: @file->problems has what is wrong
 * @aux: the fragments; @cs: the metadata; NULL: there is none, @why says why
 * @map: threads and maps
 * @stream: @n_stream so far
 * @timed: runs are ordered, and maps chosen, by timestamps in the trace
 * @why: -errno of the metadata
 * @done: bytes of fragments that are decoded; @total: of all
 * @no_unit: bytes of fragments whose trace unit is not known or not supported
 */
struct perf_session {
	struct perf_file *file;
	struct perf_aux *aux;
	struct perf_cs *cs;
	struct csf_image *image;
	struct perf_map *map;
	struct perf_stream **stream;
	size_t n_stream;
	bool timed;
	int why;
	uint64_t done, total;
	uint64_t no_unit;
	/* private */
	struct perf_session_options options;
	struct session_queue *queue;
	struct session_queue *current;
	size_t n_queue, size_stream;
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

/* A timestamp of the trace in perf's clock; 0: it cannot be told. */
uint64_t perf_session_time(const struct perf_session *session, uint64_t timestamp);

/* What the frames of a queue held; false: it has none. */
bool perf_session_frames(const struct perf_session *session, size_t queue,
			 struct csf_frame_stats *stats);

#endif /* PERF_SESSION_H */
