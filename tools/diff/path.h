/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The path of each thread of a recording: which code ran, in order, told so that two recordings can
 * be compared.
 *
 *	struct paths paths = { .all_levels = false };
 *
 *	while (perf_session_next(session, &run) > 0)
 *		err = paths_run(&paths, session, &run);
 *	err = paths_end(&paths);
 *
 * A path is stretches: code from where a branch went to up to where the next one left.  That a
 * thread was interrupted in between does not show.  Places are of files, so they are the same
 * wherever a program was loaded.  Paths are not kept: there is a hash of all so far for each
 * PATH_STEP stretches, and of what is asked for a window.
 */
#ifndef CSF_PATH_H
#define CSF_PATH_H

#include "../../perf-plugin/perf-session.h"

#define PATH_STEP	1024

/**
 * struct stretch - code executed from top to bottom
 * @file: what tells its file from others, by build-id, or else by name
 * @start, @end: offsets in the file; @last: of its last instruction
 * @insns: instructions
 * @section: of the image, and @in_section: offset of @start in that
 */
struct stretch {
	uint64_t file, start, end, last, insns;
	uint64_t in_section;
	int section;
};

/**
 * struct path - of a thread
 * @tid: thread
 * @n: stretches; @insns: instructions in them
 * @hash: of them; @step: of the first PATH_STEP, twice as many, and so on: @n_step of them
 * @lost: behind them trace is lost, by @why, enum csf_gap; nothing of what comes then is taken
 * @first: the window is @want from there, of which @n_kept are in @kept
 * @before: instructions in front of the window
 */
struct path {
	uint32_t tid;
	uint64_t n, insns, hash;
	uint64_t *step;
	size_t n_step, size_step;
	bool lost;
	uint16_t why;
	uint64_t first, want;
	struct stretch *kept;
	size_t n_kept, size_kept;
	uint64_t before;
	/* private */
	struct stretch now;	/* the last one, which may go on; @now.insns is 0: none */
};

/**
 * struct paths - of a recording
 * @all_levels: not only what ran at EL0
 * @path: @n of them, by thread once paths_end() was called
 */
struct paths {
	bool all_levels;
	struct path *path;
	size_t n, size;
	/* private */
	struct path_block *block;
	size_t n_block, recent;
};

/* All of these return 0; -1: no memory. */
int paths_run(struct paths *paths, const struct perf_session *session, const struct perf_run *run);
int paths_end(struct paths *paths);

/* Before the first run: of thread @tid keep @want stretches from @first on. */
int paths_window(struct paths *paths, uint32_t tid, uint64_t first, uint64_t want);

/* All windows are full. */
bool paths_full(const struct paths *paths);

void paths_fini(struct paths *paths);

/* The same code. */
bool stretch_same(const struct stretch *a, const struct stretch *b);

#endif /* CSF_PATH_H */
