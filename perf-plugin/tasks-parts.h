/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common parts of perf_tasks: threads and processes (tasks-thread.c), their maps (perf-tasks.c),
 * and the address spaces made of these (tasks-space.c).
 */
#ifndef MAP_PARTS_H
#define MAP_PARTS_H

#include "perf-tasks.h"

#define N_HASH		4096

struct map_comm {
	const char *name;
	uint64_t from;
	uint32_t older;
};

/* A tid from some time on; @older is the thread that had the number before. */
struct map_thread {
	uint64_t from;
	uint32_t tid, process;
	uint32_t comm;
	uint32_t older;
	uint32_t next;		/* next with the same hash */
};

struct map_process {
	uint64_t from;
	uint32_t pid;
	uint32_t space;		/* index of the newest */
	uint32_t older, next;
};

/*
 * An address space: from fork, exec or first sight to the next exec.  @parent is the space that it
 * was copied from, at time @from.
 */
struct map_space {
	uint64_t from;
	uint32_t parent;
	uint32_t mmap;		/* index of the newest */
	uint32_t older;
	int number;		/* in the image; 0: not made yet */
};

struct map_mmap {
	uint64_t from;
	uint64_t addr, n, offset;
	const char *symbol;	/* kernel maps: the symbol at @offset */
	const uint8_t *poked;	/* changed code: first @offset old bytes, then @n new ones */
	uint32_t dso;
	uint32_t older;
};

/* Makes @array one element longer; the new element is zero.  Return: its index; 0: no memory. */
uint32_t map_grow(void **array, size_t *n, size_t *size, size_t element);

#define ADD(tasks, what)                                                             \
	map_grow((void **)&(tasks)->what, &(tasks)->n_##what, &(tasks)->size_##what, \
		 sizeof(*(tasks)->what))

/* ---------------------------------------------------------------- threads and processes */

/*
 * The last process with this number so far.  If no record named it before, it is made, as one that
 * was always there.  Return: its index; 0: no memory.
 */
uint32_t map_process_of(struct perf_tasks *tasks, uint32_t pid);
uint32_t map_thread_of(struct perf_tasks *tasks, uint32_t pid, uint32_t tid);

/* Takes a FORK record; @running: for a task that ran before the recording.  Return: 0, -ENOMEM. */
int map_forked(struct perf_tasks *tasks, const struct perf_task *task, bool running, uint64_t time);

/* Takes a COMM record, which also says exec.  Return: 0, -ENOMEM. */
int map_named(struct perf_tasks *tasks, const struct perf_task *task, uint64_t time);

/*
 * The thread that had the number at @time; before the first one had it, the first.  *@until is
 * lowered to the time when another thread gets it, if there is one.  Return: its index, or 0.
 */
uint32_t map_thread_at(const struct perf_tasks *tasks, uint32_t tid, uint64_t time,
		       uint64_t *until);

/* perf-tasks.c: sets the build-id of @key->name from the recording's table, if it is there */
void map_build_id(const struct perf_tasks *tasks, struct dso_key *key);

/*
 * tasks-module.c: if several modules have the same build-id, it is removed from all, and reported.
 * Return: 0, -ENOMEM.
 */
int map_check_modules(struct perf_tasks *tasks, struct perf_file *file);

#endif /* MAP_PARTS_H */
