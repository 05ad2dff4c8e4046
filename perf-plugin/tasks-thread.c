// SPDX-License-Identifier: GPL-2.0-only
#include "tasks-parts.h"

#include <errno.h>

static uint32_t slot(uint32_t number)
{
	return number * 2654435761u >> 20;	/* 12 bits: N_HASH */
}

static uint32_t newest_thread(const struct perf_tasks *tasks, uint32_t tid)
{
	uint32_t i = tasks->by_tid[slot(tid)];

	while (i && tasks->thread[i].tid != tid)
		i = tasks->thread[i].next;
	return i;
}

static uint32_t newest_process(const struct perf_tasks *tasks, uint32_t pid)
{
	uint32_t i = tasks->by_pid[slot(pid)];

	while (i && tasks->process[i].pid != pid)
		i = tasks->process[i].next;
	return i;
}

/* Makes a new entry the head of its hash chain, before the entry that had the number until then. */
static uint32_t thread_new(struct perf_tasks *tasks, uint32_t tid, uint32_t process, uint64_t from)
{
	uint32_t older = newest_thread(tasks, tid), i = ADD(tasks, thread);

	if (!i)
		return 0;
	tasks->thread[i].from = from;
	tasks->thread[i].tid = tid;
	tasks->thread[i].process = process;
	tasks->thread[i].older = older;
	tasks->thread[i].next = tasks->by_tid[slot(tid)];
	tasks->by_tid[slot(tid)] = i;
	return i;
}

static uint32_t space_new(struct perf_tasks *tasks, uint32_t process, uint64_t from,
			  uint32_t parent)
{
	uint32_t i = ADD(tasks, space);

	if (!i)
		return 0;
	tasks->space[i].from = from;
	tasks->space[i].parent = parent;
	tasks->space[i].older = tasks->process[process].space;
	tasks->process[process].space = i;
	return i;
}

static uint32_t process_new(struct perf_tasks *tasks, uint32_t pid, uint64_t from, uint32_t parent)
{
	uint32_t older = newest_process(tasks, pid), i = ADD(tasks, process);

	if (!i)
		return 0;
	tasks->process[i].from = from;
	tasks->process[i].pid = pid;
	tasks->process[i].older = older;
	tasks->process[i].next = tasks->by_pid[slot(pid)];
	tasks->by_pid[slot(pid)] = i;
	return space_new(tasks, i, from, parent) ? i : 0;
}

uint32_t map_process_of(struct perf_tasks *tasks, uint32_t pid)
{
	uint32_t i = newest_process(tasks, pid);

	return i ? i : process_new(tasks, pid, 0, 0);
}

uint32_t map_thread_of(struct perf_tasks *tasks, uint32_t pid, uint32_t tid)
{
	uint32_t i = newest_thread(tasks, tid), process;

	if (i)
		return i;
	process = map_process_of(tasks, pid);
	return process ? thread_new(tasks, tid, process, 0) : 0;
}

static int set_comm(struct perf_tasks *tasks, uint32_t thread, const char *name, uint64_t from)
{
	uint32_t i = ADD(tasks, comm);

	if (!i)
		return -ENOMEM;
	tasks->comm[i].name = name;
	tasks->comm[i].from = from;
	tasks->comm[i].older = tasks->thread[thread].comm;
	tasks->thread[thread].comm = i;
	return 0;
}

int map_forked(struct perf_tasks *tasks, const struct perf_task *task, bool running, uint64_t time)
{
	uint32_t parent = map_thread_of(tasks, task->ppid, task->ptid), thread, process;
	const char *name = NULL;

	if (!parent)
		return -ENOMEM;
	if (tasks->thread[parent].comm)
		name = tasks->comm[tasks->thread[parent].comm].name;
	if (task->pid == task->ppid) {
		process = map_process_of(tasks, task->pid);
	} else {
		uint32_t from = tasks->process[tasks->thread[parent].process].space;

		process = process_new(tasks, task->pid, time, running ? 0 : from);
	}
	thread = process ? thread_new(tasks, task->tid, process, time) : 0;
	if (!thread)
		return -ENOMEM;
	return name ? set_comm(tasks, thread, name, time) : 0;
}

int map_named(struct perf_tasks *tasks, const struct perf_task *task, uint64_t time)
{
	uint32_t thread = map_thread_of(tasks, task->pid, task->tid);

	if (!thread)
		return -ENOMEM;
	if (task->exec && time && !space_new(tasks, tasks->thread[thread].process, time, 0))
		return -ENOMEM;
	return set_comm(tasks, thread, task->comm, time);
}

uint32_t map_thread_at(const struct perf_tasks *tasks, uint32_t tid, uint64_t time, uint64_t *until)
{
	uint32_t i = newest_thread(tasks, tid);

	while (i && tasks->thread[i].from > time && tasks->thread[i].older) {
		*until = tasks->thread[i].from;
		i = tasks->thread[i].older;
	}
	return i;
}

const char *perf_tasks_comm(const struct perf_tasks *tasks, uint32_t tid, uint64_t time)
{
	uint64_t until;
	uint32_t thread = tid == PERF_NO_TID ? 0 : map_thread_at(tasks, tid, time, &until);
	uint32_t i = thread ? tasks->thread[thread].comm : 0;

	while (i && tasks->comm[i].from > time && tasks->comm[i].older)
		i = tasks->comm[i].older;
	if (i)
		return tasks->comm[i].name;
	return tid ? NULL : "swapper";
}
