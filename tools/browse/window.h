/* SPDX-License-Identifier: GPL-2.0-only */
/* A part of a track, decoded: its runs, with their steps and times. */
#ifndef CSF_WINDOW_H
#define CSF_WINDOW_H

#include "track.h"

/**
 * struct window_run - a run, as in struct csf_run and struct perf_run
 * @first: its first step in the window, @n of them
 * @mark: its first time in the window, @n_mark of them
 * @offset: in the file, of the packet that ended it; UINT64_MAX: not known
 * @maps: time of the maps
 * @after: its steps were executed after this time, ns; 0: not known
 * @before: they were executed before this time: the buffer was complete; 0: not known
 * @end, @flags, @value, @addr, @from, @lost, @bytes: how it ended
 * @next_tid: thread of the run after it, in this part or the next
 * @last: the run after it does not continue it: it is of another buffer, too
 * @truncated: with @last: the buffer was full, and more trace was lost after it
 */
struct window_run {
	uint32_t first, n;
	uint32_t mark, n_mark;
	uint64_t offset;
	uint64_t maps, after, before;
	uint64_t value, addr, from, lost, bytes;
	uint32_t pid, tid, next_tid, cpu;
	int space;
	uint16_t flags;
	uint8_t end, el;
	bool last, truncated, in_transaction;
};

/* @step of the window was executed after @time, ns. */
struct window_mark {
	uint32_t step;
	uint64_t time;
};

/**
 * struct window - zero it
 * @track, @part: its place; @track NULL: it is empty
 * @run: @n_run; @step: @n_step, as in struct csf_run; @mark: @n_mark
 * @count: how often each block ran, by its number, @n_count of them; see window_count()
 */
struct window {
	const struct track *track;
	uint32_t part;
	struct window_run *run;
	uint32_t *step;
	struct window_mark *mark;
	size_t n_run, n_step, n_mark;
	uint32_t *count;
	size_t n_count;
	/* private */
	size_t size_run, size_step, size_mark;
};

/**
 * struct window_source - where runs come from
 * @wants: chooses the runs that are there; NULL: all.  @ctx is given to it
 */
struct window_source {
	struct perf_replay *replay;
	bool (*wants)(void *ctx, const struct perf_run *run);
	void *ctx;
};

/* Decodes part @part of @track.  Return: 0; -ENOMEM: the window is empty. */
int window_load(struct window *w, const struct window_source *source,
		const struct track *track, uint32_t part);
void window_fini(struct window *w);

/* How often block @number ran in the window. */
uint32_t window_count(const struct window *w, uint32_t number);

/**
 * struct window_pass - zero it, and window_pass_begin(): runs of several parts, none of them kept
 * @part: that of the run that window_pass_next() gave
 * @offset: in the file, of the packet that ended it; UINT64_MAX: not known
 */
struct window_pass {
	const struct window_source *source;
	const struct track *track;
	uint32_t part, end;
	uint64_t offset;
	/* private */
	struct track_part at;
};

/* From part @first up to, but not including, part @end.  Return: 0, -ENOMEM. */
int window_pass_begin(struct window_pass *pass, const struct window_source *source,
		      const struct track *track, uint32_t first, uint32_t end);

/* Return: 1 and a run of the track; 0: there is no more; -ENOMEM. */
int window_pass_next(struct window_pass *pass, struct perf_run *run);

#endif /* CSF_WINDOW_H */
