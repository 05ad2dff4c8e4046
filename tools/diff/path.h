/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The path of each thread of a recording: the code that ran, in order, in a form that can be
 * compared with another recording.
 *
 *	struct paths paths = { .all_levels = false };
 *
 *	while (perf_replay_next(replay, &run) > 0)
 *		err = paths_run(&paths, replay, &run);
 *	err = paths_end(&paths);
 *
 * A path consists of stretches: code from the target of a branch up to the next taken branch.  An
 * interrupt in between does not show.  Places are places in files, so they are the same
 * wherever a program was loaded.  Paths are not kept: there is one hash of everything so far for
 * each PATH_STEP stretches, and a window of stretches where one is requested.
 */
#ifndef CSF_PATH_H
#define CSF_PATH_H

#include "../../perf-plugin/perf-replay.h"

#define PATH_STEP	1024

/**
 * struct stretch - code executed from top to bottom
 * @file: identifies its file, by build-id, or else by name
 * @start, @end: offsets in the file; @last: of its last instruction
 * @insns: number of instructions
 * @section: of the image; @in_section: offset of @start in it
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
 * @hash: of the stretches; @step: @n_step hashes, of the first PATH_STEP, 2 * PATH_STEP, and so on
 * @lost: trace is lost after them, for @why, enum csf_gap; nothing after that is added
 * @first: first stretch of the window of @want; @n_kept are in @kept
 * @before: instructions before the window
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
 * @all_levels: not only code at EL0
 * @path: @n of them, sorted by thread after paths_end()
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
int paths_run(struct paths *paths, const struct perf_replay *replay, const struct perf_run *run);
int paths_end(struct paths *paths);

/* Before the first run: keeps @want stretches of thread @tid from @first on. */
int paths_window(struct paths *paths, uint32_t tid, uint64_t first, uint64_t want);

/* Are all windows full? */
bool paths_full(const struct paths *paths);

void paths_fini(struct paths *paths);

/* The same code. */
bool stretch_same(const struct stretch *a, const struct stretch *b);

#endif /* CSF_PATH_H */
