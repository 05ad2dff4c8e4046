// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../../perf-plugin/perf-sample.h"
#include "path.h"
#include "../lib/run-name.h"

/* Data of a block; @insns is 0: not yet read. */
struct path_block {
	uint64_t file, start, in_section;
	uint32_t size, last, insns;
	int section;
};

#define PRIME	0x100000001b3ull

static uint64_t mix(uint64_t hash, uint64_t v)
{
	hash = (hash ^ v) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

bool stretch_same(const struct stretch *a, const struct stretch *b)
{
	return a->file == b->file && a->start == b->start && a->end == b->end;
}

/* ---------------------------------------------------------------- blocks */

static uint64_t name_of(const struct dso *dso)
{
	uint64_t hash = PRIME;
	char name[256];

	if (!dso)
		return hash;
	for (size_t i = 0; i < dso->n_build_id; i++)
		hash = (hash ^ dso->build_id[i]) * PRIME;
	if (!dso->n_build_id)
		for (const char *s = run_name(dso->name, name, sizeof(name)); *s; s++)
			hash = (hash ^ (uint8_t)*s) * PRIME;
	return mix(hash, dso->kind);
}

static void learn(struct path_block *block, const struct perf_replay *replay, uint32_t number)
{
	const struct perf_code *code = &replay->tasks->code;
	const struct code_section *section = NULL;
	struct csf_block b;

	csf_block(replay->image, number, &b);
	if (b.section < code->n_section)
		section = code->section[b.section];
	*block = (struct path_block){
		.file = name_of(section ? section->dso : NULL), .section = b.section,
		.in_section = b.offset, .size = b.size, .insns = b.n_insn,
		.start = b.offset + (section ? section->offset : 0), .last = b.size - b.last_size,
	};
}

static struct path_block *block_of(struct paths *paths, const struct perf_replay *replay,
				   uint32_t number)
{
	if (number >= paths->n_block) {
		size_t n = 2 * (size_t)number + 1024;
		struct path_block *p = realloc(paths->block, n * sizeof(*p));

		if (!p)
			return NULL;
		memset(p + paths->n_block, 0, (n - paths->n_block) * sizeof(*p));
		paths->block = p;
		paths->n_block = n;
	}
	if (!paths->block[number].insns)
		learn(&paths->block[number], replay, number);
	return &paths->block[number];
}

/* ---------------------------------------------------------------- paths */

static int keep(struct path *path)
{
	if (path->n < path->first || path->n - path->first >= path->want)
		return 0;
	if (!path->n_kept)
		path->before = path->insns;
	if (!array_room(&path->kept, path->n_kept, &path->size_kept, sizeof(*path->kept)))
		return -1;
	path->kept[path->n_kept++] = path->now;
	return 0;
}

/* Ends the last stretch. */
static int finish(struct path *path)
{
	if (!path->now.insns)
		return 0;
	if (keep(path))
		return -1;
	path->n++;
	path->insns += path->now.insns;
	path->hash = mix(mix(mix(path->hash, path->now.file), path->now.start), path->now.end);
	path->now.insns = 0;
	if (path->n % PATH_STEP)
		return 0;
	if (!array_room(&path->step, path->n_step, &path->size_step, sizeof(*path->step)))
		return -1;
	path->step[path->n_step++] = path->hash;
	return 0;
}

static int take(struct path *path, const struct path_block *b)
{
	struct stretch *now = &path->now;

	if (!now->insns || now->file != b->file || now->end != b->start) {
		if (finish(path))
			return -1;
		*now = (struct stretch){ .file = b->file, .start = b->start, .section = b->section,
					 .in_section = b->in_section };
	}
	now->last = b->start + b->last;
	now->end = b->start + b->size;
	now->insns += b->insns;
	return 0;
}

static struct path *path_of(struct paths *paths, uint32_t tid)
{
	if (paths->recent < paths->n && paths->path[paths->recent].tid == tid)
		return &paths->path[paths->recent];
	for (size_t i = 0; i < paths->n; i++) {
		if (paths->path[i].tid != tid)
			continue;
		paths->recent = i;
		return &paths->path[i];
	}
	if (!array_room(&paths->path, paths->n, &paths->size, sizeof(*paths->path)))
		return NULL;
	paths->path[paths->n] = (struct path){ .tid = tid };
	return &paths->path[paths->n++];
}

int paths_window(struct paths *paths, uint32_t tid, uint64_t first, uint64_t want)
{
	struct path *path = path_of(paths, tid);

	if (!path)
		return -1;
	path->first = first;
	path->want = want;
	return 0;
}

bool paths_full(const struct paths *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		if (paths->path[i].n_kept < paths->path[i].want && !paths->path[i].lost)
			return false;
	return true;
}

int paths_run(struct paths *paths, const struct perf_replay *replay, const struct perf_run *run)
{
	const struct csf_run *r = &run->run;
	const bool skip = r->context.known && r->context.el && !r->context.no_el &&
		  !paths->all_levels;
	const bool lost = cs_gap_is_loss(r) || r->end == CSF_END_Q;
	struct path *path;

	if (!r->n && !lost)
		return 0;
	path = path_of(paths, run->who.tid);
	if (!path)
		return -1;
	for (size_t i = 0; i < r->n && !skip && !path->lost; i++) {
		const struct path_block *b = block_of(paths, replay, csf_step_block(r->step[i]));

		if (!b || take(path, b))
			return -1;
	}
	if (lost && !path->lost) {
		path->lost = true;
		path->why = r->end == CSF_END_Q ? CSF_GAP_NR : r->value;
		/* its end is unknown */
		path->now.insns = 0;
	}
	return 0;
}

static int by_tid(const void *a, const void *b)
{
	const struct path *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

int paths_end(struct paths *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		if (finish(&paths->path[i]))
			return -1;
	if (paths->n)
		qsort(paths->path, paths->n, sizeof(*paths->path), by_tid);
	return 0;
}

void paths_fini(struct paths *paths)
{
	for (size_t i = 0; i < paths->n; i++) {
		free(paths->path[i].step);
		free(paths->path[i].kept);
	}
	free(paths->path);
	free(paths->block);
	*paths = (struct paths){ 0 };
}
