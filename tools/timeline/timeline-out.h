/* SPDX-License-Identifier: GPL-2.0-only */
/* A timeline as a file: what the formats have in common. */
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
 * @SLICE_LOST: trace is lost
 * @SLICE_THREAD: of a CPU: a thread runs there
 */
enum slice_kind {
	SLICE_FUNCTION,
	SLICE_SYSCALL,
	SLICE_INTERRUPT,
	SLICE_EXCEPTION,
	SLICE_SIGNAL,
	SLICE_OFF,
	SLICE_LOST,
	SLICE_THREAD,
	SLICE_NR
};

extern const char *const timeline_kinds[SLICE_NR];

/* The process of what is no process's: CPUs. */
#define TIMELINE_CPUS	0

/**
 * enum track_kind - whose slices a track has
 * @TRACK_THREAD: of a thread
 * @TRACK_CPU: which threads run on a CPU
 * @TRACK_NOBODY: of whoever runs on a CPU, when the trace does not say who
 * @TRACK_IPC, @TRACK_CYCLES: counters of a CPU
 */
enum track_kind { TRACK_THREAD, TRACK_CPU, TRACK_NOBODY, TRACK_IPC, TRACK_CYCLES };

/**
 * struct timeline_track - one line of the picture
 * @pid: TRACK_THREAD: of the process
 * @number: of the thread, or of the CPU
 * @name: name of the thread, UTF-8; of others NULL
 * @process: that of the process, if this is the first track of it; else NULL
 */
struct timeline_track {
	enum track_kind kind;
	uint32_t pid, number;
	const char *name, *process;
};

/* What is lost: P0 elements, and bytes of trace. */
struct timeline_loss {
	uint64_t atoms, bytes;
};

/**
 * struct timeline_slice - as it begins
 * @time: ns
 * @loss: of SLICE_LOST; else NULL
 */
struct timeline_slice {
	uint64_t time;
	uint32_t name;
	enum slice_kind kind;
	const struct timeline_loss *loss;
};

/**
 * struct timeline_out - the file
 * @from, @until: only what is then
 * @min: shorter slices are left out, but for SLICE_LOST and SLICE_THREAD
 * @word: names of slices that are not functions, by kind
 * @n: slices written
 */
struct timeline_out {
	const struct timeline_format *format;
	struct out *out;
	struct timeline_names *names;
	uint64_t from, until, min;
	uint32_t word[SLICE_NR];
	uint64_t n;
	bool insns;	/* time is counted in instructions */
	bool begun;	/* there is an event in front of the next one */
};

/**
 * struct timeline_format - how it is written
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
