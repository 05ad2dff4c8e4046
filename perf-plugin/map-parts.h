/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of perf_map share: threads and processes (map-task.c), what each
 * has mapped (perf-map.c), and the address spaces made of that (map-space.c).
 */
#ifndef MAP_PARTS_H
#define MAP_PARTS_H

#include "perf-map.h"

#define N_HASH		4096

struct map_comm {
	const char *name;
	uint64_t from;
	uint32_t older;
};

/* A tid from a moment on; @older is who had the number before. */
struct map_thread {
	uint64_t from;
	uint32_t tid, process;
	uint32_t comm;
	uint32_t older;
	uint32_t next;		/* of the same hash */
};

struct map_process {
	uint64_t from;
	uint32_t pid;
	uint32_t space;		/* the newest */
	uint32_t older, next;
};

/*
 * An address space: from fork, exec or first sight to the next exec.  @parent
 * is where it was copied from, at @from.
 */
struct map_space {
	uint64_t from;
	uint32_t parent;
	uint32_t mmap;		/* the newest */
	uint32_t older;
	int number;		/* in the image; 0: not made yet */
};

struct map_mmap {
	uint64_t from;
	uint64_t addr, n, offset;
	const char *symbol;	/* of a kernel: what is at @offset */
	const uint8_t *poked;	/* bytes that became others: first @offset old, then @n new ones */
	uint32_t dso;
	uint32_t older;
};

/* Makes @array one longer, the new element zero.  Return: its index; 0: no memory. */
uint32_t map_grow(void **array, size_t *n, size_t *size, size_t element);

#define ADD(map, what) map_grow((void **)&(map)->what, &(map)->n_##what, &(map)->size_##what, \
				sizeof(*(map)->what))

/* ---------------------------------------------------------------- threads and processes */

/*
 * Who has a number at the end of all that is known so far; made if no record named it before:
 * then it has been there all the time.  Return: its index; 0: no memory.
 */
uint32_t map_process_of(struct perf_map *map, uint32_t pid);
uint32_t map_thread_of(struct perf_map *map, uint32_t pid, uint32_t tid);

/* A record FORK; @running: of what ran before the recording.  Return: 0, -ENOMEM. */
int map_forked(struct perf_map *map, const struct perf_task *task, bool running, uint64_t time);

/* A record COMM, which is exec, too.  Return: 0, -ENOMEM. */
int map_named(struct perf_map *map, const struct perf_task *task, uint64_t time);

/*
 * The thread that had the number at @time: an earlier one never, the first one also before.
 * *@until becomes the time when another one has it, if there is one.  Return: its index, or 0.
 */
uint32_t map_thread_at(const struct perf_map *map, uint32_t tid, uint64_t time, uint64_t *until);

/* perf-map.c: what the recording's table of build-ids says of @key->name, if it has it */
void map_build_id(const struct perf_map *map, struct dso_key *key);

/*
 * map-module.c: where several modules have one build-id none has it any more; that is reported.
 * Return: 0, -ENOMEM.
 */
int map_check_modules(struct perf_map *map, struct perf_file *file);

#endif /* MAP_PARTS_H */
