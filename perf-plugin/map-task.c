// SPDX-License-Identifier: GPL-2.0-only
#include "map-parts.h"

#include <errno.h>

static uint32_t slot(uint32_t number)
{
	return number * 2654435761u >> 20;	/* 12 bits: N_HASH */
}

static uint32_t newest_thread(const struct perf_map *map, uint32_t tid)
{
	uint32_t i = map->by_tid[slot(tid)];

	while (i && map->thread[i].tid != tid)
		i = map->thread[i].next;
	return i;
}

static uint32_t newest_process(const struct perf_map *map, uint32_t pid)
{
	uint32_t i = map->by_pid[slot(pid)];

	while (i && map->process[i].pid != pid)
		i = map->process[i].next;
	return i;
}

/* Makes a new entry the head of its hash chain, before the entry that had the number until then. */
static uint32_t thread_new(struct perf_map *map, uint32_t tid, uint32_t process, uint64_t from)
{
	uint32_t older = newest_thread(map, tid), i = ADD(map, thread);

	if (!i)
		return 0;
	map->thread[i].from = from;
	map->thread[i].tid = tid;
	map->thread[i].process = process;
	map->thread[i].older = older;
	map->thread[i].next = map->by_tid[slot(tid)];
	map->by_tid[slot(tid)] = i;
	return i;
}

static uint32_t space_new(struct perf_map *map, uint32_t process, uint64_t from, uint32_t parent)
{
	uint32_t i = ADD(map, space);

	if (!i)
		return 0;
	map->space[i].from = from;
	map->space[i].parent = parent;
	map->space[i].older = map->process[process].space;
	map->process[process].space = i;
	return i;
}

static uint32_t process_new(struct perf_map *map, uint32_t pid, uint64_t from, uint32_t parent)
{
	uint32_t older = newest_process(map, pid), i = ADD(map, process);

	if (!i)
		return 0;
	map->process[i].from = from;
	map->process[i].pid = pid;
	map->process[i].older = older;
	map->process[i].next = map->by_pid[slot(pid)];
	map->by_pid[slot(pid)] = i;
	return space_new(map, i, from, parent) ? i : 0;
}

uint32_t map_process_of(struct perf_map *map, uint32_t pid)
{
	uint32_t i = newest_process(map, pid);

	return i ? i : process_new(map, pid, 0, 0);
}

uint32_t map_thread_of(struct perf_map *map, uint32_t pid, uint32_t tid)
{
	uint32_t i = newest_thread(map, tid), process;

	if (i)
		return i;
	process = map_process_of(map, pid);
	return process ? thread_new(map, tid, process, 0) : 0;
}

static int set_comm(struct perf_map *map, uint32_t thread, const char *name, uint64_t from)
{
	uint32_t i = ADD(map, comm);

	if (!i)
		return -ENOMEM;
	map->comm[i].name = name;
	map->comm[i].from = from;
	map->comm[i].older = map->thread[thread].comm;
	map->thread[thread].comm = i;
	return 0;
}

int map_forked(struct perf_map *map, const struct perf_task *task, bool running, uint64_t time)
{
	uint32_t parent = map_thread_of(map, task->ppid, task->ptid), thread, process;
	const char *name = NULL;

	if (!parent)
		return -ENOMEM;
	if (map->thread[parent].comm)
		name = map->comm[map->thread[parent].comm].name;
	if (task->pid == task->ppid) {
		process = map_process_of(map, task->pid);
	} else {
		uint32_t from = map->process[map->thread[parent].process].space;

		process = process_new(map, task->pid, time, running ? 0 : from);
	}
	thread = process ? thread_new(map, task->tid, process, time) : 0;
	if (!thread)
		return -ENOMEM;
	return name ? set_comm(map, thread, name, time) : 0;
}

int map_named(struct perf_map *map, const struct perf_task *task, uint64_t time)
{
	uint32_t thread = map_thread_of(map, task->pid, task->tid);

	if (!thread)
		return -ENOMEM;
	if (task->exec && time && !space_new(map, map->thread[thread].process, time, 0))
		return -ENOMEM;
	return set_comm(map, thread, task->comm, time);
}

uint32_t map_thread_at(const struct perf_map *map, uint32_t tid, uint64_t time, uint64_t *until)
{
	uint32_t i = newest_thread(map, tid);

	while (i && map->thread[i].from > time && map->thread[i].older) {
		*until = map->thread[i].from;
		i = map->thread[i].older;
	}
	return i;
}

const char *perf_map_comm(const struct perf_map *map, uint32_t tid, uint64_t time)
{
	uint64_t until;
	uint32_t thread = tid == PERF_NO_TID ? 0 : map_thread_at(map, tid, time, &until);
	uint32_t i = thread ? map->thread[thread].comm : 0;

	while (i && map->comm[i].from > time && map->comm[i].older)
		i = map->comm[i].older;
	if (i)
		return map->comm[i].name;
	return tid ? NULL : "swapper";
}
