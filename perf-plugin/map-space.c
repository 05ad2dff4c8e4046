// SPDX-License-Identifier: GPL-2.0-only
#include "map-parts.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Maximum number of ancestors whose maps a child still has; more forks without exec are not
 * followed.
 */
#define ANCESTORS_MAX	64

static int enter_one(struct perf_map *map, const struct map_mmap *m, const struct code_map *as)
{
	struct code_poke poke = { .old = m->poked, .n_old = m->offset, .n_new = m->n };

	if (m->poked) {
		poke.new = m->poked + m->offset;
		return perf_code_poke(&map->code, as, &poke);
	}
	if (m->symbol)
		return perf_code_map_kernel(&map->code, as, m->symbol);
	return perf_code_map(&map->code, as);
}

/* Enters the maps of @space that were there before @until, oldest first. */
static int enter(struct perf_map *map, uint32_t space, uint64_t until, struct code_map *as)
{
	uint32_t n = 0, i, *list;
	bool inherited = until != UINT64_MAX;
	int err = 0;

	for (i = map->space[space].mmap; i; i = map->mmap[i].older)
		n++;
	list = malloc((n + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	n = 0;
	for (i = map->space[space].mmap; i; i = map->mmap[i].older)
		if (!inherited || map->mmap[i].from <= until)
			list[n++] = i;
	while (n-- && !err) {
		const struct map_mmap *m = &map->mmap[list[n]];

		as->dso = m->dso;
		as->addr = m->addr;
		as->n = m->n;
		as->offset = m->offset;
		as->from = inherited ? 0 : m->from;
		err = enter_one(map, m, as);
	}
	free(list);
	return err;
}

int perf_map_ready(struct perf_map *map)
{
	struct code_map as = { .space = CSF_SPACE_ALL };

	return enter(map, map->kernel, UINT64_MAX, &as);
}

static int make_space(struct perf_map *map, uint32_t space)
{
	uint32_t line[ANCESTORS_MAX], n = 0;
	struct code_map as = { .space = csf_space_new(map->code.image) };
	int err = 0;

	if (as.space < 0)
		return -ENOMEM;
	for (uint32_t i = space; i && n < ANCESTORS_MAX; i = map->space[i].parent)
		line[n++] = i;
	/* from the eldest on: each as it was when the next was forked from it */
	while (n-- && !err)
		err = enter(map, line[n], n ? map->space[line[n - 1]].from : UINT64_MAX, &as);
	map->space[space].number = as.space;
	return err;
}

bool perf_map_kernel(const struct perf_map *map, uint64_t addr, uint64_t *symbol)
{
	for (uint32_t i = map->space[map->kernel].mmap; i; i = map->mmap[i].older) {
		const struct map_mmap *m = &map->mmap[i];

		if (m->symbol && m->addr == addr) {
			*symbol = m->offset ? m->offset : addr;
			return true;
		}
	}
	return false;
}

/* The time of the first change to the maps of @space after @time. */
static uint64_t next_map(const struct perf_map *map, uint32_t space, uint64_t time)
{
	uint64_t until = UINT64_MAX;

	for (uint32_t i = map->space[space].mmap; i && map->mmap[i].from > time;
	     i = map->mmap[i].older)
		until = map->mmap[i].from;
	return until;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int perf_map_who(struct perf_map *map, uint32_t tid, uint64_t time, struct perf_who *who)
{
	uint64_t until = UINT64_MAX;
	uint32_t thread = tid == PERF_NO_TID ? 0 : map_thread_at(map, tid, time, &until), space;

	*who = (struct perf_who){ .pid = tid ? PERF_NO_TID : 0, .tid = tid,
				  .space = CSF_SPACE_ALL };
	who->until = least(until, next_map(map, map->kernel, time));
	if (!thread)
		return 0;
	who->pid = map->process[map->thread[thread].process].pid;
	space = map->process[map->thread[thread].process].space;
	while (map->space[space].from > time && map->space[space].older) {
		until = least(until, map->space[space].from);
		space = map->space[space].older;
	}
	who->until = least(who->until, least(until, next_map(map, space, time)));
	if (!map->space[space].number) {
		int err = make_space(map, space);

		if (err)
			return err;
	}
	who->space = map->space[space].number;
	return 0;
}
