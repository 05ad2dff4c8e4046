// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE	/* qsort_r() */
#include <errno.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "files.h"

void merge_files_init(struct merge_files *files)
{
	*files = (struct merge_files){ .lock = PTHREAD_MUTEX_INITIALIZER };
}

void merge_files_fini(struct merge_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		free(files->file[i].name);
	free(files->file);
	free(files->by_key.slot);
	pthread_mutex_destroy(&files->lock);
}

/* Of what count_dso_order() compares. */
static uint64_t hash_of(const struct count_dso *dso)
{
	const uint8_t *p = dso->n_build_id ? dso->build_id : (const uint8_t *)dso->name;
	const size_t n = dso->n_build_id ? dso->n_build_id : strlen(dso->name);
	uint64_t hash = hash_mix(0, dso->kind << 8 | dso->n_build_id), word;

	for (size_t i = 0; i < n; i += 8) {
		word = 0;
		memcpy(&word, p + i, n - i < 8 ? n - i : 8);
		hash = hash_mix(hash, word);
	}
	return hash;
}

static bool same(const struct count_dso *a, const struct count_dso *b)
{
	return !count_dso_order(a, b);
}

/* Another name of a file that is there. */
static int rename_file(struct count_dso *dso, const char *name)
{
	char *copy;

	if (strcmp(name, dso->name) >= 0)
		return 0;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	free(dso->name);
	dso->name = copy;
	return 0;
}

static int add(struct merge_files *files, struct count_dso *dso)
{
	if (files->n == UINT32_MAX - 1 ||
	    !array_room(&files->file, files->n, &files->size, sizeof(*files->file)) ||
	    !HASH_ROOM(&files->by_key, files->n, 1, i, hash_of(&files->file[i - 1])))
		return -ENOMEM;
	dso->name = strdup(dso->name);
	if (!dso->name)
		return -ENOMEM;
	files->file[files->n] = *dso;
	*HASH_SLOT(&files->by_key, hash_of(dso), i, false) = ++files->n;
	return 0;
}

long merge_files_find(struct merge_files *files, const struct dso_key *key)
{
	struct count_dso dso = count_dso_of(key);
	uint32_t number = 0;
	int err;

	pthread_mutex_lock(&files->lock);
	if (files->n)
		number = *HASH_SLOT(&files->by_key, hash_of(&dso), i,
				    same(&files->file[i - 1], &dso));
	if (number) {
		files->file[number - 1].program |= dso.program;
		err = rename_file(&files->file[number - 1], dso.name);
	} else {
		err = add(files, &dso);
		number = files->n;
	}
	pthread_mutex_unlock(&files->lock);
	return err ? err : (long)number - 1;
}

void merge_files_lose(struct merge_files *files, uint32_t file, uint64_t lost)
{
	pthread_mutex_lock(&files->lock);
	files->file[file].lost = count_sum(files->file[file].lost, lost);
	pthread_mutex_unlock(&files->lock);
}

static int order(const void *p, const void *q, void *files)
{
	const struct count_dso *file = ((const struct merge_files *)files)->file;

	return count_dso_order(&file[*(const uint32_t *)p], &file[*(const uint32_t *)q]);
}

uint32_t *merge_files_ranks(struct merge_files *files, size_t *n)
{
	uint32_t *rank, *sorted;

	pthread_mutex_lock(&files->lock);
	*n = files->n;
	rank = calloc(*n + 1, sizeof(*rank));
	sorted = calloc(*n + 1, sizeof(*sorted));
	for (size_t i = 0; sorted && i < *n; i++)
		sorted[i] = i;
	if (rank && sorted && *n)
		qsort_r(sorted, *n, sizeof(*sorted), order, files);
	pthread_mutex_unlock(&files->lock);
	for (size_t i = 0; rank && sorted && i < *n; i++)
		rank[sorted[i]] = i;
	free(sorted);
	if (sorted)
		return rank;
	free(rank);
	return NULL;
}
