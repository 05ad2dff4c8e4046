/* SPDX-License-Identifier: GPL-2.0-only */
/* When code ran: the last time before a place, the next time after it, and all times. */
#ifndef CSF_FIND_H
#define CSF_FIND_H

#include "walk.h"

/**
 * struct find - what to look for: zero it, then set @name, or @section and @offset
 * @name: the start of a function whose name has this in it, small letters for both cases
 * @section, @offset: an instruction
 */
struct find {
	const char *name;
	uint32_t section;
	uint64_t offset;
	/* private: for each block, the number of its instruction that is meant, from 1; 0: none */
	uint16_t *insn;
	size_t n, size;
};

void find_fini(struct find *find);

/* Goes to where it ran last before @at, or next after it.  As a move. */
int find_next(struct find *find, struct walk *walk, struct walk_at *at, int direction);

/**
 * struct find_run - a time when it ran
 * @time: ns; 0: not known
 * @tid: thread
 * @from: section of the instruction before it, at @from_offset; 0: not known
 */
struct find_run {
	struct walk_at at;
	uint64_t time;
	uint32_t tid, from;
	uint64_t from_offset;
};

/* The most that find_all() keeps. */
#define FIND_MAX	200000

/**
 * struct find_runs - zero it
 * @run: @n of them, the first ones; @total: all that there were
 */
struct find_runs {
	struct find_run *run;
	size_t n, size;
	uint64_t total;
};

/* All times in the track.  Return: WALK_MOVED; WALK_STOPPED: only the first part of it; -ENOMEM. */
int find_all(struct find *find, struct walk *walk, struct find_runs *runs);
void find_runs_fini(struct find_runs *runs);

#endif /* CSF_FIND_H */
