/* SPDX-License-Identifier: GPL-2.0-only */
/* A timeline as a file: the common part of the formats. */
#ifndef CSF_TIMELINE_OUT_H
#define CSF_TIMELINE_OUT_H

#include "../../perf-plugin/out.h"
#include "timeline-name.h"

/**
 * enum slice_kind - what a slice is; the names are in timeline_kinds
 * @SLICE_FUNCTION: a function runs, or one that it called
 * @SLICE_SYSCALL, @SLICE_INTERRUPT, @SLICE_EXCEPTION: from an exception to the return from it
 * @SLICE_SIGNAL: a handler of a signal, called by the kernel
 * @SLICE_OFF: trace was off
 * @SLICE_INLINED: an inlined function runs, from its first branch to the branch that leaves it
 * @SLICE_LOST: trace is lost
 * @SLICE_THREAD: on a CPU: a thread runs there
 */
enum slice_kind {
	SLICE_FUNCTION,
	SLICE_SYSCALL,
	SLICE_INTERRUPT,
	SLICE_EXCEPTION,
	SLICE_SIGNAL,
	SLICE_OFF,
	SLICE_INLINED,
	SLICE_LOST,
	SLICE_THREAD,
	SLICE_NR
};

extern const char *const timeline_kinds[SLICE_NR];

/* The process of tracks without one: CPUs. */
#define TIMELINE_CPUS	0

/**
 * enum track_kind - the owner of a track
 * @TRACK_THREAD: a thread
 * @TRACK_CPU: the threads that run on a CPU
 * @TRACK_UNKNOWN: an unknown thread on a CPU
 * @TRACK_IPC, @TRACK_CYCLES: counters of a CPU
 */
enum track_kind { TRACK_THREAD, TRACK_CPU, TRACK_UNKNOWN, TRACK_IPC, TRACK_CYCLES };

/**
 * struct timeline_track - one row of the timeline
 * @pid: TRACK_THREAD: process ID
 * @number: of the thread, or of the CPU
 * @name: name of the thread, UTF-8; else NULL
 * @process: name of the process, if this is its first track; else NULL
 */
struct timeline_track {
	enum track_kind kind;
	uint32_t pid, number;
	const char *name, *process;
};

/* A loss: P0 elements, and bytes of trace. */
struct timeline_loss {
	uint64_t atoms, bytes;
};

/**
 * struct timeline_slice - the beginning of a slice
 * @time: ns
 * @loss: for SLICE_LOST; else NULL
 */
struct timeline_slice {
	uint64_t time;
	uint32_t name;
	enum slice_kind kind;
	const struct timeline_loss *loss;
};

/**
 * struct timeline_out - the file
 * @from, @until: the limits of the timeline
 * @min: shorter slices are left out, except SLICE_LOST and SLICE_THREAD
 * @word: names of slices that are not functions, by kind
 * @n: number of slices written
 */
struct timeline_out {
	const struct timeline_format *format;
	struct out *out;
	struct timeline_names *names;
	uint64_t from, until, min;
	uint32_t word[SLICE_NR];
	uint64_t n;
	bool insns;	/* time is counted in instructions */
	bool begun;	/* an event comes before the next one */
};

/**
 * struct timeline_format - an output format
 *
 * A track comes before its slices.  On a track they nest, and times do not go back.
 */
struct timeline_format {
	void (*start)(struct timeline_out *o);
	void (*track)(struct timeline_out *o, const struct timeline_track *track);
	void (*begin)(struct timeline_out *o, const struct timeline_track *track,
		      const struct timeline_slice *slice);
	void (*end)(struct timeline_out *o, const struct timeline_track *track, uint64_t time);
	void (*count)(struct timeline_out *o, const struct timeline_track *track, uint64_t time,
		      double value);
	void (*finish)(struct timeline_out *o);
};

extern const struct timeline_format timeline_perfetto, timeline_chrome;

#endif /* CSF_TIMELINE_OUT_H */
