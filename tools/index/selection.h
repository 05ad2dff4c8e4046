/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a recording that a command reads: the options of "Which part:", which are the same,
 * in perf's words, for all commands that have them.
 *
 *	struct selection sel = { 0 };
 *	const struct opt table[] = { ..., OPT_SELECTION(&sel), ... };
 *
 *	status = selection_read(&sel);			the words
 *	recording.cpus = sel.cpus;
 *	status = recording_open(&recording);
 *	... time_spans_open(&sel.spans, &recording, &needs)
 *	while (losses_next(replay, &run) > 0)
 *		if (selection_has_run(&sel, replay, &run))
 *			... each address: selection_has_place()
 *	selection_fini(&sel);
 */
#ifndef CSF_SELECTION_H
#define CSF_SELECTION_H

#include "../input/recording.h"
#include "../lib/options.h"
#include "time-span.h"

/**
 * struct selection - zero is everything
 * @cpus: as in struct recording: recording_open() reads it
 * @time: becomes @spans
 * @comms, @not_comms: names of threads; @dsos: of files, without their folders or with them
 * @symbols: of functions
 * @not_pid: @n_not_pid processes that are left out, sorted; borrowed
 * @only_known: what no known process executed is left out, too
 */
struct selection {
	const char *cpus, *time;
	struct recording_whose whose;
	struct opt_list comms, not_comms, dsos, symbols;
	struct time_spans spans;
	const uint32_t *not_pid;
	size_t n_not_pid;
	bool only_known;
	/* private: the thread that was looked at last */
	uint32_t tid;
	uint64_t at;
	bool looked, found;
};

/* CPUs, threads and times: what was executed elsewhere is as if it was not recorded. */
#define OPT_SELECTION_RUNS(s) \
	OPT_CPUS(&(s)->cpus), \
	OPT_LIST('c', "comms", &(s)->comms, "NAMES", "only threads of these names"), \
	OPT_LIST(0, "exclude-comm", &(s)->not_comms, "NAMES", "no threads of these names"), \
	OPT_WHOSE(&(s)->whose), \
	OPT_STRING(0, "time", &(s)->time, "SPANS", "only from START to STOP, in seconds, as " \
		   "START,STOP; or 10%/2, or 0%-10%: parts of the recording")
/* Files and functions. */
#define OPT_SELECTION_CODE(s) \
	OPT_LIST('d', "dsos", &(s)->dsos, "NAMES", "only what is executed in these files"), \
	OPT_LIST('S', "symbols", &(s)->symbols, "NAMES", \
		 "only what is executed in these functions")
#define OPT_SELECTION(s) \
	OPT_GROUP("Which part:"), OPT_SELECTION_RUNS(s), OPT_SELECTION_CODE(s)

/* Reads the words, and reports errors.  Return: CMD_OK or CMD_USAGE. */
int selection_read(struct selection *s);
void selection_fini(struct selection *s);

/* Are threads chosen, or left out? */
bool selection_of_threads(const struct selection *s);

/*
 * Are only some runs read, or parts of them?  Counts have no threads, CPUs and times, so these
 * cannot be chosen from them.
 */
bool selection_of_runs(const struct selection *s);

/* Is the thread of @run chosen? */
bool selection_has_run(struct selection *s, const struct perf_replay *replay,
		       const struct perf_run *run);

/* Is a file of this name chosen?  @path: with its folder, or without. */
bool selection_has_dso(const struct selection *s, const char *path);

/* Is the place chosen, by its file and its function? */
bool selection_has_place(const struct selection *s, struct perf_code *code,
			 const struct code_place *place);

#endif /* CSF_SELECTION_H */
