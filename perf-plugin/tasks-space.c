// SPDX-License-Identifier: GPL-2.0-only
#include "tasks-parts.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Maximum number of ancestors whose maps a child still has; more forks without exec are not
 * followed.
 */
#define ANCESTORS_MAX	64

static int enter_one(struct perf_tasks *tasks, const struct map_mmap *m, const struct code_map *as)
{
	struct code_poke poke = { .old = m->poked, .n_old = m->offset, .n_new = m->n };

	if (m->poked) {
		poke.new = m->poked + m->offset;
		return perf_code_poke(&tasks->code, as, &poke);
	}
	if (m->symbol)
		return perf_code_map_kernel(&tasks->code, as, m->symbol);
	return perf_code_map(&tasks->code, as);
}

/* Enters the maps of @space that were there before @until, oldest first. */
static int enter(struct perf_tasks *tasks, uint32_t space, uint64_t until, struct code_map *as)
{
	uint32_t n = 0, i, *list;
	bool inherited = until != UINT64_MAX;
	int err = 0;

	for (i = tasks->space[space].mmap; i; i = tasks->mmap[i].older)
		n++;
	list = malloc((n + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	n = 0;
	for (i = tasks->space[space].mmap; i; i = tasks->mmap[i].older)
		if (!inherited || tasks->mmap[i].from <= until)
			list[n++] = i;
	while (n-- && !err) {
		const struct map_mmap *m = &tasks->mmap[list[n]];

		as->dso = m->dso;
		as->addr = m->addr;
		as->n = m->n;
		as->offset = m->offset;
		as->from = inherited ? 0 : m->from;
		err = enter_one(tasks, m, as);
	}
	free(list);
	return err;
}

int perf_tasks_ready(struct perf_tasks *tasks)
{
	struct code_map as = { .space = CSF_SPACE_ALL };

	return enter(tasks, tasks->kernel, UINT64_MAX, &as);
}

static int make_space(struct perf_tasks *tasks, uint32_t space)
{
	uint32_t line[ANCESTORS_MAX], n = 0;
	struct code_map as = { .space = csf_space_new(tasks->code.image) };
	int err = 0;

	if (as.space < 0)
		return -ENOMEM;
	for (uint32_t i = space; i && n < ANCESTORS_MAX; i = tasks->space[i].parent)
		line[n++] = i;
	/* from the eldest on: each as it was when the next was forked from it */
	while (n-- && !err)
		err = enter(tasks, line[n], n ? tasks->space[line[n - 1]].from : UINT64_MAX, &as);
	tasks->space[space].number = as.space;
	return err;
}

bool perf_tasks_kernel(const struct perf_tasks *tasks, uint64_t addr, uint64_t *symbol)
{
	for (uint32_t i = tasks->space[tasks->kernel].mmap; i; i = tasks->mmap[i].older) {
		const struct map_mmap *m = &tasks->mmap[i];

		if (m->symbol && addr - m->addr < m->n) {
			*symbol = m->offset ? m->offset : m->addr;
			return true;
		}
	}
	return false;
}

/* The time of the first change to the maps of @space after @time. */
static uint64_t next_map(const struct perf_tasks *tasks, uint32_t space, uint64_t time)
{
	uint64_t until = UINT64_MAX;

	for (uint32_t i = tasks->space[space].mmap; i && tasks->mmap[i].from > time;
	     i = tasks->mmap[i].older)
		until = tasks->mmap[i].from;
	return until;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int perf_tasks_who(struct perf_tasks *tasks, uint32_t tid, uint64_t time, struct perf_who *who)
{
	uint64_t until = UINT64_MAX;
	uint32_t thread = tid == PERF_NO_TID ? 0 : map_thread_at(tasks, tid, time, &until), space;

	*who = (struct perf_who){ .pid = tid ? PERF_NO_TID : 0, .tid = tid,
				  .space = CSF_SPACE_ALL };
	who->until = least(until, next_map(tasks, tasks->kernel, time));
	if (!thread)
		return 0;
	who->pid = tasks->process[tasks->thread[thread].process].pid;
	space = tasks->process[tasks->thread[thread].process].space;
	while (tasks->space[space].from > time && tasks->space[space].older) {
		until = least(until, tasks->space[space].from);
		space = tasks->space[space].older;
	}
	who->until = least(who->until, least(until, next_map(tasks, space, time)));
	if (!tasks->space[space].number) {
		int err = make_space(tasks, space);

		if (err)
			return err;
	}
	who->space = tasks->space[space].number;
	return 0;
}
