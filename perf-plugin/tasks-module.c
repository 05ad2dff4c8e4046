// SPDX-License-Identifier: GPL-2.0-only
/* Impossible build-ids of kernel modules: perf 6.12.0 gave all modules that of the first. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tasks-parts.h"

/* "[nf_tables]" and "/lib/modules/6.1/nf_tables.ko" have the same stem, of *@n bytes. */
static const char *stem_of(const char *name, size_t *n)
{
	const char *base = strrchr(name, '/');

	base = base ? base + 1 : name;
	base += *base == '[';
	*n = strcspn(base, "].");
	return base;
}

static bool same_module(const struct dso *a, const struct dso *b)
{
	size_t n, m;
	const char *x = stem_of(a->name, &n), *y = stem_of(b->name, &m);

	if (n != m)
		return false;
	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i] && !(strchr("-_", x[i]) && strchr("-_", y[i])))
			return false;
	return true;
}

static bool same_id(const struct dso *a, const struct dso *b)
{
	return a->n_build_id == b->n_build_id && !memcmp(a->build_id, b->build_id, a->n_build_id);
}

static int by_build_id(const void *a, const void *b)
{
	const struct dso *x = *(const struct dso *const *)a, *y = *(const struct dso *const *)b;
	int order = memcmp(x->build_id, y->build_id, sizeof(x->build_id));

	if (x->n_build_id != y->n_build_id)
		return x->n_build_id < y->n_build_id ? -1 : 1;
	return order ? order : strcmp(x->name, y->name);
}

/* Removes the common build-id from these @n modules; the table may have the right one for some. */
static void disbelieve(const struct perf_tasks *tasks, struct dso **module, size_t n)
{
	const struct dso like = **module;

	for (size_t i = 0; i < n; i++) {
		struct dso *dso = module[i];
		struct dso_key key = { .name = dso->name };

		map_build_id(tasks, &key);
		dso->n_build_id = key.n_build_id;
		memset(dso->build_id, 0, sizeof(dso->build_id));
		if (key.n_build_id)
			memcpy(dso->build_id, key.build_id, key.n_build_id);
		if (same_id(dso, &like))
			dso->n_build_id = 0;
	}
}

/*
 * Number of modules from @module on, at most @n, with its build-id.  *@stale: they are several
 * modules.
 */
static size_t count_same(struct dso **module, size_t n, bool *stale)
{
	size_t same = 1;

	*stale = false;
	for (; same < n && same_id(*module, module[same]); same++)
		*stale |= !same_module(*module, module[same]);
	return same;
}

int map_check_modules(struct perf_tasks *tasks, struct perf_file *file)
{
	const struct dso_table *dsos = &tasks->code.dsos;
	struct dso **module = malloc((dsos->n + 1) * sizeof(*module));
	size_t n = 0, same;
	bool stale;

	if (!module)
		return -ENOMEM;
	for (size_t i = 1; i <= dsos->n; i++)
		if (dsos->dso[i]->kind == DSO_MODULE && dsos->dso[i]->n_build_id)
			module[n++] = dsos->dso[i];
	qsort(module, n, sizeof(*module), by_build_id);
	for (size_t i = 0; i < n; i += same) {
		same = count_same(module + i, n - i, &stale);
		if (!stale)
			continue;
		perf_problem_add(&file->problems, PERF_WARNING, PERF_PROBLEM_NOWHERE,
				 "%zu kernel modules have the same build-id: it is ignored, "
				 "and they are found by path and name", same);
		disbelieve(tasks, module + i, same);
	}
	free(module);
	return 0;
}
